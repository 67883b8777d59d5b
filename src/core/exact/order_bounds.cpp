#include "exact/order_bounds.hpp"

#include <algorithm>
#include <bit>

#include "index.hpp"
#include "parallel.hpp"

namespace veridag {
namespace {

// The most members of a group: all its sets are kept.
constexpr int most_members = 20;

// So many sets of a block are looked up one by one; then the answers for all of them are made at once.
constexpr int few_lookups = 128;

using Weights = std::vector<double>;

// What it costs at least that two variables are not each other's parents, for every pair.
Weights conflicts(const BestParents& parents) {
    int n = parents.variables();
    Word all = n == 64 ? ~Word{0} : (Word{1} << n) - 1;
    auto loss = [&](int v, int u) {
        double without = parents.best_score(v, all & ~(Word{1} << u));
        // A finite number for what is ruled out, so that sums can be compared.
        return without == minus_infinity ? 1e6 : parents.best_score(v, all) - without;
    };
    Weights weights(at(n) * at(n), 0.0);
    for (int v = 0; v < n; ++v) {
        for (int u = 0; u < v; ++u) weights[at(u, v, n)] = weights[at(v, u, n)] = std::min(loss(v, u), loss(u, v));
    }
    return weights;
}

// Groups of nearly the same size with much weight inside: pairs are exchanged between groups as long as that gains.
std::vector<int> grouping(int n, int groups, const Weights& weights) {
    std::vector<int> group(at(n));
    for (int v = 0; v < n; ++v) group[at(v)] = v % groups;
    auto pull = [&](int v, int g) {
        double sum = 0.0;
        for (int u = 0; u < n; ++u) {
            if (u != v && group[at(u)] == g) sum += weights[at(v, u, n)];
        }
        return sum;
    };
    for (int rounds = 0; rounds < 4 * n; ++rounds) {
        double most = 1e-9;
        int first = -1, second = -1;
        for (int v = 0; v < n; ++v) {
            for (int u = 0; u < v; ++u) {
                int a = group[at(v)], b = group[at(u)];
                if (a == b) continue;
                double gain = pull(v, b) - pull(v, a) + pull(u, a) - pull(u, b) - 2.0 * weights[at(v, u, n)];
                if (gain > most * (1.0 + tie)) most = gain, first = v, second = u;
            }
        }
        if (first < 0) break;
        std::swap(group[at(first)], group[at(second)]);
    }
    return group;
}

}  // namespace

OrderBounds::OrderBounds(const Candidates& candidates, const BestParents& parents, int groupings, int ascents,
                         int threads)
    : all_((Word{1} << parents.variables()) - 1),
      low_((Word{1} << parents.low()) - 1),
      low_tops_(std::size_t{1} << parents.low(), 0.0),
      ascents_(at(ascents)) {
    for (int p = 0; p < parents.variables(); ++p) tops_.push_back(parents.score(p, 0));
    for (std::size_t placed = 0; placed < low_tops_.size(); ++placed) {
        for (Word rest = low_ & ~placed; rest; rest &= rest - 1) low_tops_[placed] += tops_[at(std::countr_zero(rest))];
    }
    group_up(parents, groupings);
    parallel_for(groups_.size() + ascents_.size(), threads, [&](std::size_t task, std::size_t) {
        if (task < groups_.size())
            prepare(groups_[task], parents);
        else
            ascents_[task - groups_.size()] = ascend(candidates, parents, task - groups_.size());
    });
}

void OrderBounds::group_up(const BestParents& parents, int groupings) {
    int n = parents.variables();
    int number = std::max(std::min(n, 2), (n + most_members - 1) / most_members);
    Weights weights = conflicts(parents);
    for (int k = 0; k < groupings; ++k) {
        std::vector<int> of = grouping(n, number, weights);
        for (int g = 0; g < number; ++g) {
            groups_.emplace_back();
            for (int v = 0; v < n; ++v) {
                if (of[at(v)] == g) groups_.back().members.push_back(v);
            }
        }
        sizes_.push_back(at(number));
        for (int v = 0; v < n; ++v) {  // the next grouping looks after what this one neglects
            for (int u = 0; u < n; ++u) weights[at(v, u, n)] *= of[at(u)] == of[at(v)] ? 0.2 : 1.0;
        }
    }
}

OrderBounds::Charges OrderBounds::ascend(const Candidates& candidates, const BestParents& parents,
                                         std::uint64_t seed) const {
    Bound bound = dual_ascent(candidates, seed);
    if (bound.score == minus_infinity) return {};
    Charges found{{}, std::move(bound.charges)};
    for (const Bits& cluster : bound.clusters) {
        Word places = 0;
        for (int p = 0; p < parents.variables(); ++p) {
            if (has_bit(cluster.data(), parents.order()[at(p)])) places |= Word{1} << p;
        }
        found.clusters.push_back(places);
    }
    return found;
}

void OrderBounds::prepare(Group& group, const BestParents& parents) const {
    std::size_t sets = std::size_t{1} << group.members.size();
    group.best.assign(sets, minus_infinity);
    group.best[0] = 0.0;
    std::vector<Word> left(sets, 0);  // in places
    for (std::size_t set = 1; set < sets; ++set) {
        int first = std::countr_zero(set);
        left[set] = left[set & (set - 1)] | Word{1} << group.members[at(first)];
        Word others = all_ & ~left[set];
        for (std::size_t rest = set; rest; rest &= rest - 1) {
            int k = std::countr_zero(rest);
            double score = group.best[set & ~(std::size_t{1} << k)] + parents.best_score(group.members[at(k)], others);
            if (score > group.best[set]) group.best[set] = score;
        }
    }
    group.of_low.assign(std::size_t{1} << parents.low(), 0);
    for (std::size_t placed = 0; placed < group.of_low.size(); ++placed) {
        for (std::size_t k = 0; k < group.members.size(); ++k) {
            Word member = Word{1} << group.members[k];
            if ((member & low_) && !(member & placed)) group.of_low[placed] |= std::uint32_t{1} << k;
        }
    }
}

OrderBounds::Block::Block(const OrderBounds& bounds)
    : bounds_(bounds), offsets_(bounds.groups_.size()), ascents_(bounds.ascents_.size()) {}

void OrderBounds::Block::set(Word high) {
    high_ = high;
    best_ = 0.0;
    for (Word rest = bounds_.all_ & ~bounds_.low_ & ~high; rest; rest &= rest - 1)
        best_ += bounds_.tops_[at(std::countr_zero(rest))];
    for (std::size_t g = 0; g < offsets_.size(); ++g) {
        const Group& group = bounds_.groups_[g];
        offsets_[g] = 0;
        for (std::size_t k = 0; k < group.members.size(); ++k) {
            Word member = Word{1} << group.members[k];
            if (!(member & (bounds_.low_ | high))) offsets_[g] |= std::uint32_t{1} << k;
        }
    }
    for (Left& ascent : ascents_) ascent.known = false;
}

double OrderBounds::Block::left(std::uint32_t low, double enough) {
    double least = best_ + bounds_.low_tops_[low];
    for (std::size_t g = 0, k = 0; k < bounds_.sizes_.size() && least > enough; ++k) {
        double sum = 0.0;
        for (std::size_t last = g + bounds_.sizes_[k]; g < last; ++g) {
            const Group& group = bounds_.groups_[g];
            sum += group.best[offsets_[g] | group.of_low[low]];
        }
        least = std::min(least, sum);
    }
    double top = best_ + bounds_.low_tops_[low];
    for (std::size_t k = 0; k < ascents_.size() && least > enough; ++k) {
        if (!ascents_[k].known) gather(k);
        if (top - ascents_[k].total < least) least = std::min(least, top - charged(ascents_[k], low));
    }
    return least;
}

void OrderBounds::Block::gather(std::size_t ascent) {
    const Charges& given = bounds_.ascents_[ascent];
    Left& own = ascents_[ascent];
    own.known = true;
    own.lookups = 0;
    own.total = 0.0;
    own.clusters.clear(), own.charges.clear();
    for (std::size_t k = 0; k < given.clusters.size(); ++k) {
        if (given.clusters[k] & high_) continue;
        own.clusters.push_back(static_cast<std::uint32_t>(given.clusters[k] & bounds_.low_));
        own.charges.push_back(given.charges[k]);
        own.total += given.charges[k];
    }
}

double OrderBounds::Block::charged(Left& own, std::uint32_t low) const {
    if (own.lookups < few_lookups) {
        ++own.lookups;
        double sum = 0.0;
        for (std::size_t k = 0; k < own.clusters.size(); ++k) sum += own.clusters[k] & low ? 0.0 : own.charges[k];
        return sum;
    }
    if (own.lookups == few_lookups) {
        ++own.lookups;
        own.all.assign(bounds_.low_tops_.size(), 0.0);
        for (std::size_t k = 0; k < own.clusters.size(); ++k)
            own.all[~own.clusters[k] & bounds_.low_] += own.charges[k];
        // A cluster is left if what is placed is among those that are no members of it.
        for (std::size_t step = 1; step < own.all.size(); step *= 2) {
            for (std::size_t base = 0; base < own.all.size(); base += 2 * step) {
                for (std::size_t s = base; s < base + step; ++s) own.all[s] += own.all[s + step];
            }
        }
    }
    return own.all[low];
}

}  // namespace veridag
