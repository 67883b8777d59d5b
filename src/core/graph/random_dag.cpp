#include "graph/random_dag.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "index.hpp"
#include "random.hpp"

namespace veridag {

namespace {

using Index = std::size_t;

constexpr std::int64_t steps_at_a_time = 1 << 12;  // between two looks at the progress
constexpr double no_score = std::numeric_limits<double>::quiet_NaN();

// Uniform on 0, ..., n - 1: numbers that would favour the low remainders are drawn again.
Index below(Index n, Stream& random) {
    std::uint64_t uneven = (0 - static_cast<std::uint64_t>(n)) % n;
    std::uint64_t bits = random.bits();
    while (bits < uneven) bits = random.bits();
    return static_cast<Index>(bits % n);
}

bool coin(Stream& random) { return (random.bits() >> 63) != 0; }

void erase(std::vector<Index>& list, Index value) {
    auto found = std::find(list.begin(), list.end(), value);
    *found = list.back();
    list.pop_back();
}

// A DAG that knows a topological order of itself and mends it when an arc is added, after Pearce and Kelly (2007), "A
// dynamic topological sort algorithm for directed acyclic graphs": only what lies between the two ends is looked at.
class OrderedDag {
   public:
    explicit OrderedDag(std::vector<Index> order)
        : n_(order.size()),
          order_(std::move(order)),
          position_(n_),
          children_(n_),
          parents_(n_),
          joined_(static_cast<int>(n_)),
          seen_(n_, 0) {
        for (Index k = 0; k < n_; ++k) position_[order_[k]] = k;
    }

    bool arc(Index i, Index j) const { return joined_.has(static_cast<int>(i), static_cast<int>(j)); }
    bool joined(Index i, Index j) const { return arc(i, j) || arc(j, i); }
    Index at(Index position) const { return order_[position]; }

    void remove(Index i, Index j) {
        joined_.clear(static_cast<int>(i), static_cast<int>(j));
        erase(children_[i], j);
        erase(parents_[j], i);
    }

    // Adds i -> j between two that are not joined, unless that would close a cycle.
    bool add(Index i, Index j) {
        if (position_[j] < position_[i] && !make_room(i, j)) return false;
        joined_.set(static_cast<int>(i), static_cast<int>(j));
        children_[i].push_back(j);
        parents_[j].push_back(i);
        return true;
    }

    Matrix matrix() const { return joined_; }

   private:
    // Mends the order so that j comes after i; false if there is a way from j to i.
    bool make_room(Index i, Index j) {
        walk(j, children_, after_, [&](Index v) { return position_[v] <= position_[i]; });
        if (seen_[i]) return clear(), false;
        walk(i, parents_, before_, [&](Index v) { return position_[v] >= position_[j]; });
        clear();
        auto earlier = [&](Index a, Index b) { return position_[a] < position_[b]; };
        std::sort(after_.begin(), after_.end(), earlier);
        std::sort(before_.begin(), before_.end(), earlier);
        places_.clear();
        for (Index v : before_) places_.push_back(position_[v]);
        for (Index v : after_) places_.push_back(position_[v]);
        std::sort(places_.begin(), places_.end());
        auto place = places_.begin();
        for (Index v : before_) put(v, *place++);
        for (Index v : after_) put(v, *place++);
        before_.clear();
        after_.clear();
        return true;
    }

    void put(Index v, Index place) {
        position_[v] = place;
        order_[place] = v;
    }

    // What can be reached from a variable within a part of the order.
    template <class Inside>
    void walk(Index start, const std::vector<std::vector<Index>>& next, std::vector<Index>& reached, Inside inside) {
        reached.assign(1, start);
        seen_[start] = 1;
        for (Index k = 0; k < reached.size(); ++k) {
            for (Index v : next[reached[k]]) {
                if (seen_[v] || !inside(v)) continue;
                seen_[v] = 1;
                reached.push_back(v);
            }
        }
    }

    void clear() {
        for (Index v : after_) seen_[v] = 0;
        for (Index v : before_) seen_[v] = 0;
    }

    Index n_;
    std::vector<Index> order_, position_;
    std::vector<std::vector<Index>> children_, parents_;
    Matrix joined_;
    std::vector<Byte> seen_;
    std::vector<Index> after_, before_, places_;
};

std::vector<Index> random_order(Index n, Stream& random) {
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), Index{0});
    for (Index k = n; k > 1; --k) std::swap(order[k - 1], order[below(k, random)]);
    return order;
}

std::pair<Index, Index> random_pair(Index n, Stream& random) {
    Index i = below(n, random), j = below(n - 1, random);
    return {i, j + (j >= i ? 1 : 0)};
}

void step_free(OrderedDag& dag, Index n, Stream& random) {
    auto [i, j] = random_pair(n, random);
    bool first = coin(random);
    if (dag.arc(i, j)) {
        dag.remove(i, j);
        if (first && !dag.add(j, i)) dag.add(i, j);
    } else if (first && !dag.arc(j, i)) {
        dag.add(i, j);
    }
}

using Arc = std::pair<Index, Index>;

void step_fixed(OrderedDag& dag, Index n, std::vector<Arc>& arcs, Stream& random) {
    Arc& arc = arcs[below(arcs.size(), random)];
    Arc other = coin(random) ? Arc{arc.second, arc.first} : random_pair(n, random);
    dag.remove(arc.first, arc.second);
    if (!dag.joined(other.first, other.second) && dag.add(other.first, other.second)) {
        arc = other;
    } else {
        dag.add(arc.first, arc.second);
    }
}

// The arcs of a start: as many as asked for, at random pairs of the order.
std::vector<Arc> start_arcs(OrderedDag& dag, Index n, Index count, Stream& random) {
    std::vector<Arc> pairs;
    for (Index k = 1; k < n; ++k) {
        for (Index h = 0; h < k; ++h) pairs.emplace_back(dag.at(h), dag.at(k));
    }
    for (Index k = 0; k < count; ++k) std::swap(pairs[k], pairs[k + below(pairs.size() - k, random)]);
    pairs.resize(count);
    for (auto [i, j] : pairs) dag.add(i, j);
    return pairs;
}

}  // namespace

Matrix random_dag(int size, const ChainSettings& settings, Progress& progress) {
    auto n = static_cast<Index>(size);
    Index pairs = n * (n - (n > 0 ? 1 : 0)) / 2;
    bool fixed = settings.arcs >= 0;
    if (fixed && static_cast<Index>(settings.arcs) > pairs)
        throw std::invalid_argument("there are fewer pairs than arcs");
    Stream random(settings.seed, 0, 0);
    OrderedDag dag(random_order(n, random));
    std::vector<Arc> arcs = start_arcs(dag, n, fixed ? static_cast<Index>(settings.arcs) : pairs / 2, random);
    if (pairs == 0 || (fixed && arcs.empty())) return dag.matrix();
    for (std::int64_t step = 0; step < settings.steps; ++step) {
        if (step % steps_at_a_time == 0 && progress.stop(step, no_score)) break;
        if (fixed) {
            step_fixed(dag, n, arcs, random);
        } else {
            step_free(dag, n, random);
        }
    }
    return dag.matrix();
}

}  // namespace veridag
