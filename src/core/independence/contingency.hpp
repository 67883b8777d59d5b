// G2 and X2 of a pair of discrete variables given others, the C++ versions of veridag.criteria.independence. From the
// rows in which all variables are observed.
#pragma once

#include <span>
#include <vector>

#include "counts/counter.hpp"
#include "scores/functions.hpp"

namespace veridag {

struct ContingencyStatistics {
    Count n = 0;  // observations
    double g2 = 0.0;
    double x2 = 0.0;
    double strata = 1.0;       // possible configurations of the conditioning variables, L
    double adjusted_df = 0.0;  // sum over strata of (states of X observed - 1)(states of Y observed - 1)
};

class Contingency {
   public:
    explicit Contingency(const Table& table) : counter_(table) {}

    ContingencyStatistics of(int x, int y, std::span<const int> given);

   private:
    // One stratum's table of counts, R x C.
    void add_stratum(const Count* counts, std::size_t R, std::size_t C, ContingencyStatistics& sums);
    void add_sparse(int x, int y, std::span<const int> given, ContingencyStatistics& sums);

    Counter counter_;
    Functions functions_;
    std::vector<int> variables_;
    std::vector<Count> row_sums_, column_sums_;
    RowKeys keys_;
    std::vector<char> hidden_;
};

}  // namespace veridag
