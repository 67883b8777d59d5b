// Random integers.
#pragma once

#include "random.hpp"

namespace veridag::partition {

// Uniform on 0, ..., n - 1.
inline int below(int n, Stream& random) { return static_cast<int>(random.uniform() * n); }

}  // namespace veridag::partition
