#include "counts/association.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

#include "counts/counter.hpp"
#include "counts/sweep.hpp"
#include "elementary.hpp"
#include "parallel.hpp"

namespace veridag {
namespace {

// x log x as an integer, in the smallest unit at which sums over a table of `total` observations stay below 2^61.
class FixedPoint {
   public:
    explicit FixedPoint(Count total) {
        double largest = std::max(1.0, static_cast<double>(total) * elementary::log(static_cast<double>(total) + 1.0));
        int above;
        std::frexp(largest, &above);
        unit_ = std::ldexp(1.0, 60 - above);
        for (Count x = 0; x < std::min<Count>(total + 1, tabled); ++x) small_.push_back(compute(x));
    }

    std::int64_t operator()(Count x) const {
        return x < static_cast<Count>(small_.size()) ? small_[static_cast<std::size_t>(x)] : compute(x);
    }

    std::int64_t sum(std::span<const Count> counts) const {
        std::int64_t total = 0;
        for (Count x : counts) total += (*this)(x);
        return total;
    }

   private:
    static constexpr Count tabled = 1 << 14;

    std::int64_t compute(Count x) const {
        if (x < 2) return 0;
        double value = static_cast<double>(x);
        return std::llround(value * elementary::log(value) * unit_);
    }

    double unit_;
    std::vector<std::int64_t> small_;
};

// The `most` largest of the values seen for each variable, ascending as a heap with the smallest in front.
class Largest {
   public:
    Largest(int variables, int most) : most_(at(most)), kept_(at(variables)) {}

    void see(int v, std::int64_t value) {
        std::vector<std::int64_t>& kept = kept_[at(v)];
        if (kept.size() == most_ && value <= kept.front()) return;
        if (kept.size() == most_) {
            std::pop_heap(kept.begin(), kept.end(), std::greater<>{});
            kept.pop_back();
        }
        kept.push_back(value);
        std::push_heap(kept.begin(), kept.end(), std::greater<>{});
    }

    const std::vector<std::int64_t>& of(int v) const { return kept_[at(v)]; }

   private:
    std::size_t most_;
    std::vector<std::vector<std::int64_t>> kept_;
};

std::vector<std::int64_t> own_terms(const Table& table, const FixedPoint& xlogx) {
    std::vector<std::int64_t> terms;
    for (int v = 0; v < table.variables(); ++v) {
        std::int64_t sum = 0;
        for (int state = 0; state < table.arity(v); ++state) sum += xlogx(table.marginal(v, state));
        terms.push_back(sum);
    }
    return terms;
}

}  // namespace

std::vector<std::int64_t> strongest_associations(const Table& table, int most, int threads) {
    int n = table.variables();
    FixedPoint xlogx(table.total());
    std::vector<std::int64_t> own = own_terms(table, xlogx);
    std::int64_t all = xlogx(table.total());
    std::size_t workers = workers_for(at(n), threads);
    std::vector<Counter> counters(workers, Counter(table, Gaps::a_state));
    std::vector<Sweep> sweeps(workers, Sweep(table, Gaps::a_state));
    std::vector<Largest> largest(workers, Largest(n, most));
    parallel_for(at(n), threads, [&](std::size_t task, std::size_t worker) {
        int v = static_cast<int>(task);
        std::vector<int> others(task);
        std::iota(others.begin(), others.end(), 0);
        auto see = [&](int u, std::span<const Count> cells) {
            std::int64_t value = xlogx.sum(cells) - own[at(v)] - own[at(u)] + all;
            largest[worker].see(v, value);
            largest[worker].see(u, value);
        };
        auto see_pair = [&](int u) {
            int pair[] = {u, v};
            see(u, counters[worker].joint(pair));
        };
        auto see_tile = [&](Tile& tile) {
            for (std::size_t i = 0; i < tile.size(); ++i) see(others[tile.place(i)], tile.counts(i).cells);
        };
        if (sweeps[worker].run(v, {}, others, see_tile)) {
            for (std::size_t place : sweeps[worker].left_out()) see_pair(others[place]);
        } else {
            for (int u : others) see_pair(u);
        }
    });
    std::vector<std::int64_t> found;
    for (int v = 0; v < n; ++v) {
        std::vector<std::int64_t> merged;
        for (const Largest& part : largest) merged.insert(merged.end(), part.of(v).begin(), part.of(v).end());
        std::sort(merged.begin(), merged.end(), std::greater<>{});
        merged.resize(at(most), std::numeric_limits<std::int64_t>::min());
        found.insert(found.end(), merged.begin(), merged.end());
    }
    return found;
}

}  // namespace veridag
