#include "scores/criterion.hpp"

#include <algorithm>
#include <cmath>

namespace veridag {

Criterion::Criterion(BatchScorer& scorer, PriorTerms prior, int threads, FamilyCache* cache)
    : scorer_(scorer),
      prior_(prior),
      threads_(threads),
      cache_(cache ? *cache : own_),
      cached_before_(cache_.size()),
      keys_(variables()) {}

double Criterion::keep(const Key& family, double score, double log_prior) {
    bool ruled_out = std::isinf(score) || log_prior == minus_infinity;
    return cache_.insert(family, ruled_out ? minus_infinity : score + log_prior);
}

double Criterion::local(int child, std::span<const int> parents) {
    ++calls_;
    Key wanted = key(child, parents);
    if (const double* found = cache_.find(wanted)) return *found;
    std::int32_t children[] = {child};
    std::int64_t offsets[] = {0, static_cast<std::int64_t>(parents.size())};
    double value = 0.0;
    scorer_.local({children, offsets, parents}, &value, 1);
    return keep(wanted, value, prior_.of_family(child, parents));
}

void Criterion::toggled(int child, std::span<const int> parents, std::span<const int> candidates, double* out) {
    Key base = key(child, parents);
    additions_.clear();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        int u = candidates[i];
        if (std::binary_search(parents.begin(), parents.end(), u)) {
            family_.assign(parents.begin(), parents.end());
            std::erase(family_, u);
            out[i] = local(child, family_);
            continue;
        }
        ++calls_;
        if (const double* found = cache_.find(base + keys_.condition(u))) {
            out[i] = *found;
        } else {
            additions_.push_back(u);
        }
    }
    if (additions_.empty()) return;
    values_.resize(additions_.size());
    scorer_.extended(child, parents, additions_, values_.data(), threads_);
    for (std::size_t i = 0, k = 0; k < additions_.size(); ++i) {
        if (candidates[i] != additions_[k]) continue;
        family_.assign(parents.begin(), parents.end());
        family_.push_back(additions_[k]);
        out[i] = keep(base + keys_.condition(additions_[k]), values_[k], prior_.of_family(child, family_));
        ++k;
    }
}

}  // namespace veridag
