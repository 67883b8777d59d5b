#include "exact/dynamic_programming.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "exact/best_parents.hpp"
#include "exact/order_bounds.hpp"
#include "index.hpp"
#include "parallel.hpp"

namespace veridag {
namespace {

constexpr int most_low = 12;   // places in which the sets of a block differ
constexpr int few = 8;         // so many sets of a block are looked up one by one
constexpr int groupings = 12;  // of the bounds
constexpr int ascents = 8;

// What is kept of a set of variables: which of its block it is, its sink, and the best score while the next layer needs
// it.
constexpr std::uint64_t record_bytes = sizeof(std::uint16_t) + sizeof(std::uint8_t);
constexpr std::uint64_t set_bytes = record_bytes + sizeof(double);

// The sets with the same members above the low places.
struct Block {
    Word high = 0;
    std::vector<std::uint16_t> low;   // the other members of each set that is kept, ascending
    std::vector<std::uint8_t> sinks;  // places
    std::vector<double> scores;
};

using Layer = std::vector<Block>;  // ascending

const Block* find(const Layer& layer, Word high) {
    auto found = std::lower_bound(layer.begin(), layer.end(), high,
                                  [](const Block& block, Word value) { return block.high < value; });
    return found == layer.end() || found->high != high ? nullptr : &*found;
}

// The variables that are parents most often come first: then the rows of a variable differ most in the low places.
std::vector<int> order_of(const Candidates& candidates) {
    int n = candidates.variables();
    std::vector<std::size_t> uses(at(n), 0);
    for (std::size_t row = 0; row < candidates.rows(); ++row) {
        for (int u = 0; u < n; ++u) uses[at(u)] += has_bit(candidates.set(row), u);
    }
    std::vector<int> order(at(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return uses[at(a)] > uses[at(b)]; });
    return order;
}

// The work on one block at a time, with memory of its own.
class Worker {
   public:
    Worker(const BestParents& parents, const OrderBounds& bounds, double limit, double tolerance)
        : parents_(parents),
          bounds_(bounds),
          limit_(limit),
          tolerance_(tolerance),
          size_(std::size_t{1} << parents.low()),
          scores_(size_, minus_infinity),
          offered_(words_for(static_cast<int>(size_)), 0),
          sinks_(size_),
          table_(size_),
          tables_(at(parents.low()) * size_),
          lookups_(at(parents.low())) {}

    double bound() const { return bound_; }

    // All sets of the block that can be part of a better network; the layer before has the sets with one member less.
    Block solve(Word high, const Layer& before) {
        if (high == 0) offer(0, 0.0, 0);
        for (Word rest = high; rest; rest &= rest - 1) {
            int place = std::countr_zero(rest);
            if (const Block* block = find(before, high & ~(Word{1} << place))) come_from(*block, place);
        }
        return expand(high);
    }

   private:
    void offer(std::size_t set, double score, int sink) {
        if (score > scores_[set] + tolerance_) {
            scores_[set] = score;
            set_bit(offered_.data(), static_cast<int>(set));
            sinks_[set] = static_cast<std::uint8_t>(sink);
        }
    }

    // The sets of another block, with one more member.
    void come_from(const Block& block, int place) {
        if (block.low.size() <= few || !parents_.can_fill(place)) {
            for (std::size_t k = 0; k < block.low.size(); ++k)
                offer(block.low[k], block.scores[k] + parents_.best_score(place, block.high | block.low[k]), place);
            return;
        }
        parents_.fill(place, block.high, table_.data());
        for (std::size_t k = 0; k < block.low.size(); ++k) {
            auto rank = static_cast<std::size_t>(table_[block.low[k]]);
            offer(block.low[k], block.scores[k] + parents_.score(place, rank), place);
        }
    }

    // Sets in ascending order, so that each is done before those that have one member more. Most blocks have few.
    Block expand(Word high) {
        found_.high = high;
        found_.low.clear(), found_.sinks.clear(), found_.scores.clear();
        bounds_.set(high);
        std::fill(lookups_.begin(), lookups_.end(), 0);
        for (std::size_t word = 0; word < offered_.size();) {
            if (offered_[word] == 0) {
                ++word;
                continue;
            }
            std::size_t set = 64 * word + static_cast<std::size_t>(std::countr_zero(offered_[word]));
            offered_[word] &= offered_[word] - 1;
            double score = scores_[set];
            scores_[set] = minus_infinity;  // as the next block needs it
            double most = score + bounds_.left(static_cast<std::uint32_t>(set), limit_ - score);
            if (!(most > limit_)) continue;
            bound_ = std::max(bound_, most);
            found_.low.push_back(static_cast<std::uint16_t>(set));
            found_.sinks.push_back(sinks_[set]);
            found_.scores.push_back(score);
            for (std::size_t rest = (size_ - 1) & ~set; rest; rest &= rest - 1) {
                int place = std::countr_zero(rest);
                offer(set | (std::size_t{1} << place), score + score_of(place, high, set), place);
            }
        }
        return found_;  // a copy has no memory to spare
    }

    // After some lookups in a block they are all made at once.
    double score_of(int place, Word high, std::size_t set) {
        int& made = lookups_[at(place)];
        BestParents::Rank* table = tables_.data() + at(place) * size_;
        if (made < few || !parents_.can_fill(place)) {
            ++made;
            return parents_.best_score(place, high | set);
        }
        if (made == few) {
            parents_.fill(place, high, table);
            ++made;
        }
        return parents_.score(place, static_cast<std::size_t>(table[set]));
    }

    const BestParents& parents_;
    OrderBounds::Block bounds_;
    double limit_, tolerance_, bound_ = minus_infinity;
    std::size_t size_;
    std::vector<double> scores_;
    Bits offered_;  // the sets that have a score
    std::vector<std::uint8_t> sinks_;
    std::vector<BestParents::Rank> table_, tables_;
    std::vector<int> lookups_;
    Block found_;
};

// Sets are in blocks, and blocks in layers by the number of members above the low places: a layer needs the scores of
// the one before and no others.
class Lattice {
   public:
    Lattice(const Candidates& candidates, const DynamicSettings& settings, Progress& progress)
        : candidates_(candidates),
          settings_(settings),
          progress_(progress),
          parents_(candidates, order_of(candidates), std::min(candidates.variables(), most_low)),
          bounds_(candidates, parents_, groupings, ascents, settings.threads) {}

    ExactResult run() {
        int layers = parents_.variables() - parents_.low() + 1;
        for (int k = 0; k < layers; ++k) {
            if (!solve(k == 0 ? std::vector<Word>{0} : successors())) return std::move(result_);
        }
        result_.finished = true;
        trace();
        return std::move(result_);
    }

   private:
    // The blocks of the next layer that some set of this one leads to.
    std::vector<Word> successors() const {
        std::vector<Word> found;
        for (const Block& block : layers_.back()) {
            for (Word rest = high_places() & ~block.high; rest; rest &= rest - 1)
                found.push_back(block.high | (rest & ~(rest - 1)));
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    Word low_places() const { return (Word{1} << parents_.low()) - 1; }
    Word high_places() const { return ((Word{1} << parents_.variables()) - 1) & ~low_places(); }

    // The next layer; false if the search is to stop.
    bool solve(const std::vector<Word>& blocks) {
        static const Layer none;
        const Layer& before = layers_.empty() ? none : layers_.back();
        Layer found(blocks.size());
        std::vector<Worker> workers;
        for (std::size_t k = 0; k < workers_for(blocks.size(), settings_.threads); ++k)
            workers.emplace_back(parents_, bounds_, settings_.known, tolerance());
        std::atomic<std::int64_t> sets{0};
        std::atomic<bool> full{false};
        parallel_for(blocks.size(), settings_.threads, [&](std::size_t task, std::size_t worker) {
            if (full || progress_.stopped()) return;
            found[task] = workers[worker].solve(blocks[task], before);
            auto own = static_cast<std::int64_t>(found[task].low.size());
            std::int64_t all = sets.fetch_add(own) + own;
            if (result_.steps + all > settings_.most_steps || bytes_with(all) > settings_.most_bytes) full = true;
            if (worker == 0) progress_.stop(result_.steps + all, settings_.known, result_.bound);
        });
        result_.gave_up = full;
        if (full || progress_.stopped()) return false;
        std::erase_if(found, [](const Block& block) { return block.low.empty(); });
        if (!layers_.empty()) {
            for (Block& block : layers_.back()) std::vector<double>().swap(block.scores);
        }
        layers_.push_back(std::move(found));
        result_.steps += last_ = sets;
        possible_ += choose_layer();
        result_.share = static_cast<double>(result_.steps) / possible_;
        double bound = settings_.known;
        for (const Worker& worker : workers) bound = std::max(bound, worker.bound());
        result_.bound = std::min(result_.bound, bound);
        return true;
    }

    // How many sets the layer that was just made could have had.
    double choose_layer() const {
        int high = parents_.variables() - parents_.low(), chosen = static_cast<int>(layers_.size()) - 1;
        double sets = std::ldexp(1.0, parents_.low());
        for (int k = 0; k < chosen; ++k) sets *= static_cast<double>(high - k) / (k + 1);
        return sets;
    }

    std::uint64_t bytes_with(std::int64_t sets) const {
        return static_cast<std::uint64_t>(result_.steps) * record_bytes +
               static_cast<std::uint64_t>(sets + last_) * set_bytes;
    }

    // Sums of the same numbers in another order differ by less: such sinks tie.
    double tolerance() const {
        double size = 1.0;
        for (int p = 0; p < parents_.variables(); ++p) {
            if (parents_.score(p, 0) > minus_infinity) size += std::abs(parents_.score(p, 0));
        }
        return 1e-13 * size;
    }

    // From the set of all variables down, sink by sink.
    void trace() {
        // The last layer has one block at most, and of that the set of all variables, if it is there, is the last.
        if (layers_.back().empty() || layers_.back().back().low.back() != low_places()) return;
        result_.score = layers_.back().back().scores.back();
        result_.choice.resize(at(parents_.variables()));
        Word set = high_places() | low_places();
        while (set != 0) {
            Word high = set & high_places();
            const Block* block = find(layers_[at(std::popcount(high))], high);
            auto low = std::lower_bound(block->low.begin(), block->low.end(), set & low_places());
            int place = block->sinks[static_cast<std::size_t>(low - block->low.begin())];
            set &= ~(Word{1} << place);
            int v = parents_.order()[at(place)];
            result_.choice[at(v)] = candidates_.begin(v) + parents_.best(place, set);
        }
    }

    const Candidates& candidates_;
    const DynamicSettings& settings_;
    Progress& progress_;
    BestParents parents_;
    OrderBounds bounds_;
    std::vector<Layer> layers_;
    std::int64_t last_ = 0;  // sets in the last layer
    double possible_ = 0.0;  // sets of all layers so far, kept or not
    ExactResult result_;
};

}  // namespace

double dp_bytes(int variables) {
    // Two layers of the middle have their scores, all have their records.
    return std::ldexp(1.0, variables) * (record_bytes + 0.5 * (set_bytes - record_bytes));
}

ExactResult solve_dp(const Candidates& candidates, const DynamicSettings& settings, Progress& progress) {
    if (candidates.variables() > max_dp_variables)
        throw std::invalid_argument("too many variables for dynamic programming");
    return Lattice(candidates, settings, progress).run();
}

}  // namespace veridag
