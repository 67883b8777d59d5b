// The move that draws new parents for a few related variables at once, whatever their order among themselves. A DAG is
// drawn from the partition, the parents of the variables of a block are dropped, and all ways to give them parents
// again are weighed together: a Gibbs step, which is never turned down. The chain goes on with the partition of the
// result. The blocks are drawn without regard to the state.
//
// Without the parents of the block, member j has the descendants reach[j]. New parents close no cycle if the graph over
// the block is acyclic in which j leads to i where i has a parent in reach[j]. Such graphs belong to ordered partitions
// of the block, as DAGs belong to those of all variables. In a partition, member i has its parents outside of the reach
// of all members that are not in earlier parts, and one of them or more in the reach of the part just before. So the
// weight of a partition of the block is a product of the same sums as that of a partition of all variables. Only sets
// of candidates are drawn, whose sums are in tables, and nothing is done if a member of the block has other parents:
// that is the distribution given that all of them are candidates.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "elementary.hpp"
#include "index.hpp"
#include "posterior/partition/below.hpp"
#include "posterior/partition/chain.hpp"
#include "posterior/partition/sets.hpp"
#include "scores/ties.hpp"

namespace veridag::partition {
namespace {

constexpr int largest_block = 6;

// Partitions of a block whose weights are below that of the best by this factor's logarithm are left out.
constexpr double negligible_below = 30.0;

// What each pair of candidates has of a chance to come into a block together, beside its share of the weights.
constexpr double least_affinity = 0.02;

constexpr int tries = 12;

// So many variables get new parents, one after the other, before the block and after it.
constexpr int singles = 2;

// A member of a block with the members in earlier parts and those in the part just before, as bits.
struct Cell {
    std::size_t member, earlier, last;
};

// All ordered partitions of a block: each as one cell for each member, one partition after the other.
struct Patterns {
    std::vector<Cell> cells;
    std::vector<std::uint16_t> members;

    explicit Patterns(std::size_t size) : size_(size), found_(size << 2 * size), current_(size) {
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t earlier = 0; earlier < std::size_t{1} << size; ++earlier) {
                if (earlier >> i & 1) continue;
                for (std::size_t last = earlier;; last = (last - 1) & earlier) {
                    if ((last == 0) == (earlier == 0)) {
                        found_[code(i, earlier, last)] = static_cast<std::uint16_t>(cells.size());
                        cells.push_back({i, earlier, last});
                    }
                    if (last == 0) break;
                }
            }
        }
        add((std::size_t{1} << size) - 1, 0, 0);
    }

   private:
    std::size_t code(std::size_t i, std::size_t earlier, std::size_t last) const {
        return ((i << size_ | earlier) << size_) | last;
    }

    void add(std::size_t left, std::size_t earlier, std::size_t last) {
        if (left == 0) members.insert(members.end(), current_.begin(), current_.end());
        for (std::size_t part = left; part != 0; part = (part - 1) & left) {
            for (std::size_t i = 0; i < size_; ++i) {
                if (part >> i & 1) current_[i] = found_[code(i, earlier, last)];
            }
            add(left & ~part, earlier | part, part);
        }
    }

    std::size_t size_;
    std::vector<std::uint16_t> found_, current_;
};

const Patterns& patterns_of(std::size_t size) {
    static const std::vector<Patterns> known = [] {
        std::vector<Patterns> found;
        for (std::size_t k = 0; k <= at(largest_block); ++k) found.emplace_back(k);
        return found;
    }();
    return known[size];
}

}  // namespace

// Pairs that are often a parent and its child in the families' weights come into blocks together.
void Chain::enter_affinities() {
    affinities_.assign(at(n_) * at(n_), 0.0);
    for (int v = 0; v < n_; ++v) {
        for (int u : families_[at(v)].candidates()) {
            double affinity = least_affinity + families_[at(v)].share(u);
            affinities_[at(v) * at(n_) + at(u)] += affinity;
            affinities_[at(u) * at(n_) + at(v)] += affinity;
        }
    }
    for (int v = 0; v < n_; ++v) {
        auto row = affinities_.begin() + static_cast<std::ptrdiff_t>(at(v) * at(n_));
        std::partial_sum(row, row + n_, row);
    }
}

// A variable, and then others, each by its affinity to the first or to any of those before it.
std::vector<int> Chain::choose_block(Stream& random) const {
    std::vector<int> block{below(n_, random)};
    for (int k = 0; k < tries && static_cast<int>(block.size()) < largest_block; ++k) {
        int by = random.uniform() < 0.5 ? block[0] : block[at(below(static_cast<int>(block.size()), random))];
        auto row = affinities_.begin() + static_cast<std::ptrdiff_t>(at(by) * at(n_));
        double wanted = random.uniform() * row[n_ - 1];
        auto other = static_cast<int>(std::upper_bound(row, row + n_, wanted) - row);
        if (other == n_ || std::find(block.begin(), block.end(), other) != block.end()) continue;
        block.push_back(other);
    }
    return block;
}

bool Chain::resample(Stream& random) {
    std::vector<int> block = choose_block(random);
    Bits parents(at(n_) * words_);
    draw(random, parents.data());
    Bits old = parents;
    // The same before and after the block, so that the whole is as probable as its way back.
    for (int k = 0; k < singles; ++k) draw_single(below(n_, random), parents.data(), random);
    draw_block(block, parents.data(), random);
    for (int k = 0; k < singles; ++k) draw_single(below(n_, random), parents.data(), random);
    if (parents == old) return false;
    std::vector<Word> old_parts = parts_;
    std::vector<double> old_values = values_;
    double old_weight = log_weight();
    set_from_parents(parents.data());
    // The DAGs are drawn by their weights, and the partitions by a power of theirs.
    if (power_ == 1.0 || elementary::log(1.0 - random.uniform()) <= (power_ - 1.0) * (log_weight() - old_weight))
        return parts_ != old_parts;
    parts_.swap(old_parts);
    values_.swap(old_values);
    return false;
}

// New parents for one variable, candidates or not, given those of all others.
void Chain::draw_single(int v, Word* parents, Stream& random) {
    Bits others = descendants(parents, v);
    for (Word& word : others) word = ~word;
    double log_sum = value(v, others.data(), nullptr);
    const FamilyWeights& family = families_[at(v)];
    std::size_t drawn = family.draw(others.data(), nullptr, log_sum, random.uniform());
    std::copy_n(family.set(drawn), words_, parents + at(v) * words_);
}

// New parents for the block among their candidates, given those of all others. Nothing changes if they have other
// parents now.
void Chain::draw_block(const std::vector<int>& block, Word* parents, Stream& random) const {
    std::size_t size = block.size(), subsets = std::size_t{1} << size;
    for (int v : block) {
        const FamilyWeights& family = families_[at(v)];
        const Word* own = parents + at(v) * words_;
        if (!family.has_log_tables() || std::popcount(family.project(own)) < count(own, words_)) return;
    }
    for (int v : block) std::fill_n(parents + at(v) * words_, words_, 0);
    Bits reach(size * words_);
    for (std::size_t j = 0; j < size; ++j) {
        Bits own = descendants(parents, block[j]);
        std::copy(own.begin(), own.end(), &reach[j * words_]);
    }
    // For each member, its candidates in the reach of each subset of the block.
    std::vector<std::size_t> seen(size * subsets, 0);
    for (std::size_t i = 0; i < size; ++i) {
        std::size_t* own = &seen[i * subsets];
        for (std::size_t j = 0; j < size; ++j) {
            std::size_t one = std::size_t{1} << j;
            own[one] = families_[at(block[i])].project(&reach[j * words_]);
            for (std::size_t s = one + 1; s < 2 * one; ++s) own[s] = own[one] | own[s - one];
        }
    }
    // Its candidates that are not below it or any member that is not earlier, and those one of which it must have.
    auto before_of = [&](const Cell& cell) {
        std::size_t all = (std::size_t{1} << families_[at(block[cell.member])].candidates().size()) - 1;
        return all & ~seen[cell.member * subsets + (subsets - 1 - cell.earlier)];
    };
    auto last_of = [&](const Cell& cell) { return cell.last ? &seen[cell.member * subsets + cell.last] : nullptr; };

    const Patterns& patterns = patterns_of(size);
    std::vector<double> values(patterns.cells.size());
    for (std::size_t c = 0; c < values.size(); ++c) {
        const Cell& cell = patterns.cells[c];
        values[c] = families_[at(block[cell.member])].log_sum_inside(before_of(cell), last_of(cell));
    }
    std::vector<double> weights(patterns.members.size() / size, 0.0);
    for (std::size_t k = 0; k < weights.size(); ++k) {
        for (std::size_t i = 0; i < size; ++i) weights[k] += values[patterns.members[k * size + i]];
    }
    double best = *std::max_element(weights.begin(), weights.end()), total = 0.0;
    for (double& weight : weights)
        total += weight = weight > best - negligible_below ? elementary::exp(weight - best) : 0.0;
    double wanted = random.uniform() * total;
    std::size_t drawn = 0;
    for (std::size_t k = 0; k < weights.size() && wanted >= 0.0; ++k) {
        if (weights[k] == 0.0) continue;
        drawn = k;
        wanted -= weights[k];
    }
    for (std::size_t i = 0; i < size; ++i) {
        std::size_t c = patterns.members[drawn * size + i];
        const Cell& cell = patterns.cells[c];
        const FamilyWeights& family = families_[at(block[i])];
        std::size_t set = family.draw_inside(before_of(cell), last_of(cell), values[c], random.uniform());
        std::copy_n(family.set(set), words_, parents + at(block[i]) * words_);
    }
}

}  // namespace veridag::partition
