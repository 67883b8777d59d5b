// The posterior over structures.
#include "posterior/exact/posterior.hpp"
#include "bind/objects.hpp"
#include "index.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

using NewSquare = nb::ndarray<double, nb::numpy, nb::ndim<2>, nb::c_contig>;

NewSquare square_array(const std::vector<double>& values, int n) {
    auto [memory, owner] = owned<double>(values.size());
    std::copy(values.begin(), values.end(), memory);
    return NewSquare(memory, {at(n), at(n)}, owner);
}

// From a set of variables, as bits, that must be parents of each, and one of those that must not.
ParentRules rules_of(int n, const std::vector<std::uint32_t>& present, const std::vector<std::uint32_t>& absent) {
    if (present.size() != at(n) || absent.size() != at(n)) throw nb::value_error("there is one rule a variable");
    ParentRules rules;
    for (std::size_t v = 0; v < present.size(); ++v) rules.push_back({present[v], absent[v]});
    return rules;
}

// Calls compute(progress) without the GIL; what the progress raised is thrown, interrupts as well.
template <class Compute>
auto without_lock(ProgressCallback callback, Compute compute) {
    PyProgress progress(std::move(callback));
    auto found = [&] {
        nb::gil_scoped_release unlocked;
        return compute(static_cast<Progress&>(progress));
    }();
    progress.throw_any();
    return found;
}

ExactPosterior make_posterior(int variables, Int64s offsets, Doubles scores, Doubles priors, Int64s parent_offsets,
                              Int32s parents, bool orders, int threads, ProgressCallback callback) {
    WeightedFamilies families(variables, view(offsets), view(scores), view(priors), view(parent_offsets),
                              view(parents));
    return without_lock(std::move(callback), [&](Progress& progress) {
        return ExactPosterior(std::move(families), orders ? Counted::orders : Counted::dags, threads, progress);
    });
}

}  // namespace

void bind_posterior(nb::module_& m) {
    nb::class_<ExactPosterior>(m, "ExactPosterior", "The exact posterior over DAGs, or over DAGs and orders.")
        .def(
            "__init__",
            [](ExactPosterior* self, int variables, Int64s offsets, Doubles scores, Doubles priors,
               Int64s parent_offsets, Int32s parents, bool orders, int threads, ProgressCallback callback) {
                new (self) ExactPosterior(make_posterior(variables, offsets, scores, priors, parent_offsets, parents,
                                                         orders, threads, std::move(callback)));
            },
            "variables"_a, "offsets"_a.noconvert(), "scores"_a.noconvert(), "priors"_a.noconvert(),
            "parent_offsets"_a.noconvert(), "parents"_a.noconvert(), "orders"_a, "threads"_a, "progress"_a.none())
        .def_prop_ro("finished", &ExactPosterior::finished)
        .def_prop_ro("log_sum", &ExactPosterior::log_sum, "The logarithm of the sum of all weights.")
        .def_prop_ro("residual", &ExactPosterior::residual,
                     "How far apart are numbers that are the same without rounding.")
        .def(
            "arcs",
            [](const ExactPosterior& self, int threads) {
                std::vector<double> found;
                {
                    nb::gil_scoped_release unlocked;
                    found = self.arcs(threads);
                }
                return square_array(found, self.variables());
            },
            "threads"_a, "P(u -> v).")
        .def(
            "ancestors", [](const ExactPosterior& self) { return square_array(self.ancestors(), self.variables()); },
            "P(there is a path from u to v); only where each DAG counts once.")
        .def(
            "probability",
            [](const ExactPosterior& self, const std::vector<std::uint32_t>& present,
               const std::vector<std::uint32_t>& absent, int threads, ProgressCallback callback) {
                ParentRules rules = rules_of(self.variables(), present, absent);
                return without_lock(std::move(callback),
                                    [&](Progress& progress) { return self.probability(rules, threads, progress); });
            },
            "present"_a, "absent"_a, "threads"_a, "progress"_a.none(),
            "P(each variable has these parents, and none of those): sets of variables as bits.")
        .def(
            "log_prior_sum",
            [](const ExactPosterior& self, int threads, ProgressCallback callback) {
                return without_lock(std::move(callback),
                                    [&](Progress& progress) { return self.log_prior_sum(threads, progress); });
            },
            "threads"_a, "progress"_a.none(), "The logarithm of the sum of the prior's weights alone.");
    m.def(
        "posterior_bytes",
        [](int variables, bool orders) { return posterior_bytes(variables, orders ? Counted::orders : Counted::dags); },
        "variables"_a, "orders"_a, "The memory that the exact posterior needs, without the score table.");
    m.def("dag_sum_terms", &dag_sum_terms, "variables"_a, "The terms of the sums over all DAGs, at most.");
    m.def("dag_sum_error", &dag_sum_error, "variables"_a, "A bound on the rounding error of the sums over all DAGs.");
    m.attr("MAX_DAG_SUM_VARIABLES") = max_dag_sum_variables;
    m.attr("MAX_POSTERIOR_VARIABLES") = max_posterior_variables;
}

}  // namespace veridag::binding
