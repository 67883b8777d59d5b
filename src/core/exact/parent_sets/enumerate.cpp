#include "exact/parent_sets/enumerate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parallel.hpp"
#include "exact/parent_sets/ranks.hpp"
#include "exact/parent_sets/set_list.hpp"

namespace veridag {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A variable as a child, and its families of the level before.
struct Child {
    std::vector<int> required;  // ascending
    std::vector<int> optional;  // ascending
    std::vector<char> allowed;  // by variable, required or optional
    std::size_t limit = 0;      // the most parents
    int lowest = 0;             // of itself and its required parents
    double most_likely = 0.0;

    // Alive families: their parents but the required ones, in lexicographic order, and the best score of a subset, by rank.
    SetList alive;
    RankMap best;
    SetList next_alive;
    RankMap next_best;

    // The prior for so many parents and the best arcs to come, for that number and for any number from there on.
    std::vector<double> prior_with, prior_from;
    double prior_of_one_more = 0.0;  // the most that a prior rises by one more parent, from this level on

    // What is kept.
    std::vector<double> scores;
    std::vector<std::uint16_t> sizes;
    std::vector<Member> parents;
};

// What a task finds, to be entered in order.
struct Found {
    struct Family {
        int child;
        double score, best;
        bool kept, alive;
        Rank parents;
        std::size_t set, position;  // in the list of sets, and of the child in it
    };
    std::vector<Family> families;
    std::vector<Rank> ranks;
    std::vector<double> values;
    std::int64_t scored = 0;
};

class Enumeration {
   public:
    Enumeration(const ParentSetProblem& problem, Reporter& reporter) : p_(problem), n_(at(problem.variables)), reporter_(reporter), ranks_(problem.variables) {
        if (n_ > std::numeric_limits<Member>::max()) throw std::invalid_argument("too many variables");
        if (p_.bounded && p_.dominated) throw std::invalid_argument("bounds would leave out dominated sets");
        for (std::size_t w = 0; w < at(std::max(1, p_.threads)); ++w) scorers_.push_back(p_.make());
        width_ = scorers_[0]->width();
        for (int v = 0; v < p_.variables; ++v) children_.push_back(child(v));
    }

    ParentSets run() {
        enter_empty_set();
        std::size_t deepest = 0;
        for (const Child& c : children_) deepest = std::max(deepest, c.limit);
        for (std::size_t k = 0; k <= deepest && !reporter_.stopped(); ++k) {
            if (!level(k, k < deepest)) break;
        }
        ParentSets result = collect();
        result.scored = scored_;
        result.interrupted = reporter_.stopped();
        return result;
    }

   private:
    Child child(int v) {
        Child c;
        c.allowed.assign(n_, 0);
        c.lowest = v;
        std::vector<int> all;
        for (int u = 0; u < p_.variables; ++u) {
            bool required = p_.required[at(u) * n_ + at(v)];
            if (u == v || (p_.forbidden[at(u) * n_ + at(v)] && !required)) continue;
            c.allowed[at(u)] = 1;
            (required ? c.required : c.optional).push_back(u);
            all.push_back(u);
        }
        if (!c.required.empty()) c.lowest = std::min(v, c.required[0]);
        c.limit = std::max(c.required.size(), std::min(at(p_.limits[at(v)]), all.size()));
        c.most_likely = p_.bounded ? scorers_[0]->most_likely(v, all) : no_bound;
        return c;
    }

    void enter_empty_set() {
        if (width_ == 0) return;
        values_ = RankMap(1.0, 1.0, width_);
        scorers_[0]->take({}, 1);
        scorers_[0]->values(values_.insert(0));
    }

    // ---- one level: all families of k parents. False if there are none.

    bool level(std::size_t k, bool goes_on) {
        ranks_.have_size(k + 2);
        std::vector<double> candidates_of = count_candidates(k);  // by their lowest variable
        double candidates = std::accumulate(candidates_of.begin(), candidates_of.end(), 0.0);
        total_ = static_cast<double>(done_) + candidates;
        bool later = std::any_of(children_.begin(), children_.end(), [&](const Child& c) { return c.required.size() > k; });
        if (candidates == 0.0 && !later) return false;
        prepare(k, goes_on, candidates, *std::max_element(candidates_of.begin(), candidates_of.end()));
        RankSet met(ranks_.possible(k + 1), candidates);
        held_by_met_ = static_cast<double>(met.bytes());
        for (std::size_t lowest = 0; lowest < n_ && !reporter_.stopped(); ++lowest) {
            if (candidates_of[lowest] == 0.0) continue;
            list_sets(k, static_cast<int>(lowest), met);
            enter_missing(k);
            score_sets(k, goes_on);
            done_ += static_cast<std::int64_t>(candidates_of[lowest]);
        }
        values_before_ = std::move(values_);
        values_ = std::move(next_values_);
        for (Child& c : children_) {
            std::swap(c.alive, c.next_alive);
            std::swap(c.best, c.next_best);
        }
        return true;
    }

    void prepare(std::size_t k, bool goes_on, double candidates, double most_at_once) {
        double sets = std::min(candidates, ranks_.possible(k + 1)), listed = std::min(sets, most_at_once);
        double bytes = RankSet::bytes_at_first(ranks_.possible(k + 1), candidates) + listed * (2.0 * sizeof(Member) * static_cast<double>(k + 1) + 8.0);
        bytes += RankMap::bytes_at_first(ranks_.possible(k + 1), goes_on ? sets : 0.0, width_);
        std::vector<bool> continues;
        for (const Child& c : children_) {
            continues.push_back(goes_on && k < c.limit && k >= c.required.size());
            if (continues.back()) bytes += RankMap::bytes_at_first(ranks_.possible(k), candidates_by_child_[continues.size() - 1], 1);
        }
        require(k, held() + bytes);
        next_values_ = RankMap(ranks_.possible(k + 1), goes_on ? sets : 0.0, width_);
        for (std::size_t v = 0; v < n_; ++v) {
            Child& c = children_[v];
            c.next_alive.restart(k - std::min(k, c.required.size()));
            c.next_best = continues[v] ? RankMap(ranks_.possible(k), candidates_by_child_[v], 1) : RankMap();
            prepare_prior(static_cast<int>(v), k);
        }
    }

    double held() const {
        double bytes = static_cast<double>(values_.bytes() + values_before_.bytes() + next_values_.bytes() + sets_.bytes()) + held_by_met_;
        for (const Child& c : children_) {
            bytes += static_cast<double>(c.alive.bytes() + c.next_alive.bytes() + c.best.bytes() + c.next_best.bytes());
            bytes += static_cast<double>(10 * c.scores.capacity() + sizeof(Member) * c.parents.capacity());
        }
        return bytes;
    }

    void require(std::size_t k, double bytes) const {
        if (bytes > p_.memory_limit) throw TooManyParentSets(k, bytes);
    }

    // ---- the prior

    double prior_of_size(int v, std::size_t k) const { return p_.prior.size ? p_.prior.size[at(v) * n_ + k] : 0.0; }
    double prior_of_arc(int u, int v) const { return p_.prior.arc ? p_.prior.arc[at(u) * n_ + at(v)] : 0.0; }

    void prepare_prior(int v, std::size_t k) {
        Child& c = children_[at(v)];
        std::vector<double> arcs;
        for (int u : c.optional) arcs.push_back(prior_of_arc(u, v));
        std::sort(arcs.rbegin(), arcs.rend());
        c.prior_with.assign(c.limit + 2, minus_infinity);
        c.prior_from.assign(c.limit + 2, minus_infinity);
        double best_arcs = 0.0;
        for (std::size_t m = k + 1; m <= c.limit; ++m) {
            best_arcs += m - k - 1 < arcs.size() ? arcs[m - k - 1] : minus_infinity;
            c.prior_with[m] = prior_of_size(v, m) + best_arcs;
        }
        for (std::size_t m = c.limit + 1; m-- > k + 1;) c.prior_from[m] = std::max(c.prior_with[m], c.prior_from[m + 1]);
        c.prior_of_one_more = minus_infinity;
        for (std::size_t m = std::max<std::size_t>(k, 1); m <= c.limit; ++m) {
            double with = prior_of_size(v, m), without = prior_of_size(v, m - 1);
            if (with == minus_infinity) continue;
            c.prior_of_one_more = std::max(c.prior_of_one_more, without == minus_infinity ? no_bound : with - without);
        }
    }

    // ---- which sets there are

    std::vector<double> count_candidates(std::size_t k) {
        std::vector<double> by_lowest(n_, 0.0);
        candidates_by_child_.assign(n_, 0.0);
        for (std::size_t v = 0; v < n_; ++v) {
            const Child& c = children_[v];
            if (k > c.limit || k < c.required.size()) continue;
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

    // Alive families that share all their optional parents but the last come one after the other: where those that share them with i end.
    std::size_t group_end(const Child& c, std::size_t i, std::size_t free) const {
        std::size_t stop = i + 1;
        while (stop < c.alive.size() && c.alive.common(i, stop) >= free - 2) ++stop;
        return stop;
    }

    // The sets, parents and child together, whose lowest member is `lowest`, in lexicographic order.
    void list_sets(std::size_t k, int lowest, RankSet& met) {
        sets_.restart(k + 1);
        missing_.restart(k);
        for (int v = 0; v < p_.variables; ++v) {
            const Child& c = children_[at(v)];
            if (k > c.limit || k < c.required.size() || lowest > c.lowest) continue;
            std::size_t free = k - c.required.size();
            if (free == 0 && c.lowest == lowest) list_set(v, {}, 0, met);
            if (free == 1 && c.alive.size() > 0) {
                for (int u : c.optional) {
                    if (std::min(u, c.lowest) == lowest) list_set(v, {}, u, met);
                }
            }
            if (free >= 2) list_joins(v, free, lowest, met);
        }
        sets_.sort(p_.variables);
        missing_.sort(p_.variables);
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
            for (std::size_t j = i + 1; j < end && c.alive.common(i, j) >= free - 2; ++j) list_set(v, c.alive[i], c.alive[j].back(), met);
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
        if (width_ > 0 && !values_.find(ranks_.of(parents_)) && is_candidate(v)) missing_.push_back(parents_);
        if (met.insert(ranks_.of(set_))) sets_.push_back(set_);
    }

    // Whether all subsets of parents_ are alive, as a family of v.
    bool is_candidate(int v) {
        const Child& c = children_[at(v)];
        if (parents_.size() == c.required.size()) return true;
        for (std::size_t i = 0; i < parents_.size(); ++i) {
            if (std::binary_search(c.required.begin(), c.required.end(), parents_[i])) continue;
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
            scorers_[0]->values(values_.insert(ranks_.of(set)));
        }
        require(k, held());
    }

    // How many sets next to set i, within reason, begin with the same members but the last two.
    static std::size_t company(const SetList& sets, std::size_t i) {
        std::size_t shared = sets[i].size() - std::min<std::size_t>(2, sets[i].size()), number = 1;
        for (std::size_t k = i; k > 0 && i - k < 2 && sets.common(i, k - 1) >= shared; --k) ++number;
        for (std::size_t k = i + 1; k < sets.size() && k - i <= 2 && sets.common(i, k) >= shared; ++k) ++number;
        return number;
    }

    // ---- scoring

    void score_sets(std::size_t k, bool goes_on) {
        std::size_t a_task = scorers_[0]->sets_a_task(), tasks = (sets_.size() + a_task - 1) / a_task;
        std::size_t at_once = 4 * scorers_.size();
        for (std::size_t start = 0; start < tasks; start += at_once) {
            std::size_t now = std::min(at_once, tasks - start);
            found_.resize(now);
            parallel_for(now, p_.threads, [&](std::size_t task, std::size_t worker) {
                Worker work(*this, *scorers_[worker], found_[task], k, goes_on);
                std::size_t first = (start + task) * a_task;
                for (std::size_t i = first; i < std::min(sets_.size(), first + a_task); ++i) work.on(i);
            });
            for (std::size_t task = 0; task < now; ++task) enter(found_[task]);
            require(k, held());
            if (reporter_.stop(done_, total_)) return;
        }
    }

    // One thread's work on a task.
    class Worker {
       public:
        Worker(Enumeration& all, SetScorer& scorer, Found& found, std::size_t k, bool goes_on) : e_(all), scorer_(scorer), found_(found), k_(k), goes_on_(goes_on) {
            found_.families.clear();
            found_.ranks.clear();
            found_.values.clear();
            found_.scored = 0;
        }

        void on(std::size_t index) {
            set_.assign(e_.sets_[index].begin(), e_.sets_[index].end());
            subsets_.take(set_, e_.ranks_);
            owners_.clear();
            for (std::size_t i = 0; i < set_.size(); ++i) find_owner(i);
            if (owners_.empty()) return;
            scorer_.take(set_, company(e_.sets_, index));
            for (const Owner& owner : owners_) score(owner, index);
            if (!goes_on_ || e_.width_ == 0) return;
            found_.ranks.push_back(subsets_.whole());
            found_.values.resize(found_.values.size() + e_.width_);
            scorer_.values(found_.values.data() + found_.values.size() - e_.width_);
        }

       private:
        struct Owner {
            std::size_t position;
            double best;  // of the subsets of its parents
            const double* parents;
        };

        Rank without(std::size_t i, std::size_t j) const { return i < j ? subsets_.without(i, j) : subsets_.without(j, i); }

        // Whether the member at i is the child of a family to be scored: all subsets are alive, so they have the required parents.
        void find_owner(std::size_t i) {
            const Child& c = e_.children_[at(set_[i])];
            if (k_ > c.limit || k_ < c.required.size()) return;
            double best = minus_infinity;
            for (std::size_t j = 0; j < set_.size(); ++j) {
                if (j == i) continue;
                if (!c.allowed[at(set_[j])]) return;
                if (is_required(c, set_[j])) continue;
                const double* subset = c.best.find(without(i, j));
                if (!subset) return;
                best = std::max(best, *subset);
            }
            const double* parents = e_.width_ > 0 ? e_.values_.find(subsets_.without(i)) : nullptr;
            if (e_.p_.bounded && is_better_without_one(i, parents)) return;
            owners_.push_back({i, best, parents});
        }

        static bool is_required(const Child& c, int u) { return !c.required.empty() && std::binary_search(c.required.begin(), c.required.end(), u); }

        // Whether the family and all its supersets are beaten by themselves without one of these parents.
        bool is_better_without_one(std::size_t i, const double* parents) {
            if (!parents) return false;
            const Child& c = e_.children_[at(set_[i])];
            for (std::size_t j = 0; j < set_.size(); ++j) {
                if (j == i || is_required(c, set_[j])) continue;
                const double* rest = e_.values_before_.find(without(i, j));
                if (!rest) continue;
                double gain = scorer_.gain_of_removal(set_, i, j, parents, rest);
                if (gain >= c.prior_of_one_more + e_.prior_of_arc(set_[j], set_[i])) return true;
            }
            return false;
        }

        void score(const Owner& owner, std::size_t index) {
            std::size_t i = owner.position;
            int v = set_[i];
            const Child& c = e_.children_[at(v)];
            double arcs = 0.0;
            for (std::size_t j = 0; j < set_.size(); ++j) arcs += j == i ? 0.0 : e_.prior_of_arc(set_[j], v);
            double prior = e_.prior_of_size(v, k_) + arcs;
            double score = scorer_.local(i, owner.parents);
            ++found_.scored;
            score = prior == minus_infinity || std::isinf(score) ? minus_infinity : score + prior;
            bool kept = score > minus_infinity && (e_.p_.dominated || owner.best == minus_infinity || score > owner.best + scorer_.rounding(owner.best));
            double best = std::max(score, owner.best);
            bool alive = goes_on_ && k_ < c.limit && !(e_.p_.bounded && is_closed(owner, best, arcs));
            if (kept || alive) found_.families.push_back({v, score, best, kept, alive, subsets_.without(i), index, i});
        }

        // Whether no superset can be better than `best`.
        bool is_closed(const Owner& owner, double best, double arcs) {
            const Child& c = e_.children_[at(set_[owner.position])];
            for (std::size_t m = k_ + 1; m <= c.limit; ++m) {
                double most = scorer_.bound(owner.position, owner.parents, m - k_, c.most_likely) + arcs;
                if (most + c.prior_from[m] <= best) return true;  // bounds fall as parents are added
                if (most + c.prior_with[m] > best) return false;
            }
            return true;
        }

        Enumeration& e_;
        SetScorer& scorer_;
        Found& found_;
        std::size_t k_;
        bool goes_on_;
        std::vector<int> set_;
        SubsetRanks subsets_;
        std::vector<Owner> owners_;
    };

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
                    if (member != family.child && !std::binary_search(c.required.begin(), c.required.end(), static_cast<int>(member))) free_.push_back(member);
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
            std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return c.scores[a] > c.scores[b]; });
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
    Reporter& reporter_;
    Ranks ranks_;
    std::vector<std::unique_ptr<SetScorer>> scorers_;  // one a thread
    std::size_t width_ = 0;
    std::vector<Child> children_;
    RankMap values_before_, values_, next_values_;  // of sets of k - 1, k and k + 1 variables
    std::vector<double> candidates_by_child_;
    SetList sets_, missing_;
    std::vector<Found> found_;
    std::vector<int> parents_, set_, subset_;
    std::vector<Member> free_;
    std::int64_t done_ = 0, scored_ = 0;
    double total_ = 0.0, held_by_met_ = 0.0;
};

}  // namespace

ParentSets enumerate_parent_sets(const ParentSetProblem& problem, Reporter& reporter) { return Enumeration(problem, reporter).run(); }

}  // namespace veridag
