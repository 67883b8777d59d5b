#include "search/order/choices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "elementary.hpp"

namespace veridag::order_search {
namespace {

constexpr std::size_t max_candidates = 63;
constexpr double max_sets = 2e7;              // over all children: about 2 GB with those in the criterion's cache
constexpr std::size_t scored_at_a_time = 64;  // between two looks at the progress

Mask lowest(Mask set) { return set & (~set + 1); }

std::string text(auto value) { return std::to_string(value); }

// Scores the parent sets of every child.
class Preparation {
   public:
    Preparation(Criterion& criterion, const Constraints& constraints, const OrderSettings& settings,
                const Matrix* start, Progress& progress)
        : criterion_(criterion),
          constraints_(constraints),
          settings_(settings),
          start_(start),
          progress_(progress),
          n_(criterion.variables()),
          choices_(at(n_)) {}

    std::vector<Choices> choices() {
        score_initial_sets();
        for (int v = 0; v < n_; ++v) choose_candidates(v);
        check_size();
        for (int v = 0; v < n_; ++v) score_sets(v);
        return std::move(choices_);
    }

   private:
    bool stop() { return progress_.stop(0, initial_score_); }

    bool allowed(int u, int v) const { return u != v && !constraints_.is_forbidden(u, v); }
    bool in_start(int u, int v) const { return start_ && start_->has(u, v); }

    // The parents of v in the start if the constraints allow them, otherwise the required ones.
    void score_initial_sets() {
        for (int v = 0; v < n_; ++v) {
            std::vector<int> required, started;
            bool keeps_required = true, keeps_allowed = true;
            for (int u = 0; u < n_; ++u) {
                if (constraints_.is_required(u, v)) {
                    if (!allowed(u, v))
                        throw std::invalid_argument(
                            "the arc from variable " + text(u) + " to variable " + text(v) +
                            " is required and forbidden, or from a variable to itself: drop it");
                    required.push_back(u);
                    keeps_required &= in_start(u, v);
                }
                if (in_start(u, v)) {
                    started.push_back(u);
                    keeps_allowed &= allowed(u, v);
                }
            }
            if (static_cast<int>(required.size()) > constraints_.limit(v)) {
                throw std::invalid_argument("max_indegree is " + text(constraints_.limit(v)) + " and variable " +
                                            text(v) + " has " + text(required.size()) + " required parents: raise it");
            }
            bool keep =
                start_ && keeps_required && keeps_allowed && static_cast<int>(started.size()) <= constraints_.limit(v);
            required_.push_back(required);
            initial_.push_back(keep ? started : required);
            initial_scores_.push_back(criterion_.local(v, initial_.back()));
            initial_score_ += initial_scores_.back();
        }
    }

    // Required parents, those in the start, and the best ones alone. The gain of u is local(v | u) - local(v |
    // nothing), and the latter is the same for all.
    void choose_candidates(int v) {
        std::vector<int> chosen = initial_[at(v)], others;
        for (int u = 0; u < n_; ++u) {
            if (!allowed(u, v)) continue;
            others.push_back(u);
            if (in_start(u, v) || constraints_.is_required(u, v)) chosen.push_back(u);
        }
        // Where every set is decided already there is nothing to rank.
        if (static_cast<int>(required_[at(v)].size()) < constraints_.limit(v)) {
            std::vector<double> alone(others.size());
            for (std::size_t from = 0; from < others.size() && !stop(); from += scored_at_a_time) {
                std::size_t count = std::min(scored_at_a_time, others.size() - from);
                criterion_.toggled(v, {}, std::span(others).subspan(from, count), alone.data() + from);
            }
            if (!stop()) {
                std::vector<std::size_t> ranked(others.size());
                std::iota(ranked.begin(), ranked.end(), std::size_t{0});
                std::stable_sort(ranked.begin(), ranked.end(),
                                 [&](std::size_t a, std::size_t b) { return alone[a] > alone[b]; });
                ranked.resize(std::min(ranked.size(), at(settings_.candidates)));
                for (std::size_t i : ranked) chosen.push_back(others[i]);
            }
        }
        std::sort(chosen.begin(), chosen.end());
        chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
        if (chosen.size() > max_candidates) {
            throw std::invalid_argument("candidates is " + text(settings_.candidates) + " and variable " + text(v) +
                                        " has " + text(chosen.size()) +
                                        " with those required and in the start: lower it, 63 are possible");
        }
        choices_[at(v)].candidates = std::move(chosen);
        choices_[at(v)].required = choices_[at(v)].mask(required_[at(v)]);
    }

    void check_size() const {
        double total = 0.0;
        for (int v = 0; v < n_; ++v) {
            double others = static_cast<double>(choices_[at(v)].candidates.size() - required_[at(v)].size());
            double ways = 1.0, sets = 1.0;
            for (int k = 1; k <= constraints_.limit(v) - static_cast<int>(required_[at(v)].size()) && k <= others;
                 ++k) {
                ways *= (others - k + 1) / k;
                sets += ways;
            }
            total += sets;
            if (total > max_sets) {
                throw std::invalid_argument("candidates is " + text(settings_.candidates) + " and max_indegree " +
                                            text(constraints_.limit(v)) + ": with variable " + text(v) +
                                            ", which has " + text(choices_[at(v)].candidates.size()) +
                                            " candidates, there are more than 20 million parent sets; lower either");
            }
        }
    }

    struct Scored {
        Mask set;
        double score;
    };

    // Sets by size, each from the one without its last member.
    void score_sets(int v) {
        Choices& choices = choices_[at(v)];
        std::size_t spare = at(constraints_.limit(v)) - required_[at(v)].size();
        Mask others = (bit(choices.candidates.size()) - 1) & ~choices.required;
        std::unordered_map<Mask, double> best_within;  // of a set and all its subsets
        std::vector<Scored> kept;
        auto add = [&](Mask set, double score) {
            double below_it = minus_infinity;
            for (Mask rest = set & others; rest; rest &= rest - 1)
                below_it = std::max(below_it, best_within.at(set ^ lowest(rest)));
            // A set that is no better than a subset is never needed for the best: the subset fits wherever the set
            // does.
            bool better = below_it == minus_infinity || score > below_it + tie * std::abs(below_it);
            best_within[set] = better ? score : below_it;
            if (score > minus_infinity && (better || settings_.average)) kept.push_back({set, score});
        };
        if (!stop()) add(choices.required, criterion_.local(v, required_[at(v)]));
        std::vector<Mask> smaller{choices.required}, larger;
        std::vector<double> scores;
        for (std::size_t size = 0; size < spare && !smaller.empty(); ++size) {
            larger.clear();
            for (Mask base : smaller) {
                Mask present = base & others;
                Mask later = present ? others & ~(std::bit_floor(present) | (std::bit_floor(present) - 1)) : others;
                if (!later) continue;
                if (stop()) break;
                std::vector<int> added = choices.members(later);
                scores.resize(added.size());
                criterion_.toggled(v, choices.members(base), added, scores.data());
                for (std::size_t i = 0; later; later &= later - 1, ++i) {
                    larger.push_back(base | lowest(later));
                    add(larger.back(), scores[i]);
                }
            }
            if (stop()) break;
            smaller.swap(larger);
        }
        if (stop()) keep_initial(v, kept);
        std::sort(kept.begin(), kept.end(), [](const Scored& a, const Scored& b) {
            if (a.score != b.score) return a.score > b.score;
            int in_a = std::popcount(a.set), in_b = std::popcount(b.set);
            return in_a != in_b ? in_a < in_b : a.set < b.set;
        });
        for (const Scored& one : kept) {
            choices.sets.push_back(one.set);
            choices.scores.push_back(one.score);
        }
    }

    void keep_initial(int v, std::vector<Scored>& kept) const {
        Mask initial = choices_[at(v)].mask(initial_[at(v)]);
        bool there = std::any_of(kept.begin(), kept.end(), [&](const Scored& one) { return one.set == initial; });
        if (!there && initial_scores_[at(v)] > minus_infinity) kept.push_back({initial, initial_scores_[at(v)]});
    }

    Criterion& criterion_;
    const Constraints& constraints_;
    const OrderSettings& settings_;
    const Matrix* start_;
    Progress& progress_;
    int n_;
    std::vector<std::vector<int>> required_, initial_;
    std::vector<double> initial_scores_;
    double initial_score_ = 0.0;
    std::vector<Choices> choices_;
};

}  // namespace

// As the sets are sorted, all that come after one that is negligible are negligible too.
double Choices::average(Mask before) const {
    std::size_t i = first(before);
    if (i == sets.size()) return minus_infinity;
    double largest = scores[i], negligible = largest - 40.0 - elementary::log(static_cast<double>(sets.size())),
           sum = 1.0;
    for (++i; i < sets.size() && scores[i] > negligible; ++i) {
        if (!(sets[i] & ~before)) sum += elementary::exp(scores[i] - largest);
    }
    return largest + elementary::log(sum);
}

Mask Choices::mask(std::span<const int> parents) const {
    Mask all = 0;
    for (int u : parents) {
        auto place = std::lower_bound(candidates.begin(), candidates.end(), u);
        all |= bit(static_cast<std::size_t>(place - candidates.begin()));
    }
    return all;
}

std::vector<int> Choices::members(Mask set) const {
    std::vector<int> parents;
    for (; set; set &= set - 1) parents.push_back(candidates[static_cast<std::size_t>(std::countr_zero(set))]);
    return parents;
}

std::vector<Choices> score_choices(Criterion& criterion, const Constraints& constraints, const OrderSettings& settings,
                                   const Matrix* start, Progress& progress) {
    return Preparation(criterion, constraints, settings, start, progress).choices();
}

}  // namespace veridag::order_search
