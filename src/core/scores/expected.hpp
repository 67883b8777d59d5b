// A discrete score of expected counts: what structural EM maximises (Friedman 1997, 1998).
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "counts/expected.hpp"
#include "scores/batch.hpp"
#include "scores/discrete.hpp"
#include "scores/functions.hpp"

namespace veridag {

class ExpectedLocalScorer : public LocalScorer {
   public:
    ExpectedLocalScorer(const Completions& all, std::shared_ptr<const DiscreteScore> score)
        : counter_(all), score_(std::move(score)) {}

    double local(int child, std::span<const int> parents) override {
        (*functions_).forget_if_large();
        return score_->expected(counter_.family(child, parents), *functions_);
    }

    void extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out) override {
        (*functions_).forget_if_large();
        auto act = [&](std::size_t i, const ExpectedCounts& counts) { out[i] = score_->expected(counts, *functions_); };
        if (!counter_.extended(child, parents, candidates, act))
            return LocalScorer::extended(child, parents, candidates, out);
        for (std::size_t i : counter_.left_out()) out[i] = with(child, parents, candidates[i]);
    }

   private:
    ExpectedCounter counter_;
    std::shared_ptr<const DiscreteScore> score_;
    LentFunctions functions_;
};

}  // namespace veridag
