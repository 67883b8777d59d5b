// A score whose rows depend on the child: with interventions, those in which the child was not set (Cooper and Yoo
// 1999). Each child has one of several scorers, bound to tables with the same variables and different rows.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "index.hpp"
#include "scores/batch.hpp"

namespace veridag {

class ByChildLocalScorer : public LocalScorer {
   public:
    // `which` has the place of the scorer of each variable.
    ByChildLocalScorer(std::vector<std::unique_ptr<LocalScorer>> scorers, std::vector<int> which)
        : scorers_(std::move(scorers)), which_(std::move(which)) {}

    double local(int child, std::span<const int> parents) override { return of(child).local(child, parents); }
    void extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out) override {
        of(child).extended(child, parents, candidates, out);
    }

   private:
    LocalScorer& of(int child) { return *scorers_[at(which_[at(child)])]; }

    std::vector<std::unique_ptr<LocalScorer>> scorers_;
    std::vector<int> which_;
};

}  // namespace veridag
