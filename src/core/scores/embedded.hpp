// The degenerate Gaussian score (Andrews, Ramsey and Cooper 2019): every variable is a block of columns, a discrete one
// the indicators of its states but one, and the columns of all are taken for jointly Gaussian.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "scores/batch.hpp"

namespace veridag {

struct EmbeddedData {
    const double* scatter;   // columns x columns
    std::vector<int> first;  // the first column of each variable, and at the end the number of columns
    double n;

    int variables() const { return static_cast<int>(first.size()) - 1; }
    int columns() const { return first.back(); }
    int width(int v) const { return first[at(v) + 1] - first[at(v)]; }
};

// The likelihood of a block given its parents' blocks, less a penalty for each parameter.
std::unique_ptr<LocalScorer> make_embedded_scorer(const EmbeddedData& data, double penalty);

}  // namespace veridag
