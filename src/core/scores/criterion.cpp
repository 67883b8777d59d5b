#include "scores/criterion.hpp"

#include <algorithm>
#include <cmath>

namespace veridag {
namespace {

// Families that are cached; then the cache is emptied, since what it holds can be scored again. It takes up to 32 bytes
// a family.
constexpr std::size_t max_cached_families = 12'000'000;

double total(double score, double log_prior) {
    bool ruled_out = std::isinf(score) || log_prior == minus_infinity;
    return ruled_out ? minus_infinity : score + log_prior;
}

}  // namespace

Criterion::Criterion(BatchScorer& scorer, PriorTerms prior, int threads, ScoreCache* cache)
    : scorer_(scorer), prior_(prior), threads_(threads), cache_(cache ? *cache : own_), keys_(variables()) {}

double Criterion::keep(const Key& family, double value) {
    if (cache_.families.size() >= max_cached_families) cache_.families.clear();
    return cache_.families.insert(family, value);
}

double Criterion::local(int child, std::span<const int> parents) {
    ++calls_;
    Key wanted = key(child, parents);
    if (const double* found = cache_.families.find(wanted)) return *found;
    ++scored_;
    std::int32_t children[] = {child};
    std::int64_t offsets[] = {0, static_cast<std::int64_t>(parents.size())};
    double value = 0.0;
    scorer_.local({children, offsets, parents}, &value, 1);
    if (std::isnan(value)) throw NotANumber();
    return keep(wanted, total(value, prior_.of_family(child, parents)));
}

void Criterion::toggled(std::span<const Toggles> children) {
    additions_.resize(std::max(additions_.size(), children.size()));
    values_.resize(additions_.size());
    extensions_.clear();
    for (std::size_t k = 0; k < children.size(); ++k) {
        split(children[k], additions_[k]);
        values_[k].resize(additions_[k].size());
        extensions_.push_back({children[k].child, children[k].parents, additions_[k], values_[k].data()});
    }
    scorer_.extended(extensions_, threads_);
    for (std::size_t k = 0; k < children.size(); ++k) take(children[k], additions_[k], values_[k].data());
}

// Looks up what is in the cache, and scores families that lose a parent, which are few; the rest are `additions`.
void Criterion::split(const Toggles& child, std::vector<int>& additions) {
    Key base = key(child.child, child.parents);
    const double* sweep = cache_.sweeps.find(base);
    bool is_large = child.candidates.size() > max_cached_sweep;
    additions.clear();
    for (std::size_t i = 0; i < child.candidates.size(); ++i) {
        int u = child.candidates[i];
        if (std::binary_search(child.parents.begin(), child.parents.end(), u)) {
            family_.assign(child.parents.begin(), child.parents.end());
            std::erase(family_, u);
            child.out[i] = local(child.child, family_);
            continue;
        }
        ++calls_;
        const double* found = is_large ? nullptr : cache_.families.find(base + keys_.condition(u));
        if (sweep && !std::isnan(sweep[u])) found = sweep + u;
        if (found) {
            child.out[i] = *found;
        } else {
            additions.push_back(u);
        }
    }
}

void Criterion::take(const Toggles& child, std::span<const int> additions, const double* scores) {
    if (additions.empty()) return;
    Key base = key(child.child, child.parents);
    bool is_large = child.candidates.size() > max_cached_sweep;
    double* sweep = is_large ? cache_.sweeps.insert(base, at(variables())) : nullptr;
    scored_ += static_cast<std::int64_t>(additions.size());
    double log_prior = prior_.of_size(child.child, child.parents.size() + 1);
    for (int p : child.parents) log_prior += prior_.of_arc(p, child.child);
    for (std::size_t i = 0, k = 0; k < additions.size(); ++i) {
        int u = child.candidates[i];
        if (u != additions[k]) continue;
        double value = total(scores[k], log_prior + prior_.of_arc(u, child.child));
        child.out[i] = value;
        if (sweep) {
            sweep[u] = value;
        } else {
            keep(base + keys_.condition(u), value);
        }
        ++k;
    }
}

}  // namespace veridag
