#include "exact/parent_sets/enumerate.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "exact/parent_sets/child.hpp"
#include "exact/parent_sets/family_scorer.hpp"
#include "exact/parent_sets/ranks.hpp"
#include "exact/parent_sets/set_list.hpp"
#include "index.hpp"
#include "parallel.hpp"

namespace veridag {
namespace {

class Enumeration {
   public:
    Enumeration(const ParentSetProblem& problem, Progress& progress)
        : p_(problem), n_(at(problem.constraints.variables())), progress_(progress), level_(problem) {
        if (n_ > std::numeric_limits<Member>::max()) throw std::invalid_argument("too many variables");
        if (p_.bounded && p_.dominated) throw std::invalid_argument("bounds would leave out dominated sets");
        for (std::size_t w = 0; w < at(std::max(1, p_.threads)); ++w) scorers_.push_back(p_.make());
        width_ = level_.width = scorers_[0]->width();
        for (int v = 0; v < variables(); ++v) {
            children_.emplace_back(v, p_.constraints);
            children_.back().most_likely =
                p_.bounded ? scorers_[0]->most_likely(v, possible_parents(children_.back())) : no_bound;
        }
    }

    ParentSets run() {
        enter_empty_set();
        std::size_t deepest = 0;
        for (const Child& c : children_) deepest = std::max(deepest, c.limit);
        for (std::size_t k = 0; k <= deepest && !progress_.stopped(); ++k) {
            if (!enumerate_level(k, k < deepest)) break;
        }
        ParentSets result = collect();
        result.scored = scored_;
        result.interrupted = progress_.stopped();
        return result;
    }

   private:
    int variables() const { return p_.constraints.variables(); }

    static std::vector<int> possible_parents(const Child& c) {
        std::vector<int> all;
        std::merge(c.required.begin(), c.required.end(), c.optional.begin(), c.optional.end(), std::back_inserter(all));
        return all;
    }

    void enter_empty_set() {
        if (width_ == 0) return;
        level_.values = RankMap(1.0, 1.0, width_);
        scorers_[0]->take({}, 1);
        scorers_[0]->values(level_.values.insert(0));
    }

    // ---- one level: all families of k parents. False if there are none.

    bool enumerate_level(std::size_t k, bool goes_on) {
        level_.k = k;
        level_.goes_on = goes_on;
        ranks_.have_size(k + 2);
        std::vector<double> candidates_of = count_candidates(k);  // by their lowest variable
        double candidates = std::accumulate(candidates_of.begin(), candidates_of.end(), 0.0);
        total_ = static_cast<double>(done_) + candidates;
        bool later =
            std::any_of(children_.begin(), children_.end(), [&](const Child& c) { return c.required.size() > k; });
        if (candidates == 0.0 && !later) return false;
        prepare(k, goes_on, candidates, *std::max_element(candidates_of.begin(), candidates_of.end()));
        RankSet met(ranks_.possible(k + 1), candidates);
        held_by_met_ = static_cast<double>(met.bytes());
        for (std::size_t lowest = 0; lowest < n_ && !progress_.stopped(); ++lowest) {
            if (candidates_of[lowest] == 0.0) continue;
            list_sets(k, static_cast<int>(lowest), met);
            enter_missing(k);
            score_sets(k);
            done_ += static_cast<std::int64_t>(candidates_of[lowest]);
        }
        level_.values_before = std::move(level_.values);
        level_.values = std::move(next_values_);
        for (Child& c : children_) {
            std::swap(c.alive, c.next_alive);
            std::swap(c.best, c.next_best);
        }
        return true;
    }

    void prepare(std::size_t k, bool goes_on, double candidates, double most_at_once) {
        double sets = std::min(candidates, ranks_.possible(k + 1)), listed = std::min(sets, most_at_once);
        double bytes = RankSet::bytes_at_first(ranks_.possible(k + 1), candidates) +
                       listed * (2.0 * sizeof(Member) * static_cast<double>(k + 1) + 8.0);
        bytes += RankMap::bytes_at_first(ranks_.possible(k + 1), goes_on ? sets : 0.0, width_);
        std::vector<bool> continues;
        for (const Child& c : children_) {
            continues.push_back(goes_on && k < c.limit && k >= c.required.size());
            if (continues.back())
                bytes += RankMap::bytes_at_first(ranks_.possible(k), candidates_by_child_[continues.size() - 1], 1);
        }
        require(k, held() + bytes);
        next_values_ = RankMap(ranks_.possible(k + 1), goes_on ? sets : 0.0, width_);
        for (std::size_t v = 0; v < n_; ++v) {
            Child& c = children_[v];
            c.next_alive.restart(k - std::min(k, c.required.size()));
            c.next_best = continues[v] ? RankMap(ranks_.possible(k), candidates_by_child_[v], 1) : RankMap();
            c.prepare_prior(k, p_.prior);
        }
    }

    double held() const {
        double bytes = static_cast<double>(level_.values.bytes() + level_.values_before.bytes() + next_values_.bytes() +
                                           sets_.bytes()) +
                       held_by_met_;
        for (const Child& c : children_) {
            bytes += static_cast<double>(c.alive.bytes() + c.next_alive.bytes() + c.best.bytes() + c.next_best.bytes());
            bytes += static_cast<double>(10 * c.scores.capacity() + sizeof(Member) * c.parents.capacity());
        }
        return bytes;
    }

    void require(std::size_t k, double bytes) const {
        if (bytes > p_.memory_limit) throw TooManyParentSets(k, bytes);
    }

    // ---- which sets there are

    std::vector<double> count_candidates(std::size_t k) {
        std::vector<double> by_lowest(n_, 0.0);
        candidates_by_child_.assign(n_, 0.0);
        for (std::size_t v = 0; v < n_; ++v) {
            const Child& c = children_[v];
            if (!c.may_have(k)) continue;
            auto add = [&](int lowest, double number) {
                by_lowest[at(std::min(lowest, c.lowest))] += number;
                candidates_by_child_[v] += number;
            };
            std::size_t free = k - c.required.size();
            if (free == 0) add(c.lowest, 1.0);
            if (free == 1 && c.alive.size() > 0) {
                for (int u : c.optional) add(u, 1.0);
            }
            if (free >= 2) {
                for (std::size_t i = 0; i < c.alive.size();) {
                    std::size_t stop = group_end(c, i, free);
                    for (; i < stop; ++i) add(c.alive[i][0], static_cast<double>(stop - i - 1));
                }
            }
        }
        return by_lowest;
    }

    // Alive families that share all their optional parents but the last come one after the other: where those that
    // share them with i end.
    std::size_t group_end(const Child& c, std::size_t i, std::size_t free) const {
        std::size_t stop = i + 1;
        while (stop < c.alive.size() && c.alive.common(i, stop) >= free - 2) ++stop;
        return stop;
    }

    // The sets, parents and child together, whose lowest member is `lowest`, in lexicographic order.
    void list_sets(std::size_t k, int lowest, RankSet& met) {
        sets_.restart(k + 1);
        missing_.restart(k);
        for (int v = 0; v < variables(); ++v) {
            const Child& c = children_[at(v)];
            if (!c.may_have(k) || lowest > c.lowest) continue;
            std::size_t free = k - c.required.size();
            if (free == 0 && c.lowest == lowest) list_set(v, {}, 0, met);
            if (free == 1 && c.alive.size() > 0) {
                for (int u : c.optional) {
                    if (std::min(u, c.lowest) == lowest) list_set(v, {}, u, met);
                }
            }
            if (free >= 2) list_joins(v, free, lowest, met);
        }
        sets_.sort(variables());
        missing_.sort(variables());
        missing_.remove_duplicates();
        held_by_met_ = static_cast<double>(met.bytes());
    }

    void list_joins(int v, std::size_t free, int lowest, RankSet& met) {
        const Child& c = children_[at(v)];
        auto first = [&](std::size_t i) { return static_cast<int>(c.alive[i][0]); };
        int from = lowest == c.lowest ? lowest + 1 : lowest;
        std::size_t i = 0, end = c.alive.size();
        for (std::size_t step = std::bit_ceil(end + 1); step > 0; step /= 2) {
            if (i + step <= end && first(i + step - 1) < from) i += step;
        }
        for (; i < end && (lowest == c.lowest || first(i) == lowest); ++i) {
            for (std::size_t j = i + 1; j < end && c.alive.common(i, j) >= free - 2; ++j)
                list_set(v, c.alive[i], c.alive[j].back(), met);
        }
    }

    // The child, its required parents, these optional ones and, unless there are no optional ones at all, one more.
    void list_set(int v, std::span<const Member> optional, int last, RankSet& met) {
        const Child& c = children_[at(v)];
        parents_.assign(c.required.begin(), c.required.end());
        parents_.insert(parents_.end(), optional.begin(), optional.end());
        if (sets_.members() > parents_.size() + 1) parents_.push_back(last);
        if (!c.required.empty()) std::sort(parents_.begin(), parents_.end());
        set_ = parents_;
        set_.insert(std::lower_bound(set_.begin(), set_.end(), v), v);
        if (width_ > 0 && !level_.values.find(ranks_.of(parents_)) && is_candidate(v)) missing_.push_back(parents_);
        if (met.insert(ranks_.of(set_))) sets_.push_back(set_);
    }

    // Whether all subsets of parents_ are alive, as a family of v.
    bool is_candidate(int v) {
        const Child& c = children_[at(v)];
        if (parents_.size() == c.required.size()) return true;
        for (std::size_t i = 0; i < parents_.size(); ++i) {
            if (c.is_required(parents_[i])) continue;
            subset_ = parents_;
            subset_.erase(subset_.begin() + static_cast<std::ptrdiff_t>(i));
            if (!c.best.find(ranks_.of(subset_))) return false;
        }
        return true;
    }

    // Sets of parents that were not met before, because they hold no family that was alive.
    void enter_missing(std::size_t k) {
        if (missing_.size() == 0) return;
        std::vector<int> set;
        for (std::size_t i = 0; i < missing_.size(); ++i) {
            set.assign(missing_[i].begin(), missing_[i].end());
            scorers_[0]->take(set, company(missing_, i));
            scorers_[0]->values(level_.values.insert(ranks_.of(set)));
        }
        require(k, held());
    }

    // ---- scoring

    void score_sets(std::size_t k) {
        std::size_t a_task = scorers_[0]->sets_a_task(), tasks = (sets_.size() + a_task - 1) / a_task;
        std::size_t at_once = 4 * scorers_.size();
        for (std::size_t start = 0; start < tasks; start += at_once) {
            std::size_t now = std::min(at_once, tasks - start);
            found_.resize(now);
            parallel_for(now, p_.threads, [&](std::size_t task, std::size_t worker) {
                FamilyScorer work(level_, *scorers_[worker], found_[task]);
                std::size_t first = (start + task) * a_task;
                for (std::size_t i = first; i < std::min(sets_.size(), first + a_task); ++i) work.score_set(i);
            });
            for (std::size_t task = 0; task < now; ++task) enter(found_[task]);
            require(k, held());
            if (progress_.stop(done_, std::numeric_limits<double>::quiet_NaN(), total_)) return;
        }
    }

    void enter(const Found& found) {
        scored_ += found.scored;
        for (const Found::Family& family : found.families) {
            Child& c = children_[at(family.child)];
            auto set = sets_[family.set];
            if (family.kept) {
                c.scores.push_back(family.score);
                c.sizes.push_back(static_cast<std::uint16_t>(set.size() - 1));
                for (Member member : set) {
                    if (member != family.child) c.parents.push_back(member);
                }
            }
            if (family.alive) {
                free_.clear();
                for (Member member : set) {
                    if (member != family.child && !c.is_required(member)) free_.push_back(member);
                }
                c.next_alive.push_back(free_);
                *c.next_best.insert(family.parents) = family.best;
            }
        }
        for (std::size_t i = 0; i < found.ranks.size(); ++i) {
            std::copy_n(found.values.data() + i * width_, width_, next_values_.insert(found.ranks[i]));
        }
    }

    // The best first; of equal ones the smaller first, then by their parents.
    ParentSets collect() {
        ParentSets all;
        all.offsets.push_back(0);
        all.parent_offsets.push_back(0);
        for (Child& c : children_) {
            std::vector<std::size_t> starts(c.scores.size() + 1, 0), order(c.scores.size());
            for (std::size_t i = 0; i < c.scores.size(); ++i) starts[i + 1] = starts[i] + c.sizes[i];
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(),
                             [&](std::size_t a, std::size_t b) { return c.scores[a] > c.scores[b]; });
            for (std::size_t i : order) {
                all.scores.push_back(c.scores[i]);
                for (std::size_t k = starts[i]; k < starts[i + 1]; ++k) all.parents.push_back(c.parents[k]);
                all.parent_offsets.push_back(static_cast<std::int64_t>(all.parents.size()));
            }
            all.offsets.push_back(static_cast<std::int64_t>(all.scores.size()));
            std::vector<double>().swap(c.scores);
            std::vector<Member>().swap(c.parents);
        }
        return all;
    }

    const ParentSetProblem& p_;
    std::size_t n_;
    Progress& progress_;
    Level level_;
    Ranks& ranks_ = level_.ranks;
    std::vector<Child>& children_ = level_.children;
    SetList& sets_ = level_.sets;
    std::vector<std::unique_ptr<SetScorer>> scorers_;  // one a thread
    std::size_t width_ = 0;
    RankMap next_values_;  // of sets of k + 1 variables
    std::vector<double> candidates_by_child_;
    SetList missing_;
    std::vector<Found> found_;
    std::vector<int> parents_, set_, subset_;
    std::vector<Member> free_;
    std::int64_t done_ = 0, scored_ = 0;
    double total_ = 0.0, held_by_met_ = 0.0;
};

}  // namespace

ParentSets enumerate_parent_sets(const ParentSetProblem& problem, Progress& progress) {
    return Enumeration(problem, progress).run();
}

}  // namespace veridag
