// Searches that go by a score: what they are given, their settings, and what they find.
#include "bind/objects.hpp"
#include "search/boss/boss.hpp"
#include "search/ges/ges.hpp"
#include "search/greedy/greedy.hpp"
#include "search/order/order.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

struct SearchOutcome {
    Matrix dag;
    std::optional<Matrix> cpdag;  // of a search over classes
    double score = minus_infinity;
    std::int64_t steps = 0, calls = 0, distinct_calls = 0;
    bool interrupted = false, late = false;
    std::vector<Move> moves;              // of a greedy search that keeps a trace
    std::int64_t ties = 0, mirrored = 0;  // of a greedy search
};

// Calls search(criterion, progress) without the GIL, and adds what was asked of the criterion.
template <class Search>
SearchOutcome run(const PySearchProblem& problem, ProgressCallback callback, int threads, Search search) {
    Criterion criterion(problem.scorer().batch(), problem.prior(), threads, &problem.scorer().cache());
    PyProgress progress(std::move(callback));
    SearchOutcome outcome;
    {
        nb::gil_scoped_release unlocked;
        outcome = search(criterion, progress);
    }
    outcome.interrupted |= progress.interrupted_by_now();
    outcome.calls = criterion.calls();
    outcome.distinct_calls = criterion.distinct_calls();
    return outcome;
}

SearchOutcome search_greedy(const PySearchProblem& problem, const BoolMatrix& start, const GreedySettings& settings,
                            ProgressCallback callback, int threads) {
    Matrix from = square_of(start, problem.variables());
    if (!settings.ties.ranks.empty() && settings.ties.ranks.size() != at(problem.variables()))
        throw nb::value_error("there must be one rank a variable");
    return run(problem, std::move(callback), threads, [&](Criterion& criterion, Progress& progress) {
        GreedyResult found = greedy(criterion, problem.constraints(), from, settings, progress);
        return SearchOutcome{.dag = std::move(found.dag),
                             .score = found.score,
                             .steps = found.steps,
                             .interrupted = found.interrupted,
                             .moves = std::move(found.trace),
                             .ties = found.ties,
                             .mirrored = found.mirrored};
    });
}

SearchOutcome search_ges(const PySearchProblem& problem, const BoolMatrix& start, const GesSettings& settings,
                         ProgressCallback callback, int threads) {
    Matrix from = square_of(start, problem.variables());
    return run(problem, std::move(callback), threads, [&](Criterion& criterion, Progress& progress) {
        GesResult found = ges(criterion, problem.constraints(), from, settings, progress);
        return SearchOutcome{.dag = std::move(found.dag),
                             .cpdag = std::move(found.cpdag),
                             .score = found.score,
                             .steps = found.steps,
                             .interrupted = found.interrupted};
    });
}

SearchOutcome search_orders(const PySearchProblem& problem, const std::optional<BoolMatrix>& start,
                            const OrderSettings& settings, ProgressCallback callback, int threads) {
    std::optional<Matrix> from;
    if (start) from = square_of(*start, problem.variables());
    return run(problem, std::move(callback), threads, [&](Criterion& criterion, Progress& progress) {
        OrderResult found =
            anneal_orders(criterion, problem.constraints(), settings, from ? &*from : nullptr, progress);
        return SearchOutcome{
            .dag = std::move(found.dag), .score = found.score, .steps = found.steps, .interrupted = found.interrupted};
    });
}

SearchOutcome search_boss(const PySearchProblem& problem, const BoolMatrix& start,
                          const std::optional<BoolMatrix>& guess, const BossSettings& settings,
                          ProgressCallback callback, int threads) {
    Matrix from = square_of(start, problem.variables());
    std::optional<Matrix> good;
    if (guess) good = square_of(*guess, problem.variables());
    return run(problem, std::move(callback), threads, [&](Criterion& criterion, Progress& progress) {
        BossResult found = boss(criterion, problem.constraints(), settings, from, good ? &*good : nullptr, progress);
        return SearchOutcome{.dag = std::move(found.dag),
                             .score = found.score,
                             .steps = found.steps,
                             .interrupted = found.interrupted,
                             .late = found.late};
    });
}

GesOrder ges_order(const std::string& name) {
    if (name == "phases") return GesOrder::phases;
    if (name == "xges-0") return GesOrder::mixed;
    if (name == "xges") return GesOrder::extended;
    throw nb::value_error("the order is phases, xges-0 or xges");
}

void bind_settings(nb::module_& m) {
    nb::class_<GreedySettings>(m, "GreedySettings", "How to climb; see search/greedy/greedy.hpp.")
        .def(
            "__init__",
            [](GreedySettings* self, int tabu, int max_tabu, int restarts, int perturb, std::int64_t max_steps,
               std::uint64_t seed, bool trace, bool look_ahead, std::vector<int> ranks) {
                TieRule ties{look_ahead, std::move(ranks)};
                new (self) GreedySettings{tabu, max_tabu, restarts, perturb, max_steps, seed, trace, std::move(ties)};
            },
            nb::kw_only(), "tabu"_a, "max_tabu"_a, "restarts"_a, "perturb"_a, "max_steps"_a, "seed"_a, "trace"_a,
            "look_ahead"_a, "ranks"_a);
    nb::class_<GesSettings>(m, "GesSettings", "How to go from class to class; see search/ges/ges.hpp.")
        .def(
            "__init__",
            [](GesSettings* self, const std::string& order, bool turning, bool equivalent,
               const std::optional<BoolMatrix>& sizes) {
                new (self) GesSettings{ges_order(order), turning, equivalent,
                                       sizes ? square_of(*sizes, static_cast<int>(sizes->shape(0))) : Matrix()};
            },
            nb::kw_only(), "order"_a, "turning"_a, "equivalent"_a, "sizes"_a.none().noconvert());
    nb::class_<OrderSettings>(m, "OrderSettings", "How to anneal; see search/order/order.hpp.")
        .def(
            "__init__",
            [](OrderSettings* self, int candidates, std::int64_t steps, double initial_temperature,
               double final_temperature, bool average, bool descent, std::uint64_t seed) {
                new (self)
                    OrderSettings{candidates, steps, initial_temperature, final_temperature, average, descent, seed};
            },
            nb::kw_only(), "candidates"_a, "steps"_a, "initial_temperature"_a, "final_temperature"_a, "average"_a,
            "descent"_a, "seed"_a);
    nb::class_<BossSettings>(m, "BossSettings", "How to search for the best order; see search/boss/boss.hpp.")
        .def(
            "__init__",
            [](BossSettings* self, int restarts, int candidates, std::int64_t families, std::int64_t patience,
               double time_limit, std::uint64_t seed) {
                new (self) BossSettings{restarts, candidates, families, patience, time_limit, seed};
            },
            nb::kw_only(), "restarts"_a, "candidates"_a, "families"_a, "patience"_a, "time_limit"_a, "seed"_a);
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<PySearchProblem>(m, "SearchProblem", "A score with a prior, and what is known of the graph.")
        .def(
            nb::init<PyScorer&, OptionalRows, OptionalMatrix, const BoolMatrix&, const BoolMatrix&, std::vector<int>>(),
            "scorer"_a, "prior_size"_a.none().noconvert(), "prior_arc"_a.none().noconvert(), "required"_a.noconvert(),
            "forbidden"_a.noconvert(), "max_indegree"_a, nb::keep_alive<1, 2>());
    bind_settings(m);
    nb::class_<Move>(m, "Move", "A step of a greedy search: 0 adds, 1 removes, 2 reverses the arc.")
        .def_prop_ro("kind", [](const Move& move) { return static_cast<int>(move.kind); })
        .def_ro("origin", &Move::from)
        .def_ro("target", &Move::to)
        .def_ro("gain", &Move::gain);
    nb::class_<SearchOutcome>(m, "SearchOutcome", "What a search found, and what it took.")
        .def_prop_ro(
            "dag", [](const SearchOutcome& outcome) { return to_numpy(outcome.dag); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "cpdag",
            [](const SearchOutcome& outcome) {
                if (!outcome.cpdag) throw nb::value_error("only a search over classes has a CPDAG");
                return to_numpy(*outcome.cpdag);
            },
            nb::rv_policy::automatic, "The class, of a search over classes.")
        .def_ro("score", &SearchOutcome::score)
        .def_ro("steps", &SearchOutcome::steps)
        .def_ro("calls", &SearchOutcome::calls)
        .def_ro("distinct_calls", &SearchOutcome::distinct_calls)
        .def_ro("interrupted", &SearchOutcome::interrupted)
        .def_ro("late", &SearchOutcome::late, "Stopped by its deadline.")
        .def_ro("moves", &SearchOutcome::moves, "Of a greedy search that keeps a trace.")
        .def_ro("ties", &SearchOutcome::ties,
                "How often a greedy search met an arc that was as good in the other direction.")
        .def_ro("mirrored", &SearchOutcome::mirrored,
                "How many scores of a greedy search those of reverse arcs imply, if the score is score-equivalent.");
    m.def("search_greedy", &search_greedy, "problem"_a, "start"_a.noconvert(), "settings"_a, "progress"_a.none(),
          "threads"_a, "Hill climbing, tabu search and restarts.");
    m.def("search_ges", &search_ges, "problem"_a, "start"_a.noconvert(), "settings"_a, "progress"_a.none(), "threads"_a,
          "Greedy equivalence search.");
    m.def("search_orders", &search_orders, "problem"_a, "start"_a.none().noconvert(), "settings"_a, "progress"_a.none(),
          "threads"_a, "Simulated annealing over orders.");
    m.def("search_boss", &search_boss, "problem"_a, "start"_a.noconvert(), "guess"_a.none().noconvert(), "settings"_a,
          "progress"_a.none(), "threads"_a, "Best order score search.");
}

}  // namespace veridag::binding
