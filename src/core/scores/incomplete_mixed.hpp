// The penalised node-average likelihood of continuous, or discrete and continuous, data with missing values. The C++
// version of src/veridag/criteria/scores/pnal.py.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "counts/observed_moments.hpp"
#include "counts/strata.hpp"
#include "scores/batch.hpp"
#include "scores/functions.hpp"
#include "scores/incomplete.hpp"
#include "table/mixed_table.hpp"

namespace veridag {

class IncompleteMixedLocalScorer : public LocalScorer {
   public:
    // `penalty` is that of a parameter. A family with parents needs at least `least` observations.
    IncompleteMixedLocalScorer(const MixedTable& table, std::shared_ptr<const ObservedMoments> moments, double penalty,
                               double least)
        : table_(table),
          moments_(std::move(moments)),
          penalty_(penalty),
          least_(least),
          all_discrete_(table.discrete(), penalty, least) {}

    double local(int child, std::span<const int> parents) override;

   private:
    double of_moments(int child);
    // Marks the rows in which the family is not observed.
    void find_hidden();
    // Scores in the other rows, of which there are n. Members are places; the child of `of_continuous` comes last.
    double of_discrete(int child, const Strata& without, const Strata& with, double n);
    double of_continuous(Strata& strata, std::span<const int> discrete, std::span<const int> members, double n);
    double log_likelihood(double residual, double n) const;
    double configurations(std::span<const int> discrete) const;

    const MixedTable& table_;
    std::shared_ptr<const ObservedMoments> moments_;
    double penalty_, least_;
    IncompleteLocalScorer all_discrete_;
    ObservedMoments::Workspace summing_;
    Strata::Workspace sorting_;
    LentFunctions functions_;
    std::vector<int> discrete_, continuous_, members_, with_child_;
    std::vector<char> hidden_;
    std::vector<double> scatter_, own_;
};

}  // namespace veridag
