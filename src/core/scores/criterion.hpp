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

// A child with its parents, and candidates each to be added to them, or taken away if it is one of them. The parents
// ascend.
struct Toggles {
    int child;
    std::span<const int> parents, candidates;
    double* out;  // where the local score with each candidate goes
};

// A family that is singular or that the prior rules out has minus infinity.
class Criterion {
   public:
    // With a cache, later searches find there what this one computed; they must have the same score and prior.
    Criterion(BatchScorer& scorer, PriorTerms prior, int threads, ScoreCache* cache = nullptr);
    Criterion(const Criterion&) = delete;
    Criterion& operator=(const Criterion&) = delete;

    int variables() const { return scorer_.variables(); }

    // Parents in ascending order.
    double local(int child, std::span<const int> parents);

    // The local scores of one child, or of several. Where more than `max_cached_sweep` candidates are added to a child,
    // they are cached as one piece: finding each on its own would take as long as scoring it.
    void toggled(std::span<const Toggles> children);
    void toggled(const Toggles& child) { toggled({&child, 1}); }
    void toggled(int child, std::span<const int> parents, std::span<const int> candidates, double* out) {
        toggled({child, parents, candidates, out});
    }

    // How many local scores were asked for, and how many families were scored because they were not in the cache. These
    // are all different unless the cache was full at some time.
    std::int64_t calls() const { return calls_; }
    std::int64_t distinct_calls() const { return scored_; }

    static constexpr std::size_t max_cached_sweep = 256;

   private:
    Key key(int child, std::span<const int> parents) const { return keys_.subject(child) + keys_.conditions(parents); }
    double keep(const Key& family, double value);
    void split(const Toggles& child, std::vector<int>& additions);
    void take(const Toggles& child, std::span<const int> additions, const double* scores);

    BatchScorer& scorer_;
    PriorTerms prior_;
    int threads_;
    std::int64_t calls_ = 0, scored_ = 0;
    ScoreCache own_;
    ScoreCache& cache_;
    VariableKeys keys_;
    std::vector<int> family_;
    // Of each child, the candidates that are scored now and their scores.
    std::vector<std::vector<int>> additions_;
    std::vector<std::vector<double>> values_;
    std::vector<Extensions> extensions_;
};

}  // namespace veridag
