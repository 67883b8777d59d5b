// The module: this folder alone sees Python.
#include <cmath>

#include "bind/objects.hpp"
#include "counts/bits.hpp"
#include "independence/tails.hpp"
#include "scores/functions.hpp"

using namespace nb::literals;

NB_MODULE(_core, m) {
    using namespace veridag;
    // Data that still lives when the interpreter ends, as in any script, keeps its table: that is no leak to warn of.
    nb::set_leak_warnings(false);
    m.doc() = "The compiled part of veridag. Its callers have checked what they pass; users call veridag itself.";

    binding::bind_graph(m);
    binding::bind_sampling(m);
    binding::bind_inference(m);
    binding::bind_prediction(m);
    binding::bind_scores(m);
    binding::bind_expected(m);
    binding::bind_independence(m);
    binding::bind_search(m);
    binding::bind_constraint(m);
    binding::bind_exact(m);
    binding::bind_posterior(m);
    binding::bind_partition(m);
    m.def("log_chi_square_tail", &log_chi_square_tail, "statistic"_a, "df"_a,
          "The logarithm of the upper tail of chi-square.");
    m.def("log_student_tail", &log_student_tail, "t"_a, "df"_a,
          "The logarithm of both tails of Student's distribution.");
    m.def("log_gamma", &log_gamma, "x"_a, "The logarithm of the gamma function.");
    m.def(
        "log_complexity", [](Count n, double k) { return log_complexity(n, k, std::log(k)); }, "n"_a, "k"_a,
        "The logarithm of the multinomial complexity C(n, k).");
    m.def("bit_kernels", [] { return std::string(bit_kernels().name); }, "Which instructions count bits.");
    m.def("use_bit_kernels", &use_bit_kernels, "name"_a,
          "Count bits by these instructions from now on; false if the machine lacks them.");
}
