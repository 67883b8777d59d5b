// Many families in one call, over threads. Each worker keeps its own memory between calls; results do not depend on
// which worker scored a family, so neither on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <vector>

#include "counts/counter.hpp"
#include "counts/sweep.hpp"
#include "scores/discrete.hpp"
#include "scores/gaussian.hpp"

namespace veridag {

// Families one after the other: family i has the child children[i] and the parents parents[offsets[i]] ... up to
// offsets[i + 1].
struct Families {
    std::span<const std::int32_t> children;
    std::span<const std::int64_t> offsets;
    std::span<const std::int32_t> parents;

    std::size_t size() const { return children.size(); }
    std::span<const std::int32_t> parents_of(std::size_t i) const {
        return parents.subspan(static_cast<std::size_t>(offsets[i]),
                               static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    }
};

// Throws std::invalid_argument unless every index is a variable and no parent is its child or there twice.
void check(const Families& families, int variables);

// A child with its parents, in ascending order, and each of several candidates that is no parent yet.
struct Extensions {
    int child;
    std::span<const int> parents, candidates;
    double* out;  // where the score with each candidate goes
};

// A local score is NaN. A search would pass over such a family without a word, so it ends instead.
struct NotANumber : std::domain_error {
    NotANumber() : std::domain_error("a local score is not a number") {}
};

// A score bound to data, as one thread uses it.
class LocalScorer {
   public:
    virtual ~LocalScorer() = default;
    virtual double local(int child, std::span<const int> parents) = 0;

    // The scores of a child with its parents, in ascending order, and one candidate more, for each of several. By
    // default one after the other.
    virtual void extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out);

    // As many candidates are worth a thread: what they share is counted anew for each task.
    static constexpr std::size_t most_a_task = 512;
    virtual std::size_t candidates_a_task() const { return most_a_task; }

   protected:
    double with(int child, std::span<const int> parents, int candidate);

   private:
    std::vector<int> family_;
};

class BatchScorer {
   public:
    using Factory = std::function<std::unique_ptr<LocalScorer>()>;

    BatchScorer(int variables, Factory make) : variables_(variables), make_(std::move(make)) {}

    int variables() const { return variables_; }
    // NaN is left to the caller here, and thrown by `extended`.
    void local(const Families& families, double* out, int threads);
    void extended(std::span<const Extensions> children, int threads);

   private:
    void have_workers(std::size_t number);

    int variables_;
    Factory make_;
    std::mutex one_call_at_a_time_;
    std::vector<std::unique_ptr<LocalScorer>> workers_;
};

class DiscreteLocalScorer : public LocalScorer {
   public:
    DiscreteLocalScorer(const Table& table, const DiscreteScore& score)
        : counter_(table), sweep_(table), score_(score) {}
    double local(int child, std::span<const int> parents) override {
        (*functions_).forget_if_large();
        return score_.local(counter_.family(child, parents), *functions_);
    }
    void extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out) override;
    std::size_t candidates_a_task() const override;

   private:
    Counter counter_;
    Sweep sweep_;
    const DiscreteScore& score_;
    LentFunctions functions_;
};

class GaussianLocalScorer : public LocalScorer {
   public:
    explicit GaussianLocalScorer(std::unique_ptr<GaussianScore> score) : score_(std::move(score)) {}
    double local(int child, std::span<const int> parents) override { return score_->local(child, parents); }
    void extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out) override {
        score_->extended(child, parents, candidates, out);
    }

   private:
    std::unique_ptr<GaussianScore> score_;
};

}  // namespace veridag
