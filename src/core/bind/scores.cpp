// The part of the binding that is about scores and the searches that go by them.
#include "bind/objects.hpp"
#include "exact/parent_sets/enumerate.hpp"
#include "scores/functions.hpp"
#include "scores/hierarchical.hpp"
#include "search/ges/ges.hpp"
#include "search/greedy.hpp"
#include "search/order/order.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

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

PyScorer discrete_scorer(const PyTable& data, const std::string& name, const std::vector<double>& parameters) {
    std::shared_ptr<DiscreteScore> score = make_discrete_score(name, parameters, data.table().variables());
    return PyScorer(
        data.table().variables(), [&data, score] { return std::make_unique<DiscreteLocalScorer>(data.table(), *score); },
        [&data, name, parameters] { return make_discrete_set_scorer(data.table(), name, parameters); });
}

using ParentSetsTuple = nb::typed<nb::tuple, NewInts, NewDoubles, NewInts, NewInt32s, std::int64_t, bool>;

ParentSetsTuple parent_sets(PyScorer& scorer, OptionalMatrix prior_size, OptionalMatrix prior_arc, BoolMatrix required, BoolMatrix forbidden, Int64s limits,
                            bool bounded, double memory_limit, nb::object progress, int threads, bool dominated) {
    int n = scorer.batch().variables();
    if (limits.shape(0) != static_cast<std::size_t>(n)) throw nb::value_error("there must be one limit a variable");
    std::vector<int> most(limits.data(), limits.data() + limits.shape(0));
    ParentSetProblem problem{n, scorer.set_scorers(), {PyProblem::data(prior_size, scorer), PyProblem::data(prior_arc, scorer)},
                             PyProblem::matrix(required, scorer), PyProblem::matrix(forbidden, scorer), std::move(most), bounded,
                             memory_limit, threads, dominated};
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

}  // namespace

void bind_scores(nb::module_& m) {
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
          "forbidden"_a.noconvert(), "limits"_a.noconvert(), "bounded"_a, "memory_limit"_a, "progress"_a.none(), "threads"_a, "dominated"_a,
          "The parent sets that no subset beats, or all of them: offsets, scores, offsets of parents, parents, families scored, interrupted. A MemoryError "
          "has the number of parents that was too large and the bytes needed.");
}

}  // namespace veridag::binding
