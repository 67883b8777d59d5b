// Searches that go by a score.
#include "bind/objects.hpp"
#include "search/ges/ges.hpp"
#include "search/greedy.hpp"
#include "search/order/order.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

using GreedyTuple = nb::typed<nb::tuple, NewMatrix, double, std::int64_t, bool, std::int64_t, std::int64_t,
                              nb::typed<nb::list, nb::any>>;

GreedyTuple search_greedy(PyScorer& scorer, OptionalMatrix prior_size, OptionalMatrix prior_arc, BoolMatrix required,
                          BoolMatrix forbidden, int max_indegree, BoolMatrix start, int tabu, int max_tabu,
                          int restarts, int perturb, std::int64_t max_steps, std::uint64_t seed, bool trace,
                          nb::object progress, int threads) {
    PyProblem problem(scorer, prior_size, prior_arc, required, forbidden, max_indegree, std::move(progress), threads);
    GreedySettings settings{tabu, max_tabu, restarts, perturb, max_steps, seed, trace};
    Matrix from = square_of(start, scorer.variables());
    GreedyResult found;
    {
        nb::gil_scoped_release unlocked;
        found = greedy(problem.criterion, problem.constraints, from, settings, problem.progress);
    }
    problem.progress.interrupted();
    nb::list moves;
    for (const Move& move : found.trace)
        moves.append(nb::make_tuple(static_cast<int>(move.kind), move.from, move.to, move.gain));
    return GreedyTuple(nb::make_tuple(to_numpy(found.dag), found.score, found.steps, found.interrupted,
                                      problem.criterion.calls(), problem.criterion.distinct_calls(), moves));
}

using GesTuple = nb::typed<nb::tuple, NewMatrix, NewMatrix, double, std::int64_t, bool, std::int64_t, std::int64_t>;

GesTuple search_ges(PyScorer& scorer, OptionalMatrix prior_size, OptionalMatrix prior_arc, BoolMatrix required,
                    BoolMatrix forbidden, int max_indegree, BoolMatrix start, bool turning, nb::object progress,
                    int threads) {
    PyProblem problem(scorer, prior_size, prior_arc, required, forbidden, max_indegree, std::move(progress), threads);
    Matrix from = square_of(start, scorer.variables());
    GesResult found;
    {
        nb::gil_scoped_release unlocked;
        found = ges(problem.criterion, problem.constraints, from, turning, problem.progress);
    }
    problem.progress.interrupted();
    return GesTuple(nb::make_tuple(to_numpy(found.cpdag), to_numpy(found.dag), found.score, found.steps,
                                   found.interrupted, problem.criterion.calls(), problem.criterion.distinct_calls()));
}

using OrderTuple = nb::typed<nb::tuple, NewMatrix, double, std::int64_t, bool, std::int64_t, std::int64_t>;

OrderTuple search_orders(PyScorer& scorer, OptionalMatrix prior_size, OptionalMatrix prior_arc, BoolMatrix required,
                         BoolMatrix forbidden, int max_indegree, std::optional<BoolMatrix> start, int candidates,
                         std::int64_t steps, double initial_temperature, double final_temperature, bool average,
                         std::uint64_t seed, nb::object progress, int threads) {
    PyProblem problem(scorer, prior_size, prior_arc, required, forbidden, max_indegree, std::move(progress), threads);
    OrderSettings settings{candidates, steps, initial_temperature, final_temperature, average, seed};
    std::optional<Matrix> from;
    if (start) from = square_of(*start, scorer.variables());
    OrderResult found;
    {
        nb::gil_scoped_release unlocked;
        found =
            anneal_orders(problem.criterion, problem.constraints, settings, from ? &*from : nullptr, problem.progress);
    }
    problem.progress.interrupted();
    return OrderTuple(nb::make_tuple(to_numpy(found.dag), found.score, found.steps, found.interrupted,
                                     problem.criterion.calls(), problem.criterion.distinct_calls()));
}

}  // namespace

void bind_search(nb::module_& m) {
    m.def("search_greedy", &search_greedy, "scorer"_a, "prior_size"_a.none().noconvert(),
          "prior_arc"_a.none().noconvert(), "required"_a.noconvert(), "forbidden"_a.noconvert(), "max_indegree"_a,
          "start"_a.noconvert(), "tabu"_a, "max_tabu"_a, "restarts"_a, "perturb"_a, "max_steps"_a, "seed"_a, "trace"_a,
          "progress"_a.none(), "threads"_a,
          "Hill climbing, tabu search and restarts: DAG, score, steps, interrupted, calls, distinct calls, moves.");
    m.def("search_ges", &search_ges, "scorer"_a, "prior_size"_a.none().noconvert(), "prior_arc"_a.none().noconvert(),
          "required"_a.noconvert(), "forbidden"_a.noconvert(), "max_indegree"_a, "start"_a.noconvert(), "turning"_a,
          "progress"_a.none(), "threads"_a,
          "Greedy equivalence search: CPDAG, DAG, score, steps, interrupted, calls, distinct calls.");
    m.def("search_orders", &search_orders, "scorer"_a, "prior_size"_a.none().noconvert(),
          "prior_arc"_a.none().noconvert(), "required"_a.noconvert(), "forbidden"_a.noconvert(), "max_indegree"_a,
          "start"_a.none().noconvert(), "candidates"_a, "steps"_a, "initial_temperature"_a, "final_temperature"_a,
          "average"_a, "seed"_a, "progress"_a.none(), "threads"_a,
          "Simulated annealing over orders: DAG, score, steps, interrupted, calls, distinct calls.");
}

}  // namespace veridag::binding
