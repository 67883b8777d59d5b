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

DiscreteNode discrete_node(const std::vector<int>& parents, const std::vector<std::size_t>& arities, std::size_t arity,
                           const Doubles& table) {
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

Columns sample_discrete(const std::vector<std::vector<int>>& parents, const std::vector<std::size_t>& arities,
                        const std::vector<Doubles>& tables, const std::vector<int>& order, std::size_t n,
                        std::uint64_t seed, int threads) {
    check_structure(parents, order, arities.size());
    if (tables.size() != arities.size()) throw nb::value_error("arities and tables differ in length");
    std::vector<DiscreteNode> nodes;
    Columns columns;
    for (std::size_t v = 0; v < arities.size(); ++v) {
        if (arities[v] < 1 || arities[v] > 65536) throw nb::value_error("an arity is outside 1 ... 65536");
        nodes.push_back(discrete_node(parents[v], arities, arities[v], tables[v]));
        columns.append(arities[v] <= 256 ? add_column<std::uint8_t>(nodes.back(), n)
                                         : add_column<std::uint16_t>(nodes.back(), n));
    }
    nb::gil_scoped_release unlocked;
    sample(nodes, order, n, seed, threads);
    return columns;
}

DoubleColumns sample_gaussian(const std::vector<std::vector<int>>& parents, const std::vector<double>& intercepts,
                              const std::vector<Doubles>& coefficients, const std::vector<double>& sds,
                              const std::vector<int>& order, std::size_t n, std::uint64_t seed, int threads) {
    check_structure(parents, order, intercepts.size());
    if (coefficients.size() != intercepts.size() || sds.size() != intercepts.size())
        throw nb::value_error("the parameters differ in length");
    std::vector<GaussianNode> nodes;
    DoubleColumns columns;
    for (std::size_t v = 0; v < intercepts.size(); ++v) {
        if (coefficients[v].shape(0) != parents[v].size())
            throw nb::value_error("a variable has as many coefficients as parents");
        auto [memory, owner] = owned<double>(n);
        nodes.push_back({parents[v], coefficients[v].data(), intercepts[v], sds[v], memory});
        columns.append(NewDoubles(memory, {n}, owner));
    }
    nb::gil_scoped_release unlocked;
    sample(nodes, order, n, seed, threads);
    return columns;
}

}  // namespace

void bind_sampling(nb::module_& m) {
    m.def("sample_discrete", &sample_discrete, "parents"_a, "arities"_a, "tables"_a.noconvert(), "order"_a, "n"_a,
          "seed"_a, "threads"_a, "Rows from a discrete network: one array of states a variable.");
    m.def("sample_gaussian", &sample_gaussian, "parents"_a, "intercepts"_a, "coefficients"_a.noconvert(), "sds"_a,
          "order"_a, "n"_a, "seed"_a, "threads"_a, "Rows from a Gaussian network: one array of values a variable.");
}

}  // namespace veridag::binding
