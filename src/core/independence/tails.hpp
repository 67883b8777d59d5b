// Upper tails of the distributions that tests of independence are held against, as logarithms: evidence can be compared
// far beyond where a p-value itself becomes 0.
#pragma once

namespace veridag {

// log P(chi-square with df degrees of freedom > statistic); 0 for df = 0 or infinite df.
double log_chi_square_tail(double statistic, double df);

// log P(|Student's t with df degrees of freedom| > |t|).
double log_student_tail(double t, double df);

}  // namespace veridag
