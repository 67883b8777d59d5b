#include "exact/parent_sets/family_scorer.hpp"

#include <algorithm>
#include <cmath>

#include "scores/batch.hpp"
#include "scores/ties.hpp"

namespace veridag {

std::size_t company(const SetList& sets, std::size_t i) {
    std::size_t shared = sets[i].size() - std::min<std::size_t>(2, sets[i].size()), number = 1;
    for (std::size_t k = i; k > 0 && i - k < 2 && sets.common(i, k - 1) >= shared; --k) ++number;
    for (std::size_t k = i + 1; k < sets.size() && k - i <= 2 && sets.common(i, k) >= shared; ++k) ++number;
    return number;
}

void Found::clear() {
    families.clear();
    ranks.clear();
    values.clear();
    scored = 0;
}

void FamilyScorer::score_set(std::size_t index) {
    set_.assign(level_.sets[index].begin(), level_.sets[index].end());
    subsets_.take(set_, level_.ranks);
    owners_.clear();
    for (std::size_t i = 0; i < set_.size(); ++i) find_owner(i);
    if (owners_.empty()) return;
    scorer_.take(set_, company(level_.sets, index));
    for (const Owner& owner : owners_) score(owner, index);
    if (!level_.goes_on || level_.width == 0) return;
    found_.ranks.push_back(subsets_.whole());
    found_.values.resize(found_.values.size() + level_.width);
    scorer_.values(found_.values.data() + found_.values.size() - level_.width);
}

// The member at i is the child of a family to be scored if all subsets are alive, so they have the required parents.
void FamilyScorer::find_owner(std::size_t i) {
    const Child& c = child(i);
    if (!c.may_have(level_.k)) return;
    double best = minus_infinity;
    for (std::size_t j = 0; j < set_.size(); ++j) {
        if (j == i) continue;
        if (!c.allowed[at(set_[j])]) return;
        if (c.is_required(set_[j])) continue;
        const double* subset = c.best.find(without(i, j));
        if (!subset) return;
        best = std::max(best, *subset);
    }
    const double* parents = level_.width > 0 ? level_.values.find(subsets_.without(i)) : nullptr;
    if (level_.problem.bounded && is_better_without_one(i, parents)) return;
    owners_.push_back({i, best, parents});
}

// Whether the family and all its supersets are beaten by themselves without one of these parents.
bool FamilyScorer::is_better_without_one(std::size_t i, const double* parents) {
    if (!parents) return false;
    const Child& c = child(i);
    for (std::size_t j = 0; j < set_.size(); ++j) {
        if (j == i || c.is_required(set_[j])) continue;
        const double* rest = level_.values_before.find(without(i, j));
        if (!rest) continue;
        double gain = scorer_.gain_of_removal(set_, i, j, parents, rest);
        if (gain >= c.prior_of_one_more + level_.problem.prior.of_arc(set_[j], set_[i])) return true;
    }
    return false;
}

void FamilyScorer::score(const Owner& owner, std::size_t index) {
    std::size_t i = owner.position;
    int v = set_[i];
    const PriorTerms& prior = level_.problem.prior;
    double arcs = 0.0;
    for (std::size_t j = 0; j < set_.size(); ++j) arcs += j == i ? 0.0 : prior.of_arc(set_[j], v);
    double log_prior = prior.of_size(v, level_.k) + arcs;
    double score = scorer_.local(i, owner.parents);
    if (std::isnan(score)) throw NotANumber();
    ++found_.scored;
    score = log_prior == minus_infinity || std::isinf(score) ? minus_infinity : score + log_prior;
    bool is_best = owner.best == minus_infinity || score > owner.best + scorer_.rounding(owner.best);
    bool kept = score > minus_infinity && (level_.problem.dominated || is_best);
    double best = std::max(score, owner.best);
    bool alive =
        level_.goes_on && level_.k < child(i).limit && !(level_.problem.bounded && is_closed(owner, best, arcs));
    if (kept || alive) found_.families.push_back({v, score, best, kept, alive, subsets_.without(i), index});
}

// Whether no superset can be better than `best`.
bool FamilyScorer::is_closed(const Owner& owner, double best, double arcs) {
    const Child& c = child(owner.position);
    for (std::size_t m = level_.k + 1; m <= c.limit; ++m) {
        double most = scorer_.bound(owner.position, owner.parents, m - level_.k, c.most_likely) + arcs;
        if (most + c.prior_from[m] <= best) return true;  // bounds fall as parents are added
        if (most + c.prior_with[m] > best) return false;
    }
    return true;
}

}  // namespace veridag
