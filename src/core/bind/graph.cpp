// The part of the binding that is about graphs and sampling.
#include "bind/objects.hpp"
#include "graph/equivalence.hpp"
#include "graph/intervention.hpp"
#include "graph/random_dag.hpp"
#include "sampling/sample.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

void check_structure(const std::vector<std::vector<int>>& parents, const std::vector<int>& order, std::size_t nodes) {
    if (parents.size() != nodes || order.size() != nodes) throw nb::value_error("parents, order and parameters differ in length");
    std::vector<char> seen(nodes, 0);
    for (int v : order) {
        if (v < 0 || static_cast<std::size_t>(v) >= nodes || seen[static_cast<std::size_t>(v)]) throw nb::value_error("order is no permutation");
        for (int p : parents[static_cast<std::size_t>(v)]) {
            if (p < 0 || static_cast<std::size_t>(p) >= nodes || !seen[static_cast<std::size_t>(p)]) throw nb::value_error("order is not topological");
        }
        seen[static_cast<std::size_t>(v)] = 1;
    }
}

DiscreteNode discrete_node(const std::vector<int>& parents, const std::vector<std::size_t>& arities, std::size_t arity, const Doubles& table) {
    DiscreteNode node;
    node.parents = parents;
    node.arity = arity;
    node.table = table.data();
    node.strides.resize(parents.size());
    for (std::size_t k = parents.size(); k-- > 0;) {  // the last parent varies fastest, as in a C-ordered array
        node.strides[k] = node.rows;
        node.rows *= arities[static_cast<std::size_t>(parents[k])];
    }
    if (node.rows * arity != table.shape(0)) throw nb::value_error("a table has the wrong number of entries");
    return node;
}

template <class Code>
nb::object add_column(DiscreteNode& node, std::size_t n) {
    auto [memory, owner] = owned<Code>(n);
    node.out = memory;
    return nb::cast(nb::ndarray<Code, nb::numpy, nb::ndim<1>, nb::c_contig>(memory, {n}, owner));
}

Columns sample_discrete(const std::vector<std::vector<int>>& parents, const std::vector<std::size_t>& arities, const std::vector<Doubles>& tables,
                         const std::vector<int>& order, std::size_t n, std::uint64_t seed, int threads) {
    check_structure(parents, order, arities.size());
    if (tables.size() != arities.size()) throw nb::value_error("arities and tables differ in length");
    std::vector<DiscreteNode> nodes;
    Columns columns;
    for (std::size_t v = 0; v < arities.size(); ++v) {
        if (arities[v] < 1 || arities[v] > 65536) throw nb::value_error("an arity is outside 1 ... 65536");
        nodes.push_back(discrete_node(parents[v], arities, arities[v], tables[v]));
        columns.append(arities[v] <= 256 ? add_column<std::uint8_t>(nodes.back(), n) : add_column<std::uint16_t>(nodes.back(), n));
    }
    nb::gil_scoped_release unlocked;
    sample(nodes, order, n, seed, threads);
    return columns;
}

DoubleColumns sample_gaussian(const std::vector<std::vector<int>>& parents, const std::vector<double>& intercepts, const std::vector<Doubles>& coefficients,
                         const std::vector<double>& sds, const std::vector<int>& order, std::size_t n, std::uint64_t seed, int threads) {
    check_structure(parents, order, intercepts.size());
    if (coefficients.size() != intercepts.size() || sds.size() != intercepts.size()) throw nb::value_error("the parameters differ in length");
    std::vector<GaussianNode> nodes;
    DoubleColumns columns;
    for (std::size_t v = 0; v < intercepts.size(); ++v) {
        if (coefficients[v].shape(0) != parents[v].size()) throw nb::value_error("a variable has as many coefficients as parents");
        auto [memory, owner] = owned<double>(n);
        nodes.push_back({parents[v], coefficients[v].data(), intercepts[v], sds[v], memory});
        columns.append(NewDoubles(memory, {n}, owner));
    }
    nb::gil_scoped_release unlocked;
    sample(nodes, order, n, seed, threads);
    return columns;
}

NewMatrix chain_dag(int n, std::int64_t arcs, std::int64_t steps, std::uint64_t seed) {
    if (n < 0) throw nb::value_error("the number of variables is negative");
    bool interrupted = false;
    Matrix found;
    {
        nb::gil_scoped_release unlocked;
        found = random_dag(n, {arcs, steps, seed}, [&] {
            nb::gil_scoped_acquire locked;
            return interrupted = PyErr_CheckSignals() != 0;
        });
    }
    if (interrupted) throw nb::python_error();
    return to_numpy(found, n);
}

}  // namespace

void bind_graphs(nb::module_& m) {
    m.def(
        "cpdag", [](BoolMatrix dag) { return to_numpy(cpdag(size_of(dag), bytes(dag)), size_of(dag)); }, "dag"_a.noconvert(),
        "The completed PDAG of a DAG's equivalence class.");
    m.def(
        "extend",
        [](BoolMatrix pdag) {
            Extension found = extend(size_of(pdag), bytes(pdag));
            auto [memory, owner] = owned<std::int64_t>(found.stuck.size());
            std::copy(found.stuck.begin(), found.stuck.end(), memory);
            return std::pair(to_numpy(found.dag, size_of(pdag)), NewInts(memory, {found.stuck.size()}, owner));
        },
        "pdag"_a.noconvert(), "A DAG that extends the PDAG, and the variables on which the search was stuck (none if it succeeded).");
    m.def(
        "meek", [](BoolMatrix pdag) { return to_numpy(meek(size_of(pdag), bytes(pdag)), size_of(pdag)); }, "pdag"_a.noconvert(),
        "The closure of a PDAG under Meek's rules.");
    m.def(
        "wrong_effects",
        [](BoolMatrix truth, BoolMatrix estimate) {
            int n = same_size(truth, estimate);
            return to_numpy(wrong_effects(n, bytes(truth), bytes(estimate)), n);
        },
        "truth"_a.noconvert(), "estimate"_a.noconvert(), "Whether the effect of i on j is wrong when i is adjusted for its parents in the estimate, a DAG.");
    m.def(
        "intervention_bounds",
        [](BoolMatrix truth, BoolMatrix cpdag, std::size_t limit) {
            InterventionBounds found = intervention_bounds(same_size(truth, cpdag), bytes(truth), bytes(cpdag), limit);
            return std::tuple(found.lower, found.upper, found.too_large);
        },
        "truth"_a.noconvert(), "cpdag"_a.noconvert(), "limit"_a,
        "The least and greatest number of wrong effects in the class of a CPDAG, and the component that was too large (empty if none was).");
    m.def("chain_dag", &chain_dag, "n"_a, "arcs"_a, "steps"_a, "seed"_a, "A DAG by a Markov chain that is uniform in the end; arcs is -1 for any number.");
    m.def("sample_discrete", &sample_discrete, "parents"_a, "arities"_a, "tables"_a.noconvert(), "order"_a, "n"_a, "seed"_a, "threads"_a,
          "Rows from a discrete network: one array of states a variable.");
    m.def("sample_gaussian", &sample_gaussian, "parents"_a, "intercepts"_a, "coefficients"_a.noconvert(), "sds"_a, "order"_a, "n"_a, "seed"_a, "threads"_a,
          "Rows from a Gaussian network: one array of values a variable.");
}

}  // namespace veridag::binding
