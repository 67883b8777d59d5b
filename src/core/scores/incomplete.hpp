// The penalised node-average likelihood of discrete data with missing values: the likelihood of a family in the rows in
// which all of it is observed, scaled to all rows. The C++ version of src/veridag/criteria/scores/pnal.py.
#pragma once

#include <span>

#include "counts/counter.hpp"
#include "counts/sweep.hpp"
#include "scores/batch.hpp"
#include "scores/functions.hpp"
#include "table/incomplete_data.hpp"

namespace veridag {

class IncompleteLocalScorer : public LocalScorer {
   public:
    // `penalty` of a parameter; a family with parents needs at least `least` observations.
    IncompleteLocalScorer(const Table& table, double penalty, double least)
        : table_(table), penalty_(penalty), least_(least), counter_(table), sweep_(table) {}

    double local(int child, std::span<const int> parents) override;
    void extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out) override;

   private:
    // From the sum of n_ijk log(n_ijk / n_ij) over n observations.
    double score(double log_likelihood, Count n, double r, double q, bool has_parents) const;

    const Table& table_;
    double penalty_, least_;
    Counter counter_;
    Sweep sweep_;
    LentFunctions functions_;
};

}  // namespace veridag
