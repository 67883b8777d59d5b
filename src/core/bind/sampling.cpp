// Rows drawn from networks.
#include "bind/objects.hpp"
#include "index.hpp"
#include "sampling/sample.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

void check_structure(const std::vector<std::vector<int>>& parents, const std::vector<int>& order, std::size_t nodes) {
    if (parents.size() != nodes || order.size() != nodes)
        throw nb::value_error("parents, order and parameters differ in length");
    std::vector<char> seen(nodes, 0);
    for (int v : order) {
        if (v < 0 || at(v) >= nodes || seen[at(v)]) throw nb::value_error("order is no permutation");
        for (int p : parents[at(v)]) {
            if (p < 0 || at(p) >= nodes || !seen[at(p)]) throw nb::value_error("order is not topological");
        }
        seen[at(v)] = 1;
    }
}

Configurations configurations(const std::vector<int>& parents, const std::vector<std::size_t>& arities) {
    Configurations given;
    for (int p : parents) {
        if (arities[at(p)] > 0) given.parents.push_back(p);
    }
    given.strides.resize(given.parents.size());
    for (std::size_t k = given.parents.size(); k-- > 0;) {  // the last parent varies fastest, as in a C-ordered array
        given.strides[k] = given.rows;
        given.rows *= arities[at(given.parents[k])];
    }
    return given;
}

void check_entries(std::size_t rows, std::size_t width, const Doubles& parameters) {
    if (rows * width != parameters.shape(0)) throw nb::value_error("a node has the wrong number of parameters");
}

template <class Code>
nb::object add_column(DiscreteNode& node, std::size_t n) {
    auto [memory, owner] = owned<Code>(n);
    node.out = memory;
    return nb::cast(nb::ndarray<Code, nb::numpy, nb::ndim<1>, nb::c_contig>(memory, {n}, owner));
}

nb::object add_discrete(std::vector<Node>& nodes, Configurations given, std::size_t arity, const Doubles& table,
                        std::size_t n) {
    if (arity > 65536) throw nb::value_error("an arity is outside 1 ... 65536");
    check_entries(given.rows, arity, table);
    DiscreteNode node{std::move(given), arity, table.data(), {}};
    nb::object column = arity <= 256 ? add_column<std::uint8_t>(node, n) : add_column<std::uint16_t>(node, n);
    nodes.emplace_back(std::move(node));
    return column;
}

nb::object add_gaussian(std::vector<Node>& nodes, Configurations given, std::vector<int> parents,
                        const Doubles& regressions, std::size_t n) {
    check_entries(given.rows, parents.size() + 2, regressions);
    auto [memory, owner] = owned<double>(n);
    nodes.emplace_back(GaussianNode{std::move(given), std::move(parents), regressions.data(), memory});
    return nb::cast(NewDoubles(memory, {n}, owner));
}

Columns sample_network(const std::vector<std::vector<int>>& parents, const std::vector<std::size_t>& arities,
                       const std::vector<Doubles>& parameters, const std::vector<int>& order, std::size_t n,
                       std::uint64_t seed, int threads) {
    check_structure(parents, order, arities.size());
    if (parameters.size() != arities.size()) throw nb::value_error("arities and parameters differ in length");
    std::vector<Node> nodes;
    Columns columns;
    for (std::size_t v = 0; v < arities.size(); ++v) {
        Configurations given = configurations(parents[v], arities);
        std::vector<int> continuous;
        for (int p : parents[v]) {
            if (arities[at(p)] == 0) continuous.push_back(p);
        }
        if (arities[v] > 0 && !continuous.empty()) throw nb::value_error("a discrete variable has a continuous parent");
        columns.append(arities[v] > 0 ? add_discrete(nodes, std::move(given), arities[v], parameters[v], n)
                                      : add_gaussian(nodes, std::move(given), std::move(continuous), parameters[v], n));
    }
    nb::gil_scoped_release unlocked;
    sample(nodes, order, n, seed, threads);
    return columns;
}

}  // namespace

void bind_sampling(nb::module_& m) {
    m.def("sample_network", &sample_network, "parents"_a, "arities"_a, "parameters"_a.noconvert(), "order"_a, "n"_a,
          "seed"_a, "threads"_a,
          "Rows from a network: an array of states or values a variable. Continuous variables have the arity 0 and, "
          "for each configuration of their discrete parents, intercept, coefficients and standard deviation.");
}

}  // namespace veridag::binding
