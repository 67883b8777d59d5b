#include "search/boss/boss.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "random.hpp"
#include "search/boss/grow_shrink_tree.hpp"
#include "search/boss/iterate.hpp"
#include "search/boss/likely_parents.hpp"
#include "search/boss/list_order.hpp"
#include "search/boss/parent_lists.hpp"
#include "search/boss/tree_order.hpp"
#include "search/boss/watch.hpp"

namespace veridag {
namespace boss_search {
namespace {

constexpr int max_rounds = 4;                  // of lists made anew around a better network
constexpr std::int64_t later_share = 3;        // a third of the families are scored when they are made anew
constexpr std::int64_t share_of_pairs = 3;     // no more than a third of the families are pairs
constexpr std::int64_t most_families = 12000;  // that are scored for the list of one variable

class Search {
   public:
    Search(Criterion& criterion, const Constraints& constraints, const BossSettings& settings, Progress& progress)
        : criterion_(criterion),
          constraints_(constraints),
          settings_(settings),
          watch_(progress, settings.time_limit),
          n_(criterion.variables()),
          random_(settings.seed, 0x626f7373ULL, 0),
          hints_(at(n_)) {}

    BossResult run(const Matrix& start, const Matrix* guess) {
        ParentSets families = families_of(start);
        std::vector<int> order = order_of(families, constraints_);
        offer(std::move(families));
        if (guess) offer(families_of(*guess));
        for (int v = 0; v < n_ && !watch_.stop(); ++v) trees_.emplace_back(criterion_, constraints_, v);
        if (!watch_.stopped()) search(std::move(order));
        Matrix dag(n_);
        for (int v = 0; v < n_; ++v) {
            for (int u : best_[at(v)]) dag.set(u, v);
        }
        return {std::move(dag), score_, watch_.steps, watch_.interrupted(), watch_.late()};
    }

   private:
    void search(std::vector<int> order) {
        TreeOrder tree(trees_, constraints_, std::move(order), watch_);
        tree.climb();
        offer(families_of(tree));
        order = order_of(best_, constraints_);
        std::optional<ListTable> table;
        for (int round = 0; round < max_rounds && settings_.restarts > 0 && !watch_.stop(); ++round) {
            double before = score_;
            std::vector<Choices> all = lists(table ? table->lists : std::vector<Choices>{});
            if (watch_.stopped()) return;  // before all variables had theirs
            table.emplace(std::move(all));
            BossSettings round_settings = settings_;
            if (round > 0) round_settings.restarts = (settings_.restarts + 2) / 3;
            ListOrder found = iterate(*table, constraints_, std::move(order), round_settings, random_, watch_);
            offer(families_of(found));
            order = found.order();
            if (round > 0 && !is_better(score_, before)) return;
            if (watch_.stop()) return;
            offer(families_of(TreeOrder(trees_, constraints_, order, watch_)));
        }
    }

    ParentSets families_of(const Matrix& dag) const {
        ParentSets families(at(n_));
        for (int v = 0; v < n_; ++v) families[at(v)] = dag.parents_of(v);
        return families;
    }

    template <class Order>
    ParentSets families_of(const Order& order) const {
        ParentSets families(at(n_));
        for (int v = 0; v < n_; ++v) families[at(v)] = order.parents(v);
        return families;
    }

    void offer(ParentSets families) {
        double score = 0.0;
        for (int v = 0; v < n_; ++v) {
            score += criterion_.local(v, families[at(v)]);
            hints_[at(v)].found.push_back(families[at(v)]);
        }
        if (!best_.empty() && !is_better(score, score_)) return;
        best_ = std::move(families);
        score_ = watch_.best = score;
    }

    // Anew around the best network, with the sets of the lists before.
    std::vector<Choices> lists(const std::vector<Choices>& earlier) {
        std::int64_t families = std::min(settings_.families / n_, most_families);
        ListSettings settings{settings_.candidates, earlier.empty() ? families : families / later_share, all_pairs()};
        std::vector<Choices> all;
        for (int v = 0; v < n_ && !watch_.stop(); ++v) {
            if (likely_.size() == at(v)) likely_.emplace_back(criterion_, constraints_, v, settings.all_pairs);
            Hints hints = hints_[at(v)];
            for (std::vector<int>& set : trees_[at(v)].found()) hints.found.push_back(std::move(set));
            hints.candidates = likely_[at(v)].near(best_, hints.found);
            if (!earlier.empty()) {
                for (Mask set : earlier[at(v)].sets) hints.found.push_back(earlier[at(v)].members(set));
            }
            all.push_back(list_parent_sets(criterion_, constraints_, v, hints, settings, watch_));
        }
        return all;
    }

    // Whether there is work enough for the pairs of all possible parents.
    bool all_pairs() const { return std::int64_t{n_} * n_ * n_ / 2 <= settings_.families / share_of_pairs; }

    Criterion& criterion_;
    const Constraints& constraints_;
    const BossSettings& settings_;
    Watch watch_;
    int n_;
    Stream random_;
    std::vector<GrowShrinkTree> trees_;
    std::vector<LikelyParents> likely_;
    std::vector<Hints> hints_;  // the parents that each variable has in the networks found
    ParentSets best_;
    double score_ = minus_infinity;
};

}  // namespace
}  // namespace boss_search

BossResult boss(Criterion& criterion, const Constraints& constraints, const BossSettings& settings, const Matrix& start,
                const Matrix* guess, Progress& progress) {
    return boss_search::Search(criterion, constraints, settings, progress).run(start, guess);
}

}  // namespace veridag
