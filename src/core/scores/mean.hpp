// The mean of a score over several data sets with the same variables: completions of one that has gaps.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "scores/batch.hpp"

namespace veridag {

class MeanLocalScorer : public LocalScorer {
   public:
    explicit MeanLocalScorer(std::vector<std::unique_ptr<LocalScorer>> scorers) : scorers_(std::move(scorers)) {}

    double local(int child, std::span<const int> parents) override {
        double sum = 0.0;
        for (auto& scorer : scorers_) sum += scorer->local(child, parents);
        return mean(sum);
    }

    void extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out) override {
        sums_.assign(candidates.size(), 0.0);
        for (auto& scorer : scorers_) {
            scorer->extended(child, parents, candidates, out);
            for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += out[i];
        }
        for (std::size_t i = 0; i < sums_.size(); ++i) out[i] = mean(sums_[i]);
    }

   private:
    // A family that is singular in one data set is singular, whatever it is in the others.
    double mean(double sum) const {
        return std::isnan(sum) ? std::numeric_limits<double>::infinity() : sum / static_cast<double>(scorers_.size());
    }

    std::vector<std::unique_ptr<LocalScorer>> scorers_;
    std::vector<double> sums_;
};

}  // namespace veridag
