// What a search maximises: a local score plus the terms of the prior, with a cache by family.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cache.hpp"
#include "scores/batch.hpp"
#include "scores/prior.hpp"
#include "scores/ties.hpp"

namespace veridag {

// A family that is singular or that the prior rules out has minus infinity.
class Criterion {
   public:
    // With a cache, later searches find there what this one computed; they must have the same score and prior.
    Criterion(BatchScorer& scorer, PriorTerms prior, int threads, FamilyCache* cache = nullptr);
    Criterion(const Criterion&) = delete;
    Criterion& operator=(const Criterion&) = delete;

    int variables() const { return scorer_.variables(); }

    // Parents in ascending order.
    double local(int child, std::span<const int> parents);

    // The local scores of `child` with each candidate added to the parents, or taken away from them if it is one of
    // them.
    void toggled(int child, std::span<const int> parents, std::span<const int> candidates, double* out);

    // How many local scores were asked for, and for how many different families that were not in the cache.
    std::int64_t calls() const { return calls_; }
    std::int64_t distinct_calls() const { return static_cast<std::int64_t>(cache_.size() - cached_before_); }

   private:
    Key key(int child, std::span<const int> parents) const { return keys_.subject(child) + keys_.conditions(parents); }
    double keep(const Key& family, double score, double log_prior);

    BatchScorer& scorer_;
    PriorTerms prior_;
    int threads_;
    std::int64_t calls_ = 0;
    FamilyCache own_;
    FamilyCache& cache_;
    std::size_t cached_before_;
    VariableKeys keys_;
    std::vector<int> additions_, family_;
    std::vector<double> values_;
};

}  // namespace veridag
