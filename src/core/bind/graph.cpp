// Graphs: equivalence classes, interventions, random DAGs.
#include "bind/objects.hpp"
#include "graph/equivalence.hpp"
#include "graph/intervention.hpp"
#include "graph/random_dag.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

NewMatrix chain_dag(int n, std::int64_t arcs, std::int64_t steps, std::uint64_t seed) {
    if (n < 0) throw nb::value_error("the number of variables is negative");
    PyProgress progress{std::nullopt};
    Matrix found;
    {
        nb::gil_scoped_release unlocked;
        found = random_dag(n, {arcs, steps, seed}, progress);
    }
    progress.throw_any();
    return to_numpy(found);
}

}  // namespace

void bind_graph(nb::module_& m) {
    m.def(
        "cpdag", [](BoolMatrix dag) { return to_numpy(cpdag(to_matrix(dag))); }, "dag"_a.noconvert(),
        "The completed PDAG of a DAG's equivalence class.");
    m.def(
        "extend",
        [](BoolMatrix pdag) {
            Extension found = extend(to_matrix(pdag));
            return std::pair(to_numpy(found.dag), to_numpy(found.stuck));
        },
        "pdag"_a.noconvert(),
        "A DAG that extends the PDAG, and the variables on which the search was stuck (none if it succeeded).");
    m.def(
        "meek", [](BoolMatrix pdag) { return to_numpy(meek(to_matrix(pdag))); }, "pdag"_a.noconvert(),
        "The closure of a PDAG under Meek's rules.");
    m.def(
        "wrong_effects",
        [](BoolMatrix truth, BoolMatrix estimate) {
            return to_numpy(wrong_effects(to_matrix(truth), square_of(estimate, size_of(truth))));
        },
        "truth"_a.noconvert(), "estimate"_a.noconvert(),
        "Whether the effect of i on j is wrong when i is adjusted for its parents in the estimate, a DAG.");
    m.def(
        "intervention_bounds",
        [](BoolMatrix truth, BoolMatrix cpdag, std::size_t limit) {
            InterventionBounds found = intervention_bounds(to_matrix(truth), square_of(cpdag, size_of(truth)), limit);
            return std::tuple(found.lower, found.upper, found.too_large);
        },
        "truth"_a.noconvert(), "cpdag"_a.noconvert(), "limit"_a,
        "The least and greatest number of wrong effects in the class of a CPDAG, and the component that was too large "
        "(empty if none was).");
    m.def("chain_dag", &chain_dag, "n"_a, "arcs"_a, "steps"_a, "seed"_a,
          "A DAG by a Markov chain that is uniform in the end; arcs is -1 for any number.");
}

}  // namespace veridag::binding
