#include "search/boss/parent_lists.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "search/boss/grow_shrink_tree.hpp"
#include "search/sets.hpp"

namespace veridag::boss_search {
namespace {

using order_search::bit;

constexpr std::size_t max_candidates = 63;
constexpr double few_sets = 1000;  // of one size: so many are scored without a reason
constexpr int most_of_core = 4;    // larger sets need one, unless there are few sets in all

class Lister {
   public:
    Lister(Criterion& criterion, const Constraints& constraints, int child, const Hints& hints,
           const ListSettings& settings, Watch& watch)
        : criterion_(criterion), constraints_(constraints), child_(child), settings_(settings), watch_(watch) {
        choose_candidates(hints);
    }

    Choices list(const std::vector<std::vector<int>>& found) {
        add(choices_.required, criterion_.local(child_, choices_.members(choices_.required)));
        std::vector<Mask> level{choices_.required};
        int room = constraints_.limit(child_) - std::popcount(choices_.required);
        for (int size = 1; size <= room && !level.empty(); ++size) level = extended(level, size);
        for (const std::vector<int>& parents : found) {
            Mask set = 0;
            if (mask(parents, set) && !scores_.contains(set)) add(set, criterion_.local(child_, parents));
        }
        return sorted();
    }

   private:
    void choose_candidates(const Hints& hints) {
        std::vector<int> chosen = constraints_.required.parents_of(child_);
        std::vector<int> required = chosen;
        for (int u : hints.candidates) {
            if (chosen.size() >= max_candidates) break;
            if (std::find(chosen.begin(), chosen.end(), u) == chosen.end()) chosen.push_back(u);
        }
        std::vector<int> enumerated(
            chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(
                                                 std::min(chosen.size(), required.size() + at(settings_.candidates))));
        likeliest_.assign(enumerated.begin() + static_cast<std::ptrdiff_t>(required.size()), enumerated.end());
        std::sort(chosen.begin(), chosen.end());
        choices_.candidates = std::move(chosen);
        choices_.required = choices_.mask(required);
        enumerated_ = choices_.mask(enumerated) & ~choices_.required;
    }

    // Whether all parents are candidates, and the required ones are among them.
    bool mask(const std::vector<int>& parents, Mask& set) const {
        for (int u : parents) {
            if (!contains(choices_.candidates, u)) return false;
        }
        set = choices_.mask(parents);
        return !(choices_.required & ~set);
    }

    // Returns whether the set is better than all its subsets that were seen.
    bool add(Mask set, double score) {
        double below_it = minus_infinity;
        for (Mask rest = set & ~choices_.required; rest; rest &= rest - 1) {
            auto smaller = scores_.find(set ^ (rest & (~rest + 1)));
            if (smaller != scores_.end()) below_it = std::max(below_it, smaller->second);
        }
        bool better = is_better(score, below_it);
        scores_[set] = better ? score : below_it;  // of the set and all its subsets
        if (better) kept_.push_back({set, score});
        return better;
    }

    // The likeliest candidates, as many as there are few sets of this size of. All pairs count as few.
    Mask core(int size) const {
        if (size <= 2) return enumerated_;
        if (size > most_of_core && std::ldexp(1.0, std::popcount(enumerated_)) > few_sets) return 0;
        Mask chosen = 0;
        double sets = 0.0;  // of m candidates
        int m = 0;
        for (int u : likeliest_) {
            ++m;
            sets = m < size ? 0.0 : m == size ? 1.0 : sets * m / (m - size);
            if (sets > few_sets) break;
            chosen |= choices_.mask(std::span(&u, 1));
        }
        return chosen;
    }

    // Scores the sets of this size, the required parents not counted, that have one candidate more than those given, as
    // long as there is work left. Returns what is to be extended next, the best first: sets that are better than their
    // subsets, and all of the core.
    std::vector<Mask> extended(const std::vector<Mask>& level, int size) {
        std::vector<Mask> larger;
        std::vector<double> scored;
        Mask here = core(size), next = core(size + 1) | choices_.required;
        for (Mask base : level) {
            if (work_ >= settings_.families || watch_.stop()) break;
            std::vector<int> additions;
            for (int u : choices_.members((good_.contains(base) ? enumerated_ : here) & ~base)) {
                if (!scores_.contains(base | choices_.mask(std::span(&u, 1)))) additions.push_back(u);
            }
            scored.resize(additions.size());
            criterion_.toggled(child_, choices_.members(base), additions, scored.data());
            work_ += static_cast<std::int64_t>(additions.size()) << std::clamp(size - 2, 0, 10);
            for (std::size_t i = 0; i < additions.size(); ++i) {
                Mask set = base | choices_.mask(std::span(&additions[i], 1));
                bool good = add(set, scored[i]);
                if (good) good_.insert(set);
                if (good || !(set & ~next) || scores_.at(set) == minus_infinity) larger.push_back(set);
            }
        }
        std::vector<double> order;
        order.reserve(larger.size());
        for (Mask set : larger) order.push_back(scores_.at(set));
        std::vector<Mask> best_first;
        for (std::size_t i : ranked(order)) best_first.push_back(larger[i]);
        return best_first;
    }

    Choices sorted() {
        std::vector<double> values;
        std::sort(kept_.begin(), kept_.end(), [](const Scored& a, const Scored& b) { return a.set < b.set; });
        for (const Scored& one : kept_) values.push_back(one.score);
        for (std::size_t i : ranked(values)) {
            choices_.sets.push_back(kept_[i].set);
            choices_.scores.push_back(kept_[i].score);
        }
        return std::move(choices_);
    }

    struct Scored {
        Mask set;
        double score;
    };

    Criterion& criterion_;
    const Constraints& constraints_;
    int child_;
    const ListSettings& settings_;
    Watch& watch_;
    Choices choices_;
    std::vector<int> likeliest_;  // whose sets are scored, the likeliest first
    Mask enumerated_ = 0;         // the same
    std::unordered_set<Mask> good_;
    std::int64_t work_ = 0;
    std::unordered_map<Mask, double> scores_;
    std::vector<Scored> kept_;
};

}  // namespace

Choices list_parent_sets(Criterion& criterion, const Constraints& constraints, int child, const Hints& hints,
                         const ListSettings& settings, Watch& watch) {
    return Lister(criterion, constraints, child, hints, settings, watch).list(hints.found);
}

}  // namespace veridag::boss_search
