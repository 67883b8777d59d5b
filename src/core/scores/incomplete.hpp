// The penalised node-average likelihood of discrete data with missing values: the likelihood of a family in the rows in
// which all of it is observed, scaled to all rows. The C++ version of src/veridag/criteria/scores/pnal.py.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "counts/counter.hpp"
#include "counts/keys.hpp"
#include "counts/sweep.hpp"
#include "scores/batch.hpp"
#include "scores/functions.hpp"
#include "table/incomplete_data.hpp"

namespace veridag {

class IncompleteLocalScorer : public LocalScorer {
   public:
    // `penalty` of a parameter; a family with parents needs at least `least` observations.
    IncompleteLocalScorer(std::shared_ptr<const IncompleteData> data, double penalty, double least)
        : shared_(std::move(data)),
          data_(*shared_),
          penalty_(penalty),
          least_(least),
          counter_(data_.table),
          sweep_(data_.table) {}

    double local(int child, std::span<const int> parents) override;
    void extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out) override;

   private:
    // sum of n_ijk log(n_ijk / n_ij) over what is observed, and how many observations that is.
    struct Fit {
        double log_likelihood = 0.0;
        Count n = 0;
    };
    Fit dense(int child, std::span<const Count> cells);
    Fit sparse(int child);
    double score(const Fit& fit, double r, double q, bool has_parents) const;

    std::shared_ptr<const IncompleteData> shared_;
    const IncompleteData& data_;
    double penalty_, least_;
    Counter counter_;
    Sweep sweep_;
    LentFunctions functions_;
    RowKeys keys_;
    std::vector<int> variables_, states_;
    std::vector<char> hidden_;
    std::vector<Count> tallies_;
};

}  // namespace veridag
