// Rows drawn from networks.
#include "bind/objects.hpp"
#include "index.hpp"
#include "sampling/sample.hpp"
#include "sampling/weighting.hpp"

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

std::vector<int> continuous_of(const std::vector<int>& parents, const std::vector<std::size_t>& arities) {
    std::vector<int> found;
    for (int p : parents) {
        if (arities[at(p)] == 0) found.push_back(p);
    }
    return found;
}

// Weighted rows of a network, whose parameters it keeps alive.
class PyWeighting {
   public:
    PyWeighting(const std::vector<std::vector<int>>& parents, const std::vector<std::size_t>& arities,
                std::vector<Doubles> parameters, std::vector<int> order, const std::vector<std::uint64_t>& streams,
                const std::vector<std::optional<double>>& observed, std::vector<std::vector<int>> scopes,
                std::vector<int> values, std::uint64_t seed)
        : parameters_(std::move(parameters)) {
        check_structure(parents, order, arities.size());
        if (parameters_.size() != arities.size() || streams.size() != arities.size() ||
            observed.size() != arities.size())
            throw nb::value_error("arities, parameters, streams and observed differ in length");
        std::vector<WeightedNode> nodes;
        for (std::size_t v = 0; v < arities.size(); ++v) {
            WeightedNode node{configurations(parents[v], arities),
                              arities[v],
                              continuous_of(parents[v], arities),
                              parameters_[v].data(),
                              streams[v],
                              observed[v]};
            if (node.arity > 65536) throw nb::value_error("an arity is outside 1 ... 65536");
            if (node.arity > 0 && !node.parents.empty())
                throw nb::value_error("a discrete variable has a continuous parent");
            check_entries(node.given.rows, node.arity > 0 ? node.arity : node.parents.size() + 2, parameters_[v]);
            nodes.push_back(std::move(node));
        }
        for (const std::vector<int>& scope : scopes) {
            for (int v : scope) check_target(v, arities, true);
        }
        for (int v : values) check_target(v, arities, false);
        work_.emplace(std::move(nodes), std::move(order), std::move(scopes), std::move(values), seed);
    }

    void add(std::size_t rows, int threads) {
        nb::gil_scoped_release unlocked;
        work_->add(rows, threads);
    }

    std::size_t rows() const { return work_->sums().rows; }
    double log_scale() const { return work_->sums().log_scale; }
    double total() const { return work_->sums().total; }
    double squares() const { return work_->sums().squares; }
    NewDoubles cells() const { return copied(work_->sums().cells); }
    NewDoubles cell_squares() const { return copied(work_->sums().cell_squares); }

    std::vector<std::tuple<double, double, double>> moments() const {
        std::vector<std::tuple<double, double, double>> all;
        for (const WeightedMoments& own : work_->sums().moments)
            all.emplace_back(own.mean, own.spread, own.squares_second);
        return all;
    }

   private:
    static NewDoubles copied(const std::vector<double>& values) {
        auto [memory, owner] = owned<double>(values.size());
        std::copy(values.begin(), values.end(), memory);
        return NewDoubles(memory, {values.size()}, owner);
    }

    static void check_target(int v, const std::vector<std::size_t>& arities, bool is_discrete) {
        if (v < 0 || at(v) >= arities.size() || (arities[at(v)] > 0) != is_discrete)
            throw nb::value_error("a target is no variable of its kind");
    }

    std::vector<Doubles> parameters_;
    std::optional<LikelihoodWeighting> work_;
};

}  // namespace

void bind_sampling(nb::module_& m) {
    nb::class_<PyWeighting>(
        m, "LikelihoodWeighting",
        "Rows of a network, given as to sample_network, with some variables held at a state or value "
        "and weighted by its probability. Weights are divided by exp(log_scale).")
        .def(nb::init<const std::vector<std::vector<int>>&, const std::vector<std::size_t>&, std::vector<Doubles>,
                      std::vector<int>, const std::vector<std::uint64_t>&, const std::vector<std::optional<double>>&,
                      std::vector<std::vector<int>>, std::vector<int>, std::uint64_t>(),
             "parents"_a, "arities"_a, "parameters"_a.noconvert(), "order"_a, "streams"_a, "observed"_a, "scopes"_a,
             "values"_a, "seed"_a)
        .def("add", &PyWeighting::add, "rows"_a, "threads"_a,
             "Draw more rows; before the last call a multiple of 4096 at a time.")
        .def_prop_ro("rows", &PyWeighting::rows)
        .def_prop_ro("log_scale", &PyWeighting::log_scale)
        .def_prop_ro("total", &PyWeighting::total, "The sum of the weights.")
        .def_prop_ro("squares", &PyWeighting::squares, "The sum of their squares.")
        .def_prop_ro("cells", &PyWeighting::cells, nb::rv_policy::move,
                     "The weights by the cells of each scope, one after the other.")
        .def_prop_ro("cell_squares", &PyWeighting::cell_squares, nb::rv_policy::move, "The same for the squares.")
        .def_prop_ro("moments", &PyWeighting::moments,
                     "Of each continuous target the mean, the sum of w (x - mean)^2 and that of w^2 (x - mean)^2.");
    m.def("sample_network", &sample_network, "parents"_a, "arities"_a, "parameters"_a.noconvert(), "order"_a, "n"_a,
          "seed"_a, "threads"_a,
          "Rows from a network: an array of states or values a variable. Continuous variables have the arity 0 and, "
          "for each configuration of their discrete parents, intercept, coefficients and standard deviation.");
}

}  // namespace veridag::binding
