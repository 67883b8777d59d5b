// With bind_exact.cpp, the only file that sees Python. Every array argument is .noconvert(): a cast would change values in silence.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind_exact.hpp"
#include "constraint/local.hpp"
#include "constraint/orient.hpp"
#include "constraint/skeleton.hpp"
#include "constraint/tests.hpp"
#include "counts/bits.hpp"
#include "counts/counter.hpp"
#include "graph/equivalence.hpp"
#include "graph/intervention.hpp"
#include "graph/random_dag.hpp"
#include "independence/contingency.hpp"
#include "independence/decision.hpp"
#include "independence/partial_correlation.hpp"
#include "independence/tails.hpp"
#include "parallel.hpp"
#include "parent_sets/enumerate.hpp"
#include "sampling/sample.hpp"
#include "scores/batch.hpp"
#include "scores/functions.hpp"
#include "scores/hierarchical.hpp"
#include "search/ges.hpp"
#include "search/greedy.hpp"
#include "search/order.hpp"
#include "search/problem.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace veridag;

namespace {

using BoolMatrix = nb::ndarray<const bool, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NewMatrix = nb::ndarray<bool, nb::numpy, nb::ndim<2>, nb::c_contig>;
using Doubles = nb::ndarray<const double, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewDoubles = nb::ndarray<double, nb::numpy, nb::ndim<1>, nb::c_contig>;
using Columns = nb::typed<nb::list, nb::any>;  // of one byte a state, or two
using DoubleColumns = nb::typed<nb::list, NewDoubles>;
using NewInts = nb::ndarray<std::int64_t, nb::numpy, nb::ndim<1>, nb::c_contig>;

// Memory that numpy frees when the last array over it goes.
template <class T>
std::pair<T*, nb::capsule> owned(std::size_t count) {
    T* memory = new T[count];
    return {memory, nb::capsule(memory, [](void* p) noexcept { delete[] static_cast<T*>(p); })};
}

int size_of(const BoolMatrix& a) {
    if (a.shape(0) != a.shape(1)) throw nb::value_error("an adjacency matrix must be square");
    return static_cast<int>(a.shape(0));
}

int same_size(const BoolMatrix& a, const BoolMatrix& b) {
    if (size_of(a) != size_of(b)) throw nb::value_error("the matrices differ in size");
    return size_of(a);
}

// The bytes of a bool array; numpy stores False and True as 0 and 1.
const Byte* bytes(const BoolMatrix& a) { return reinterpret_cast<const Byte*>(a.data()); }

NewMatrix to_numpy(const Matrix& matrix, int n) {
    auto [memory, owner] = owned<bool>(matrix.size());
    std::copy(matrix.begin(), matrix.end(), memory);
    auto side = static_cast<std::size_t>(n);
    return NewMatrix(memory, {side, side}, owner);
}

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

using Int32s = nb::ndarray<const std::int32_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Int64s = nb::ndarray<const std::int64_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DoubleMatrix = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Shorts = nb::ndarray<const std::uint16_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>& array) {
    return {array.data(), array.shape(0)};
}

NewInts to_numpy(std::span<const Count> values) {
    auto [memory, owner] = owned<std::int64_t>(values.size());
    std::copy(values.begin(), values.end(), memory);
    return NewInts(memory, {values.size()}, owner);
}

// A Table over numpy's memory, which it keeps alive.
class PyTable {
   public:
    PyTable(nb::typed<nb::list, nb::any> columns, std::vector<int> arities, std::optional<Int64s> weights)
        : columns_(kept(columns)), weights_(weights), table_(states(columns), std::move(arities), rows(columns), checked(weights, rows(columns))) {}

    const Table& table() const { return table_; }

   private:
    static std::vector<nb::object> kept(const nb::list& columns) {
        std::vector<nb::object> all;
        for (nb::handle column : columns) all.push_back(nb::borrow(column));
        return all;
    }

    static const std::int64_t* checked(const std::optional<Int64s>& weights, std::size_t rows) {
        if (!weights) return nullptr;
        if (weights->shape(0) != rows) throw nb::value_error("there must be one weight a row");
        return weights->data();
    }

    static std::size_t rows(const nb::list& columns) { return columns.size() ? nb::len(nb::object(columns[0])) : 0; }

    static std::vector<StateArray> states(const nb::list& columns) {
        std::vector<StateArray> all;
        for (nb::handle column : columns) {
            if (nb::len(column) != rows(columns)) throw nb::value_error("columns differ in length");
            Bytes bytes;
            Shorts shorts;
            if (nb::try_cast(column, bytes, false)) {
                all.emplace_back(bytes.data());
            } else if (nb::try_cast(column, shorts, false)) {
                all.emplace_back(shorts.data());
            } else {
                throw nb::type_error("a column is an array of uint8 or uint16");
            }
        }
        return all;
    }

    std::vector<nb::object> columns_;  // the arrays themselves: the list they came in may change
    std::optional<Int64s> weights_;
    Table table_;
};

// A score bound to data. Python objects whose memory it reads are kept alive by the binding.
class PyScorer {
   public:
    // Without a factory of its own, sets of families are scored family by family.
    PyScorer(int variables, BatchScorer::Factory make, SetScorerFactory make_sets = nullptr)
        : make_(make),
          make_sets_(make_sets ? std::move(make_sets) : [make] { return make_set_scorer(make()); }),
          scorer_(std::make_unique<BatchScorer>(variables, std::move(make))) {}

    NewDoubles local(Int32s children, Int64s offsets, Int32s parents, int threads) {
        auto [memory, owner] = owned<double>(children.shape(0));
        Families families{view(children), view(offsets), view(parents)};
        {
            nb::gil_scoped_release unlocked;
            scorer_->local(families, memory, threads);
        }
        return NewDoubles(memory, {families.size()}, owner);
    }

    BatchScorer& batch() { return *scorer_; }
    FamilyMemory& memory() { return *memory_; }
    const BatchScorer::Factory& factory() const { return make_; }
    const SetScorerFactory& set_scorers() const { return make_sets_; }

   private:
    BatchScorer::Factory make_;
    SetScorerFactory make_sets_;
    std::unique_ptr<FamilyMemory> memory_ = std::make_unique<FamilyMemory>();  // of the searches with this scorer
    std::unique_ptr<BatchScorer> scorer_;
};

// A score that is a Python function of child and parents. It can be called by one thread at a time only.
class CallbackScorer : public LocalScorer {
   public:
    explicit CallbackScorer(const nb::callable& function) : function_(function) {}

    double local(int child, std::span<const int> parents) override {
        nb::gil_scoped_acquire locked;
        nb::list names;
        for (int p : parents) names.append(p);
        return nb::cast<double>(function_(child, names));
    }

   private:
    nb::handle function_;  // kept alive by the PyScorer's binding
};

PyScorer callback_scorer(nb::typed<nb::callable, double(int, nb::typed<nb::list, int>)> function, int variables) {
    nb::handle kept = function;
    return PyScorer(variables, [kept] { return std::make_unique<CallbackScorer>(nb::borrow<nb::callable>(kept)); });
}

// What a search asks Python now and then: whether the user wants it to stop, and to show how far it is.
class PyReport {
   public:
    explicit PyReport(nb::object progress) : progress_(std::move(progress)) {}

    bool operator()(std::int64_t steps, double best) {
        nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) {
            failure_ = std::make_exception_ptr(nb::python_error());
            return true;
        }
        if (progress_.is_none()) return false;
        try {
            progress_(steps, best);
        } catch (...) {
            failure_ = std::current_exception();
        }
        return failure_ != nullptr;
    }

    // Throws what made the search stop, unless that was an interrupt.
    void rethrow() {
        if (!failure_) return;
        try {
            std::rethrow_exception(failure_);
        } catch (nb::python_error& error) {
            if (!error.matches(PyExc_KeyboardInterrupt)) throw;
        }
    }

   private:
    nb::object progress_;
    std::exception_ptr failure_;
};

using OptionalMatrix = std::optional<DoubleMatrix>;

// The parts of a search problem over numpy's memory.
struct PyProblem {
    Criterion criterion;
    Constraints constraints;
    PyReport report;
    Reporter reporter;

    PyProblem(PyScorer& scorer, const OptionalMatrix& prior_size, const OptionalMatrix& prior_arc, const BoolMatrix& required, const BoolMatrix& forbidden,
              int max_indegree, nb::object progress, int threads)
        : criterion(scorer.batch(), {data(prior_size, scorer), data(prior_arc, scorer)}, threads, &scorer.memory()),
          constraints{matrix(required, scorer), matrix(forbidden, scorer), max_indegree},
          report(std::move(progress)),
          reporter([this](std::int64_t steps, double best) { return report(steps, best); }) {}

    static const double* data(const OptionalMatrix& terms, PyScorer& scorer) {
        if (!terms) return nullptr;
        auto n = static_cast<std::size_t>(scorer.batch().variables());
        if (terms->shape(0) != n || terms->shape(1) != n) throw nb::value_error("the prior's terms must be variables x variables");
        return terms->data();
    }

    static Matrix matrix(const BoolMatrix& a, PyScorer& scorer) {
        if (size_of(a) != scorer.batch().variables()) throw nb::value_error("a matrix must be variables x variables");
        return Matrix(bytes(a), bytes(a) + a.size());
    }
};

using GreedyTuple = nb::typed<nb::tuple, NewMatrix, double, std::int64_t, bool, std::int64_t, std::int64_t, nb::typed<nb::list, nb::any>>;

GreedyTuple search_greedy(PyScorer& scorer, OptionalMatrix prior_size, OptionalMatrix prior_arc, BoolMatrix required, BoolMatrix forbidden, int max_indegree,
                        BoolMatrix start, int tabu, int max_tabu, int restarts, int perturb, std::int64_t max_steps, std::uint64_t seed, bool trace,
                        nb::object progress, int threads) {
    PyProblem problem(scorer, prior_size, prior_arc, required, forbidden, max_indegree, std::move(progress), threads);
    GreedySettings settings{tabu, max_tabu, restarts, perturb, max_steps, seed, trace};
    Matrix from = PyProblem::matrix(start, scorer);
    GreedyResult found;
    {
        nb::gil_scoped_release unlocked;
        found = greedy(problem.criterion, problem.constraints, from, settings, problem.reporter);
    }
    problem.report.rethrow();
    nb::list moves;
    for (const Move& move : found.trace) moves.append(nb::make_tuple(static_cast<int>(move.kind), move.from, move.to, move.gain));
    return GreedyTuple(nb::make_tuple(to_numpy(found.dag, scorer.batch().variables()), found.score, found.steps, found.interrupted,
                                      problem.criterion.calls(), problem.criterion.distinct_calls(), moves));
}

using GesTuple = nb::typed<nb::tuple, NewMatrix, NewMatrix, double, std::int64_t, bool, std::int64_t, std::int64_t>;

GesTuple search_ges(PyScorer& scorer, OptionalMatrix prior_size, OptionalMatrix prior_arc, BoolMatrix required, BoolMatrix forbidden, int max_indegree,
                    BoolMatrix start, bool turning, nb::object progress, int threads) {
    PyProblem problem(scorer, prior_size, prior_arc, required, forbidden, max_indegree, std::move(progress), threads);
    Matrix from = PyProblem::matrix(start, scorer);
    GesResult found;
    {
        nb::gil_scoped_release unlocked;
        found = ges(problem.criterion, problem.constraints, from, turning, problem.reporter);
    }
    problem.report.rethrow();
    int n = scorer.batch().variables();
    return GesTuple(nb::make_tuple(to_numpy(found.cpdag, n), to_numpy(found.dag, n), found.score, found.steps, found.interrupted,
                                   problem.criterion.calls(), problem.criterion.distinct_calls()));
}

using OrderTuple = nb::typed<nb::tuple, NewMatrix, double, std::int64_t, bool, std::int64_t, std::int64_t>;

OrderTuple search_orders(PyScorer& scorer, OptionalMatrix prior_size, OptionalMatrix prior_arc, BoolMatrix required, BoolMatrix forbidden,
                         int max_indegree, std::optional<BoolMatrix> start, int candidates, std::int64_t steps, double initial_temperature,
                         double final_temperature, bool average, std::uint64_t seed, nb::object progress, int threads) {
    PyProblem problem(scorer, prior_size, prior_arc, required, forbidden, max_indegree, std::move(progress), threads);
    OrderSettings settings{max_indegree, candidates, steps, initial_temperature, final_temperature, average, seed};
    std::optional<Matrix> from;
    if (start) from = PyProblem::matrix(*start, scorer);
    OrderResult found;
    {
        nb::gil_scoped_release unlocked;
        found = anneal_orders(problem.criterion, problem.constraints, settings, from ? &*from : nullptr, problem.reporter);
    }
    problem.report.rethrow();
    return OrderTuple(nb::make_tuple(to_numpy(found.dag, scorer.batch().variables()), found.score, found.steps, found.interrupted,
                                     problem.criterion.calls(), problem.criterion.distinct_calls()));
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

PyScorer discrete_scorer(const PyTable& data, const std::string& name, const std::vector<double>& parameters) {
    std::shared_ptr<DiscreteScore> score = make_discrete_score(name, parameters, data.table().variables());
    return PyScorer(
        data.table().variables(), [&data, score] { return std::make_unique<DiscreteLocalScorer>(data.table(), *score); },
        [&data, name, parameters] { return make_discrete_set_scorer(data.table(), name, parameters); });
}

template <class T>
nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig> moved_to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {kept->data(), {kept->size()}, owner};
}

using NewInt32s = nb::ndarray<std::int32_t, nb::numpy, nb::ndim<1>, nb::c_contig>;
using ParentSetsTuple = nb::typed<nb::tuple, NewInts, NewDoubles, NewInts, NewInt32s, std::int64_t, bool>;

ParentSetsTuple parent_sets(PyScorer& scorer, OptionalMatrix prior_size, OptionalMatrix prior_arc, BoolMatrix required, BoolMatrix forbidden, Int64s limits,
                            bool bounded, double memory_limit, nb::object progress, int threads) {
    int n = scorer.batch().variables();
    if (limits.shape(0) != static_cast<std::size_t>(n)) throw nb::value_error("there must be one limit a variable");
    std::vector<int> most(limits.data(), limits.data() + limits.shape(0));
    ParentSetProblem problem{n, scorer.set_scorers(), {PyProblem::data(prior_size, scorer), PyProblem::data(prior_arc, scorer)},
                             PyProblem::matrix(required, scorer), PyProblem::matrix(forbidden, scorer), std::move(most), bounded, memory_limit, threads};
    PyReport report(std::move(progress));
    Reporter reporter([&](std::int64_t done, double total) { return report(done, total); });
    ParentSets found;
    try {
        nb::gil_scoped_release unlocked;
        found = enumerate_parent_sets(problem, reporter);
    } catch (const TooManyParentSets& error) {
        PyErr_SetObject(PyExc_MemoryError, nb::make_tuple(error.parents, error.bytes).ptr());
        throw nb::python_error();
    }
    report.rethrow();
    return ParentSetsTuple(nb::make_tuple(moved_to_numpy(std::move(found.offsets)), moved_to_numpy(std::move(found.scores)),
                                          moved_to_numpy(std::move(found.parent_offsets)), moved_to_numpy(std::move(found.parents)), found.scored,
                                          found.interrupted));
}

PyScorer bhd_scorer(const PyTable& data, double ess, double alpha0) {
    if (data.table().variables() < 2) throw nb::value_error("there must be a variable and the groups");
    return PyScorer(data.table().variables() - 1, [&data, ess, alpha0] { return std::make_unique<HierarchicalLocalScorer>(data.table(), ess, alpha0); });
}

int square(const DoubleMatrix& matrix) {
    if (matrix.shape(0) != matrix.shape(1)) throw nb::value_error("the matrix must be square");
    return static_cast<int>(matrix.shape(0));
}

PyScorer gaussian_scorer(DoubleMatrix scatter, double n, const std::string& name, const std::vector<double>& parameters) {
    GaussianData data{scatter.data(), square(scatter), n};
    make_gaussian_score(name, parameters, data);  // to fail now rather than at the first family
    return PyScorer(
        data.variables, [=] { return std::make_unique<GaussianLocalScorer>(make_gaussian_score(name, parameters, data)); },
        [=] { return make_gaussian_set_scorer(name, parameters, data); });
}

PyScorer bge_scorer(DoubleMatrix prior, DoubleMatrix posterior, double n, double iss_mu, double iss_w) {
    if (square(prior) != square(posterior)) throw nb::value_error("the matrices differ in size");
    GaussianData data{nullptr, square(prior), n};
    return PyScorer(data.variables, [=] { return std::make_unique<GaussianLocalScorer>(make_bge(prior.data(), posterior.data(), iss_mu, iss_w, data)); });
}

// Tests one after the other: test i is of x[i] and y[i] given given[offsets[i]] ... up to offsets[i + 1].
struct Tests {
    Families families;  // the children are x
    std::span<const std::int32_t> y;

    Tests(const Int32s& x, const Int32s& second, const Int64s& offsets, const Int32s& given, int variables)
        : families{view(x), view(offsets), view(given)}, y(view(second)) {
        check(families, variables);
        if (y.size() != families.size()) throw nb::value_error("x and y differ in length");
        for (std::size_t i = 0; i < y.size(); ++i) {
            auto others = families.parents_of(i);
            bool is_variable = y[i] >= 0 && y[i] < variables;
            if (!is_variable || y[i] == families.children[i] || std::find(others.begin(), others.end(), y[i]) != others.end()) {
                throw nb::value_error("y must be a variable, neither x nor given");
            }
        }
    }

    // Calls work(worker, i) for every test, each worker made once a thread.
    template <class Make, class Work>
    void run(int threads, Make make, Work work) const {
        constexpr std::size_t tests_a_task = 16;
        std::size_t tasks = (families.size() + tests_a_task - 1) / tests_a_task;
        std::vector<decltype(make())> workers;
        for (std::size_t k = 0; k < workers_for(tasks, threads); ++k) workers.push_back(make());
        parallel_for(tasks, threads, [&](std::size_t task, std::size_t worker) {
            for (std::size_t i = task * tests_a_task; i < std::min(families.size(), (task + 1) * tests_a_task); ++i) work(workers[worker], i);
        });
    }
};

std::tuple<NewDoubles, NewDoubles, NewDoubles, NewDoubles> contingency(const PyTable& data, Int32s x, Int32s y, Int64s offsets, Int32s given, int threads) {
    Tests tests(x, y, offsets, given, data.table().variables());
    std::size_t size = tests.y.size();
    auto [g2, g2_owner] = owned<double>(size);
    auto [x2, x2_owner] = owned<double>(size);
    auto [strata, strata_owner] = owned<double>(size);
    auto [df, df_owner] = owned<double>(size);
    {
        nb::gil_scoped_release unlocked;
        tests.run(
            threads, [&] { return Contingency(data.table()); },
            [&, g2 = g2, x2 = x2, strata = strata, df = df](Contingency& worker, std::size_t i) {
                ContingencyStatistics found = worker.of(tests.families.children[i], tests.y[i], tests.families.parents_of(i));
                g2[i] = found.g2;
                x2[i] = found.x2;
                strata[i] = found.strata;
                df[i] = found.adjusted_df;
            });
    }
    return {NewDoubles(g2, {size}, g2_owner), NewDoubles(x2, {size}, x2_owner), NewDoubles(strata, {size}, strata_owner), NewDoubles(df, {size}, df_owner)};
}

std::pair<NewDoubles, NewInts> partial_correlations(DoubleMatrix scatter, double n, Int32s x, Int32s y, Int64s offsets, Int32s given, int threads) {
    int variables = square(scatter);
    Tests tests(x, y, offsets, given, variables);
    std::size_t size = tests.y.size();
    auto [rho, rho_owner] = owned<double>(size);
    auto [rank, rank_owner] = owned<std::int64_t>(size);
    {
        nb::gil_scoped_release unlocked;
        tests.run(
            threads, [&] { return PartialCorrelations(scatter.data(), variables, n); },
            [&, rho = rho, rank = rank](PartialCorrelations& worker, std::size_t i) {
                PartialCorrelation found = worker.of(tests.families.children[i], tests.y[i], tests.families.parents_of(i));
                rho[i] = found.rho;
                rank[i] = found.rank;
            });
    }
    return {NewDoubles(rho, {size}, rho_owner), NewInts(rank, {size}, rank_owner)};
}

// ---- tests as searches use them

// A test bound to data. Python objects whose memory it reads are kept alive by the binding.
struct PyPairTest {
    int variables;
    TestFactory make;
};

// Lets an interrupt that arrives while Python code runs inside a test end the search as any other interrupt does.
template <class Work>
auto stoppable(Work work) {
    try {
        return work();
    } catch (nb::python_error& error) {
        nb::gil_scoped_acquire locked;
        if (error.matches(PyExc_KeyboardInterrupt)) throw Stopped{};
        throw;
    }
}

class StoppableTest : public PairTest {
   public:
    explicit StoppableTest(std::unique_ptr<PairTest> test) : test_(std::move(test)) {}
    Decision of(int x, int y, std::span<const int> given) override {
        return stoppable([&] { return test_->of(x, y, given); });
    }

   private:
    std::unique_ptr<PairTest> test_;
};

// A Python function of x, y and what is given, that answers with statistic, p-value and decision.
class CallbackTest : public PairTest {
   public:
    explicit CallbackTest(nb::handle function) : function_(function) {}

    Decision of(int x, int y, std::span<const int> given) override {
        nb::gil_scoped_acquire locked;
        nb::list columns;
        for (int z : given) columns.append(z);
        auto [statistic, p_value, independent] = nb::cast<std::tuple<double, double, bool>>(function_(x, y, columns));
        // Where the p-value is too small for a number, the statistic goes on; the smallest that is one has about 745.
        return {p_value > 0.0 ? -std::log(p_value) : 1000.0 + std::fabs(statistic), independent};
    }

   private:
    nb::handle function_;  // kept alive by the PyPairTest's binding
};

PyPairTest bind_correlation_test(DoubleMatrix scatter, double n, const std::string& kind, double alpha) {
    int variables = square(scatter);
    CorrelationTest which = kind == "g2" ? CorrelationTest::g2 : kind == "student-t" ? CorrelationTest::student_t : CorrelationTest::fisher_z;
    return {variables, correlation_test(scatter.data(), variables, n, which, alpha)};
}

PyPairTest bind_score_test(PyScorer& scorer, OptionalMatrix prior_size, OptionalMatrix prior_arc, double n, bool remember) {
    int variables = scorer.batch().variables();
    TestFactory make = score_test(scorer.factory(), variables, n, PyProblem::data(prior_size, scorer), PyProblem::data(prior_arc, scorer), remember);
    return {variables, [make] { return std::make_unique<StoppableTest>(make()); }};
}

PyPairTest bind_callback_test(nb::typed<nb::callable, nb::typed<nb::tuple, double, double, bool>(int, int, nb::typed<nb::list, int>)> function, int variables) {
    nb::handle kept = function;
    return {variables, [kept] { return std::make_unique<StoppableTest>(std::make_unique<CallbackTest>(kept)); }};
}

// A constraint-based search over numpy's memory.
struct PyConstraintSearch {
    std::string method;
    Known known;
    std::size_t largest;
    PyReport report;
    Reporter reporter;
    TestBench tests;

    PyConstraintSearch(PyPairTest& test, std::string name, const BoolMatrix& required, const BoolMatrix& forbidden, std::vector<int> max_indegree, int max_conditioning,
                       nb::object progress, int threads)
        : method(std::move(name)),
          known{test.variables, matrix(required, test), matrix(forbidden, test), std::move(max_indegree)},
          largest(max_conditioning < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(max_conditioning)),
          report(std::move(progress)),
          reporter([this](std::int64_t steps, double best) { return report(steps, best); }),
          tests(test.variables, test.make, threads, method != "pc-stable" || keeps_pairs_apart(known), reporter) {
        if (known.max_indegree.size() != static_cast<std::size_t>(test.variables)) throw nb::value_error("there must be one max_indegree a variable");
    }

    static Matrix matrix(const BoolMatrix& a, const PyPairTest& test) {
        if (size_of(a) != test.variables) throw nb::value_error("a matrix must be variables x variables");
        return Matrix(bytes(a), bytes(a) + a.size());
    }

    static bool keeps_pairs_apart(const Known& known) {
        for (int x = 0; x < known.n; ++x) {
            for (int y = x + 1; y < known.n; ++y) {
                if (known.blocked(x, y)) return true;
            }
        }
        return false;
    }

    LocalSettings local() const {
        if (method == "grow-shrink") return {LocalMethod::grow_shrink, known, largest};
        if (method == "inter-iamb") return {LocalMethod::inter_iamb, known, largest};
        if (method == "mmpc") return {LocalMethod::mmpc, known, largest};
        if (method == "si-hiton-pc") return {LocalMethod::si_hiton_pc, known, largest};
        if (method == "hpc") return {LocalMethod::hpc, known, largest};
        throw nb::value_error("the core has no such local search");
    }

    LocalSkeleton skeleton() { return method == "pc-stable" ? LocalSkeleton{pc_stable(tests, known, largest), {}} : local_skeleton(tests, local()); }
};

using SkeletonTuple = nb::typed<nb::tuple, NewMatrix, std::vector<int>, bool, std::int64_t, std::int64_t>;

SkeletonTuple search_skeleton(PyPairTest& test, const std::string& method, BoolMatrix required, BoolMatrix forbidden, std::vector<int> max_indegree,
                              int max_conditioning, nb::object progress, int threads) {
    PyConstraintSearch search(test, method, required, forbidden, std::move(max_indegree), max_conditioning, std::move(progress), threads);
    std::optional<LocalSkeleton> found;
    {
        nb::gil_scoped_release unlocked;
        found = search.skeleton();
    }
    search.report.rethrow();
    return SkeletonTuple(nb::make_tuple(to_numpy(found->skeleton.matrix(), test.variables), found->looped, search.tests.stopped(), search.tests.calls(),
                                        search.tests.distinct_calls()));
}

using ConstraintTuple = nb::typed<nb::tuple, NewMatrix, nb::typed<nb::list, nb::typed<nb::tuple, int, int, int>>, std::vector<int>, bool, std::int64_t, std::int64_t>;

ConstraintTuple search_constraints(PyPairTest& test, const std::string& method, BoolMatrix required, BoolMatrix forbidden, std::vector<int> max_indegree,
                                   int max_conditioning, nb::object progress, int threads) {
    PyConstraintSearch search(test, method, required, forbidden, std::move(max_indegree), max_conditioning, std::move(progress), threads);
    Orientation oriented;
    std::vector<int> looped;
    {
        nb::gil_scoped_release unlocked;
        LocalSkeleton found = search.skeleton();
        oriented = orient(search.tests, search.known, found.skeleton, search.largest);
        looped = std::move(found.looped);
    }
    search.report.rethrow();
    nb::list overruled;
    for (const auto& [x, z, y] : oriented.overruled) overruled.append(nb::make_tuple(x, z, y));
    return ConstraintTuple(nb::make_tuple(to_numpy(oriented.pdag, test.variables), overruled, looped, search.tests.stopped(), search.tests.calls(),
                                          search.tests.distinct_calls()));
}

using LocalTuple = nb::typed<nb::tuple, std::vector<int>, std::vector<int>, bool, std::int64_t, std::int64_t>;

template <Neighbourhood (*find)(TestBench&, const LocalSettings&, int)>
LocalTuple search_local(PyPairTest& test, const std::string& method, int target, BoolMatrix required, BoolMatrix forbidden, int max_conditioning, nb::object progress,
                        int threads) {
    if (target < 0 || target >= test.variables) throw nb::value_error("the target is no variable");
    std::vector<int> limits(static_cast<std::size_t>(test.variables), test.variables);
    PyConstraintSearch search(test, method, required, forbidden, std::move(limits), max_conditioning, std::move(progress), threads);
    LocalSettings settings = search.local();
    Neighbourhood found;
    {
        nb::gil_scoped_release unlocked;
        found = find(search.tests, settings, target);
    }
    search.report.rethrow();
    return LocalTuple(nb::make_tuple(found.members, found.looped, search.tests.stopped(), search.tests.calls(), search.tests.distinct_calls()));
}

}  // namespace

NB_MODULE(_core, m) {
    // Data that still lives when the interpreter ends, as in any script, keeps its table: that is no leak to warn of.
    nb::set_leak_warnings(false);
    m.doc() = "The compiled part of veridag. Its callers have checked what they pass; users call veridag itself.";

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

    nb::class_<PyTable>(m, "Table", "Discrete data as the core counts it: one array of states a variable.")
        .def(nb::init<nb::typed<nb::list, nb::any>, std::vector<int>, std::optional<Int64s>>(), "columns"_a, "arities"_a, "weights"_a.none() = nb::none())
        .def(
            "family_counts",
            [](const PyTable& data, int child, const std::vector<int>& parents) {
                std::vector<std::int32_t> children{child};
                std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(parents.size())};
                check(Families{children, offsets, parents}, data.table().variables());
                Counter counter(data.table());
                FamilyCounts counts = counter.family(child, parents);
                return std::pair(to_numpy(counts.cells), to_numpy(counts.configurations));
            },
            "child"_a, "parents"_a, "The counts of a family's cells and of its parents' configurations, in no particular order.");
    nb::class_<PyScorer>(m, "Scorer", "A score bound to data.")
        .def("local", &PyScorer::local, "children"_a.noconvert(), "offsets"_a.noconvert(), "parents"_a.noconvert(), "threads"_a,
             "The local scores of many families.");
    m.def("discrete_scorer", &discrete_scorer, "data"_a, "name"_a, "parameters"_a, nb::keep_alive<0, 1>(), "A discrete score bound to data.");
    m.def("bhd_scorer", &bhd_scorer, "data"_a, "ess"_a, "alpha0"_a, nb::keep_alive<0, 1>(), "BHD of data whose last column holds the groups.");
    m.def("gaussian_scorer", &gaussian_scorer, "scatter"_a.noconvert(), "n"_a, "name"_a, "parameters"_a, nb::keep_alive<0, 1>(),
          "LogLik, AIC or BIC of Gaussian data.");
    m.def("bge_scorer", &bge_scorer, "prior"_a.noconvert(), "posterior"_a.noconvert(), "n"_a, "iss_mu"_a, "iss_w"_a, nb::keep_alive<0, 1>(),
          nb::keep_alive<0, 2>(), "BGe with its prior and posterior matrices.");
    m.def("callback_scorer", &callback_scorer, "function"_a, "variables"_a, nb::keep_alive<0, 1>(), "A Python function of child and parents as a score.");
    m.def("search_greedy", &search_greedy, "scorer"_a, "prior_size"_a.none().noconvert(), "prior_arc"_a.none().noconvert(), "required"_a.noconvert(),
          "forbidden"_a.noconvert(), "max_indegree"_a, "start"_a.noconvert(), "tabu"_a, "max_tabu"_a, "restarts"_a, "perturb"_a, "max_steps"_a, "seed"_a,
          "trace"_a, "progress"_a.none(), "threads"_a,
          "Hill climbing, tabu search and restarts: DAG, score, steps, interrupted, calls, distinct calls, moves.");
    m.def("search_ges", &search_ges, "scorer"_a, "prior_size"_a.none().noconvert(), "prior_arc"_a.none().noconvert(), "required"_a.noconvert(),
          "forbidden"_a.noconvert(), "max_indegree"_a, "start"_a.noconvert(), "turning"_a, "progress"_a.none(), "threads"_a,
          "Greedy equivalence search: CPDAG, DAG, score, steps, interrupted, calls, distinct calls.");
    m.def("search_orders", &search_orders, "scorer"_a, "prior_size"_a.none().noconvert(), "prior_arc"_a.none().noconvert(), "required"_a.noconvert(),
          "forbidden"_a.noconvert(), "max_indegree"_a, "start"_a.none().noconvert(), "candidates"_a, "steps"_a, "initial_temperature"_a,
          "final_temperature"_a, "average"_a, "seed"_a, "progress"_a.none(), "threads"_a,
          "Simulated annealing over orders: DAG, score, steps, interrupted, calls, distinct calls.");
    m.def("parent_sets", &parent_sets, "scorer"_a, "prior_size"_a.none().noconvert(), "prior_arc"_a.none().noconvert(), "required"_a.noconvert(),
          "forbidden"_a.noconvert(), "limits"_a.noconvert(), "bounded"_a, "memory_limit"_a, "progress"_a.none(), "threads"_a,
          "The parent sets that no subset beats: offsets, scores, offsets of parents, parents, families scored, interrupted. A MemoryError has the number "
          "of parents that was too large and the bytes needed.");
    m.def("contingency", &contingency, "data"_a, "x"_a.noconvert(), "y"_a.noconvert(), "offsets"_a.noconvert(), "given"_a.noconvert(), "threads"_a,
          "G2, X2, the number of possible strata and the adjusted degrees of freedom of many tests.");
    m.def("partial_correlations", &partial_correlations, "scatter"_a.noconvert(), "n"_a, "x"_a.noconvert(), "y"_a.noconvert(), "offsets"_a.noconvert(),
          "given"_a.noconvert(), "threads"_a, "The partial correlations of many tests, and the ranks of their conditioning sets.");
    nb::class_<PyPairTest>(m, "PairTest", "A test of independence bound to data, for searches.")
        .def(
            "decide",
            [](const PyPairTest& test, int x, int y, const std::vector<int>& given) {
                std::vector<std::int32_t> children{x};
                std::vector<int> others = given;
                others.push_back(y);
                std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(others.size())};
                check(Families{children, offsets, others}, test.variables);
                others.pop_back();
                std::sort(others.begin(), others.end());
                Decision decision = test.make()->of(std::min(x, y), std::max(x, y), others);
                return std::pair(decision.evidence, decision.independent);
            },
            "x"_a, "y"_a, "given"_a, "The evidence for dependence, minus log p or what a score gains, and whether x and y are independent.");
    m.def(
        "g2_test", [](const PyTable& data, double alpha) { return PyPairTest{data.table().variables(), g2_test(data.table(), alpha)}; }, "data"_a, "alpha"_a,
        nb::keep_alive<0, 1>(), "G2 of discrete data with degrees of freedom by declared states.");
    m.def(
        "contingency_test",
        [](const PyTable& data, bool pearson, bool adjusted, double alpha) {
            return PyPairTest{data.table().variables(), contingency_test(data.table(), pearson, adjusted, alpha)};
        },
        "data"_a, "pearson"_a, "adjusted"_a, "alpha"_a, nb::keep_alive<0, 1>(), "X2 or G2 of discrete data.");
    m.def("correlation_test", &bind_correlation_test, "scatter"_a.noconvert(), "n"_a, "kind"_a, "alpha"_a, nb::keep_alive<0, 1>(),
          "A test of partial correlations: g2, student-t or fisher-z.");
    m.def("score_test", &bind_score_test, "scorer"_a, "prior_size"_a.none().noconvert(), "prior_arc"_a.none().noconvert(), "n"_a, "remember"_a,
          nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(), "What a score gains by one more parent, as a test.");
    m.def("callback_test", &bind_callback_test, "function"_a, "variables"_a, nb::keep_alive<0, 1>(),
          "A Python function of x, y and what is given, that answers (statistic, p-value, independent).");
    m.def("search_skeleton", &search_skeleton, "test"_a, "method"_a, "required"_a.noconvert(), "forbidden"_a.noconvert(), "max_indegree"_a, "max_conditioning"_a,
          "progress"_a.none(), "threads"_a, "The skeleton by a constraint-based method: matrix, variables that looped, interrupted, calls, distinct calls.");
    m.def("search_constraints", &search_constraints, "test"_a, "method"_a, "required"_a.noconvert(), "forbidden"_a.noconvert(), "max_indegree"_a,
          "max_conditioning"_a, "progress"_a.none(), "threads"_a,
          "A graph by a constraint-based method: PDAG, v-structures overruled, variables that looped, interrupted, calls, distinct calls.");
    m.def("search_neighbours", &search_local<neighbours_of>, "test"_a, "method"_a, "target"_a, "required"_a.noconvert(), "forbidden"_a.noconvert(),
          "max_conditioning"_a, "progress"_a.none(), "threads"_a, "One variable's neighbours: members, variables that looped, interrupted, calls, distinct calls.");
    m.def("search_blanket", &search_local<blanket_of>, "test"_a, "method"_a, "target"_a, "required"_a.noconvert(), "forbidden"_a.noconvert(),
          "max_conditioning"_a, "progress"_a.none(), "threads"_a, "One variable's Markov blanket: members, variables that looped, interrupted, calls, distinct calls.");
    m.def("log_chi_square_tail", &log_chi_square_tail, "statistic"_a, "df"_a, "The logarithm of the upper tail of chi-square.");
    m.def("log_student_tail", &log_student_tail, "t"_a, "df"_a, "The logarithm of both tails of Student's distribution.");
    m.def("log_gamma", &log_gamma, "x"_a, "The logarithm of the gamma function.");
    m.def(
        "log_complexity", [](Count n, double k) { return log_complexity(n, k, std::log(k)); }, "n"_a, "k"_a,
        "The logarithm of the multinomial complexity C(n, k).");
    bind_exact(m);
    m.def("bit_kernels", [] { return std::string(bit_kernels().name); }, "Which instructions count bits.");
    m.def("use_bit_kernels", &use_bit_kernels, "name"_a, "Count bits by these instructions from now on; false if the machine lacks them.");
}
