// The penalised node-average likelihood of continuous, or discrete and continuous, data with missing values. The C++
// version of src/veridag/criteria/scores/pnal.py.
#pragma once

#include <span>
#include <vector>

#include "counts/keys.hpp"
#include "scores/batch.hpp"
#include "scores/functions.hpp"
#include "table/mixed_table.hpp"

namespace veridag {

// Missing values are a state of their own in discrete columns, the last, and not a number in continuous ones.
class IncompleteMixedLocalScorer : public LocalScorer {
   public:
    // `arities` are those of the discrete columns, by place, without that state; `penalty` is that of a parameter. A
    // family with parents needs at least `least` observations.
    IncompleteMixedLocalScorer(const MixedTable& table, std::vector<int> arities, double penalty, double least)
        : table_(table), arities_(std::move(arities)), penalty_(penalty), least_(least) {}

    double local(int child, std::span<const int> parents) override;

   private:
    // Finds the rows in which the family is observed, and how many observations they are.
    void find_rows();
    void number_rows(std::span<const int> discrete);
    // Scores in these rows. Members are places; the child of `of_continuous` comes last.
    double of_discrete(int child);
    double of_continuous(std::span<const int> discrete, std::span<const int> members);
    double log_likelihood(std::size_t strata, std::span<const int> members);
    void add_scatter(std::span<const int> members);
    double residual_scatter(std::size_t stratum, std::size_t k);

    const MixedTable& table_;
    std::vector<int> arities_;
    double penalty_, least_;
    LentFunctions functions_;
    RowKeys keys_;
    std::vector<int> discrete_, continuous_, members_, with_child_;
    std::vector<char> is_hidden_, varies_;
    std::vector<std::size_t> rows_;
    double n_ = 0.0;
    std::vector<Count> tallies_;
    std::vector<double> weights_, means_, first_, scatter_, work_;
};

}  // namespace veridag
