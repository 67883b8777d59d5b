// The module: this folder alone sees Python.
#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/objects.hpp"
#include "counts/bits.hpp"
#include "counts/scatter.hpp"
#include "elementary.hpp"
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
    m.def("log", &elementary::log, "x"_a, "The natural logarithm, the same bits on every machine.");
    m.def(
        "log",
        [](const binding::Doubles& x) {
            auto [values, owner] = binding::owned<double>(x.shape(0));
            std::transform(x.data(), x.data() + x.shape(0), values, elementary::log);
            return binding::NewDoubles(values, {x.shape(0)}, owner);
        },
        "x"_a.noconvert(), "Of each number.");
    m.def("log1p", &elementary::log1p, "x"_a, "The natural logarithm of 1 + x, the same bits on every machine.");
    m.def(
        "scatter",
        [](const binding::DoubleMatrix& columns, const std::optional<binding::Doubles>& weights) {
            std::size_t count = columns.shape(0), rows = columns.shape(1);
            if (weights && weights->shape(0) != rows) throw nb::value_error("weights must be as many as the rows");
            auto [values, owner] = binding::owned<double>(count * count);
            {
                nb::gil_scoped_release unlocked;
                scatter(columns.data(), count, rows, weights ? weights->data() : nullptr, values);
            }
            return nb::ndarray<double, nb::numpy, nb::ndim<2>, nb::c_contig>(values, {count, count}, owner);
        },
        "columns"_a.noconvert(), "weights"_a.noconvert() = nb::none(),
        "The sums of products of any two columns, each a row of the array, the same bits on every machine.");
    m.def("log_chi_square_tail", &log_chi_square_tail, "statistic"_a, "df"_a,
          "The logarithm of the upper tail of chi-square.");
    m.def("log_student_tail", &log_student_tail, "t"_a, "df"_a,
          "The logarithm of both tails of Student's distribution.");
    m.def("log_gamma", &log_gamma, "x"_a, "The logarithm of the gamma function.");
    m.def(
        "log_complexity", [](Count n, double k) { return log_complexity(n, k, elementary::log(k)); }, "n"_a, "k"_a,
        "The logarithm of the multinomial complexity C(n, k).");
    m.def("bit_kernels", [] { return std::string(bit_kernels().name); }, "Which instructions count bits.");
    m.def("use_bit_kernels", &use_bit_kernels, "name"_a,
          "Count bits by these instructions from now on; false if the machine lacks them.");
}
