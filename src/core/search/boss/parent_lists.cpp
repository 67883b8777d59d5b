#include "search/boss/parent_lists.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "search/boss/grow_shrink_tree.hpp"
#include "search/sets.hpp"

namespace veridag::boss_search {
namespace {

using order_search::bit;

constexpr std::size_t max_candidates = 63;

// The best score of a set and all its subsets that were seen. Sets are asked for so often that it has its own table.
class BestWithin {
   public:
    BestWithin() : slots_(1024, Slot{unused, 0.0}) {}

    // Null if the set was not seen.
    const double* find(Mask set) const {
        const Slot& slot = slots_[place(set)];
        return slot.set == unused ? nullptr : &slot.score;
    }

    void put(Mask set, double score) {
        if (2 * used_ >= slots_.size()) grow();
        Slot& slot = slots_[place(set)];
        if (slot.set == unused) ++used_;
        slot = {set, score};
    }

   private:
    static constexpr Mask unused = ~Mask{0};  // no set: there are 63 candidates at most
    struct Slot {
        Mask set;
        double score;
    };

    std::size_t place(Mask set) const {
        std::size_t i = static_cast<std::size_t>((set * 0x9e3779b97f4a7c15ULL) >> 32) & (slots_.size() - 1);
        while (slots_[i].set != unused && slots_[i].set != set) i = (i + 1) & (slots_.size() - 1);
        return i;
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size(), Slot{unused, 0.0});
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.set != unused) slots_[place(slot.set)] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

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
        for (int size = 1; size <= room && !level.empty(); ++size) level = extended(level, size, size == room);
        for (const std::vector<int>& parents : found) {
            Mask set = 0;
            if (mask(parents, set) && !scores_.find(set)) add(set, criterion_.local(child_, parents));
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
        std::vector<int> enumerated = chosen;
        enumerated.resize(std::min(chosen.size(), required.size() + at(settings_.candidates)));
        std::sort(chosen.begin(), chosen.end());
        choices_.candidates = std::move(chosen);
        choices_.required = choices_.mask(required);
        enumerated_ = choices_.mask(enumerated) & ~choices_.required;
        pairs_ = settings_.all_pairs ? choices_.mask(choices_.candidates) & ~choices_.required : enumerated_;
    }

    // Whether all parents are candidates, and the required ones are among them.
    bool mask(const std::vector<int>& parents, Mask& set) const {
        for (int u : parents) {
            if (!contains(choices_.candidates, u)) return false;
        }
        set = choices_.mask(parents);
        return !(choices_.required & ~set);
    }

    // Returns what the set gains over the best of its subsets that were seen; 0 if none is possible.
    double add(Mask set, double score) {
        double below_it = minus_infinity;
        for (Mask rest = set & ~choices_.required; rest; rest &= rest - 1) {
            const double* smaller = scores_.find(set ^ (rest & (~rest + 1)));
            if (smaller) below_it = std::max(below_it, *smaller);
        }
        bool better = is_better(score, below_it);
        scores_.put(set, better ? score : below_it);  // of the set and all its subsets
        if (better) kept_.push_back({set, score});
        if (below_it == minus_infinity) return 0.0;
        if (score == minus_infinity) return minus_infinity;
        double unit = tolerance(below_it);  // differences smaller than that are rounding
        return unit * std::round((score - below_it) / unit);
    }

    // Scores the sets of this size, the required parents not counted, that have one candidate more than those given:
    // all pairs, larger sets as long as there is work left; half of it is kept for still larger ones unless this size
    // is the last. Returns the sets, those that gain most over their subsets first: three parents may be good together
    // though no two of them are, but then the pairs lose little.
    std::vector<Mask> extended(const std::vector<Mask>& level, int size, bool last) {
        std::vector<Mask> larger;
        std::vector<double> scored, gains;
        std::vector<int> additions;
        std::int64_t left = settings_.families - work_, most = last ? left : left / 2, done = 0;
        Mask added = size <= 2 ? pairs_ : enumerated_;
        for (Mask base : level) {
            if ((done >= most && size > 2) || watch_.stop()) break;
            new_.clear();
            additions.clear();
            for (Mask rest = added & ~base; rest; rest &= rest - 1) {
                Mask set = base | (rest & (~rest + 1));
                if (scores_.find(set)) continue;
                new_.push_back(set);
                additions.push_back(choices_.candidates[static_cast<std::size_t>(std::countr_zero(rest))]);
            }
            scored.resize(additions.size());
            criterion_.toggled(child_, choices_.members(base), additions, scored.data());
            done += static_cast<std::int64_t>(additions.size()) << std::clamp(size - 2, 0, 10);
            for (std::size_t i = 0; i < additions.size(); ++i) {
                double gain = add(new_[i], scored[i]);
                if (gain == minus_infinity) continue;
                larger.push_back(new_[i]);
                gains.push_back(gain);
            }
        }
        if (size > 2) work_ += done;
        std::vector<Mask> best_first;
        for (std::size_t i : ranked(gains)) best_first.push_back(larger[i]);
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
    Mask enumerated_ = 0;  // the likeliest candidates, whose sets are scored
    Mask pairs_ = 0;       // those whose pairs are
    std::int64_t work_ = 0;
    BestWithin scores_;
    std::vector<Mask> new_;  // sets made of the base at hand
    std::vector<Scored> kept_;
};

}  // namespace

Choices list_parent_sets(Criterion& criterion, const Constraints& constraints, int child, const Hints& hints,
                         const ListSettings& settings, Watch& watch) {
    return Lister(criterion, constraints, child, hints, settings, watch).list(hints.found);
}

}  // namespace veridag::boss_search
