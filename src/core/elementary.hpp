// Logarithm and exponential in plain double arithmetic: every machine that follows IEEE 754 computes the same bits. The
// C library's versions differ in the last digit between processors with and without fused operations and between
// systems, and such a digit decides between scores that tie.
#pragma once

namespace veridag::elementary {

// All are within 0.52 units in the last place, exp within one where its result is subnormal. Arguments without a result
// give what the C library gives.
double log(double x);
double log1p(double x);  // log(1 + x)
double exp(double x);

}  // namespace veridag::elementary
