// A test whose rows depend on the pair: with interventions, those in which neither variable was set. Each pair has one
// of several tests, bound to tables with the same variables and different rows.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "independence/decision.hpp"
#include "index.hpp"

namespace veridag {

class ByPairTest : public PairTest {
   public:
    // `which` (variables x variables) has the place of the test of each pair, or -1 if there are no rows for it: then
    // the two count as independent, as where there are too few.
    ByPairTest(std::vector<std::unique_ptr<PairTest>> tests, std::vector<int> which, int variables)
        : tests_(std::move(tests)), which_(std::move(which)), variables_(variables) {}

    Decision of(int x, int y, std::span<const int> given) override {
        int k = place(x, y);
        return k < 0 ? Decision{} : tests_[at(k)]->of(x, y, given);
    }

    bool may_be_reliable(int x, int y, std::span<const int> given) const override {
        int k = place(x, y);
        return k < 0 || tests_[at(k)]->may_be_reliable(x, y, given);
    }

   private:
    int place(int x, int y) const { return which_[at(x, y, variables_)]; }

    std::vector<std::unique_ptr<PairTest>> tests_;
    std::vector<int> which_;
    int variables_;
};

}  // namespace veridag
