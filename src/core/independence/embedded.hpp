// The likelihood ratio of blocks of columns that are taken for jointly Gaussian: the C++ version of
// veridag.criteria.independence.degenerate_g2.
#pragma once

#include <span>
#include <vector>

#include "independence/conditional_gaussian.hpp"
#include "scores/embedded.hpp"

namespace veridag {

class EmbeddedRatio {
   public:
    explicit EmbeddedRatio(EmbeddedData data) : data_(std::move(data)) {}

    ChiSquare of(int x, int y, std::span<const int> given);

   private:
    void append(int v);
    // Takes column p out of those after it, in a matrix of k columns.
    static void regress(std::vector<double>& matrix, std::size_t k, std::size_t p);

    EmbeddedData data_;
    std::vector<std::size_t> columns_;
    std::vector<double> work_, alone_;
};

}  // namespace veridag
