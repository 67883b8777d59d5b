// Sums of products of columns.
#pragma once

#include <cstddef>

namespace veridag {

// The matrix of the sums of w x_i x_j over all rows. `columns` has one column after the other, each with `rows`
// numbers; without weights w is 1. The order of additions does not depend on the machine, as that of a BLAS does.
void scatter(const double* columns, std::size_t count, std::size_t rows, const double* weights, double* out);

}  // namespace veridag
