// Exact search: tables of candidate parent sets, and what is solved over them.
#include "bind/objects.hpp"
#include "exact/candidates.hpp"
#include "exact/clusters.hpp"
#include "exact/dynamic_programming.hpp"
#include "exact/facets.hpp"
#include "exact/k_best.hpp"
#include "exact/order_climb.hpp"
#include "exact/parent_sets/enumerate.hpp"
#include "exact/reduction.hpp"
#include "exact/rounding.hpp"
#include "index.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

using Bools = nb::ndarray<const bool, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Members = nb::typed<nb::list, nb::typed<nb::list, int>>;

ParentSets parent_sets(const PySearchProblem& problem, bool bounded, bool dominated, double memory_limit,
                       ProgressCallback callback, int threads) {
    ParentSetProblem all{problem.scorer().set_scorers(),
                         problem.prior(),
                         problem.constraints(),
                         bounded,
                         memory_limit,
                         threads,
                         dominated};
    PyProgress progress(std::move(callback));
    ParentSets found;
    try {
        nb::gil_scoped_release unlocked;
        found = enumerate_parent_sets(all, progress);
    } catch (const TooManyParentSets& error) {
        PyErr_SetObject(PyExc_MemoryError, nb::make_tuple(error.parents, error.bytes).ptr());
        throw nb::python_error();
    }
    progress.interrupted();
    return found;
}

Candidates make_candidates(int variables, Int64s offsets, Doubles scores, Int64s parent_offsets, Int32s parents) {
    return Candidates(variables, view(offsets), view(scores), view(parent_offsets), view(parents));
}

std::vector<std::size_t> checked_choice(const Candidates& candidates, const std::vector<std::size_t>& choice) {
    if (choice.size() != static_cast<std::size_t>(candidates.variables()))
        throw nb::value_error("a choice has one row a variable");
    for (int v = 0; v < candidates.variables(); ++v) {
        std::size_t row = choice[at(v)];
        if (row < candidates.begin(v) || row >= candidates.end(v))
            throw nb::value_error("a row is not of its variable");
    }
    return choice;
}

std::vector<int> checked_order(const Candidates& candidates, std::vector<int> order) {
    std::vector<int> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    bool good = sorted.size() == static_cast<std::size_t>(candidates.variables());
    for (std::size_t k = 0; good && k < sorted.size(); ++k) good = sorted[k] == static_cast<int>(k);
    if (!good) throw nb::value_error("order is no permutation of the variables");
    return order;
}

Bits checked_cluster(const Candidates& candidates, const std::vector<int>& members) {
    Bits bits(candidates.words(), 0);
    for (int v : members) {
        if (v < 0 || v >= candidates.variables()) throw nb::value_error("a member of the cluster is no variable");
        set_bit(bits.data(), v);
    }
    return bits;
}

Members to_lists(const std::vector<Bits>& clusters) {
    Members lists;
    for (const Bits& cluster : clusters) {
        nb::list members;
        for (int v = 0; at(v) < 64 * cluster.size(); ++v) {
            if (has_bit(cluster.data(), v)) members.append(v);
        }
        lists.append(members);
    }
    return lists;
}

struct ExactOutcome {
    std::vector<std::vector<std::size_t>> choices;  // the row of each variable, the best network first
    std::vector<double> scores;
    double bound = -minus_infinity;  // no network has a higher score
    std::int64_t steps = 0;
    double share = 1.0;     // of all sets of variables that dynamic programming came to: those that it kept
    bool finished = false;  // whether they are proven to be the best
    bool gave_up = false;   // for want of memory or steps
    bool interrupted = false;
};

// Calls search(progress) without the GIL.
template <class Search>
ExactOutcome run_exact(ProgressCallback callback, Search search) {
    PyProgress progress(std::move(callback));
    ExactOutcome outcome;
    {
        nb::gil_scoped_release unlocked;
        outcome = search(progress);
    }
    outcome.interrupted = progress.interrupted();
    return outcome;
}

// One network, or none.
template <class Result>
ExactOutcome outcome_of(Result& found, bool finished) {
    ExactOutcome outcome{.steps = found.steps, .finished = finished};
    if (found.choice.empty()) return outcome;
    outcome.choices.push_back(std::move(found.choice));
    outcome.scores.push_back(found.score);
    return outcome;
}

ExactOutcome dp(const Candidates& candidates, double known, std::uint64_t most_bytes, std::int64_t most_steps,
                int threads, ProgressCallback callback) {
    return run_exact(std::move(callback), [&](Progress& progress) {
        ExactResult found = solve_dp(candidates, {known, threads, most_bytes, most_steps}, progress);
        ExactOutcome outcome = outcome_of(found, found.finished);
        outcome.bound = found.bound;
        outcome.share = found.share;
        outcome.gave_up = found.gave_up;
        return outcome;
    });
}

ExactOutcome best_choices(const Candidates& candidates, std::size_t k, ProgressCallback callback) {
    return run_exact(std::move(callback), [&](Progress& progress) {
        KBestResult found = k_best(candidates, k, progress);
        return ExactOutcome{
            .choices = std::move(found.choices), .scores = std::move(found.scores), .finished = found.finished};
    });
}

ExactOutcome climb(const Candidates& candidates, const std::vector<int>& order, std::int64_t rounds, std::uint64_t seed,
                   ProgressCallback callback) {
    std::vector<int> start = checked_order(candidates, order);
    return run_exact(std::move(callback), [&](Progress& progress) {
        ClimbResult found = climb_orders(candidates, start, {rounds, seed}, progress);
        return outcome_of(found, false);
    });
}

std::vector<Part> split_parts(const Candidates& candidates, const Bools& keep) {
    if (keep.shape(0) != candidates.rows()) throw nb::value_error("keep has one entry a row");
    return split(candidates, std::vector<char>(keep.data(), keep.data() + keep.shape(0)));
}

using Sets = nb::handle_t<ParentSets>;

ParentSets& self_of(Sets sets) { return nb::cast<ParentSets&>(sets); }

// Numbers that stay where they are: a table may take up half of the memory.
template <class T>
nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig> view_of(nb::handle owner, std::vector<T>& values) {
    return {values.data(), {values.size()}, owner};
}

// What Python reads of the results.
void bind_results(nb::module_& m) {
    nb::class_<ParentSets>(m, "ParentSets",
                           "Parent sets of all variables, one variable after the other, the best first.")
        .def_prop_ro(
            "offsets", [](Sets self) { return view_of(self, self_of(self).offsets); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "scores", [](Sets self) { return view_of(self, self_of(self).scores); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "parent_offsets", [](Sets self) { return view_of(self, self_of(self).parent_offsets); },
            nb::rv_policy::automatic)
        .def_prop_ro(
            "parents", [](Sets self) { return view_of(self, self_of(self).parents); }, nb::rv_policy::automatic)
        .def_ro("scored", &ParentSets::scored, "Families whose score was computed.")
        .def_ro("interrupted", &ParentSets::interrupted);
    nb::class_<ExactOutcome>(m, "ExactOutcome", "The networks that were found, the best first, and what it took.")
        .def_ro("choices", &ExactOutcome::choices,
                "The row of each variable, network by network; none if there is none.")
        .def_ro("scores", &ExactOutcome::scores)
        .def_ro("bound", &ExactOutcome::bound, "No network has a higher score, unless it was known before.")
        .def_ro("steps", &ExactOutcome::steps)
        .def_ro("share", &ExactOutcome::share,
                "Of all sets of variables that dynamic programming came to: those that it kept.")
        .def_ro("finished", &ExactOutcome::finished, "Whether they are proven to be the best.")
        .def_ro("gave_up", &ExactOutcome::gave_up, "For want of memory or steps.")
        .def_ro("interrupted", &ExactOutcome::interrupted);
    nb::class_<Bound>(m, "Bound",
                      "No network has a score above `score`, and none with a row has one above `score - loss[row]`.")
        .def_ro("score", &Bound::score)
        .def_prop_ro(
            "loss", [](const Bound& bound) { return to_numpy(bound.loss); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "clusters", [](const Bound& bound) { return to_lists(bound.clusters); }, "Those that show it.")
        .def_ro("order", &Bound::order, "One to start from.");
    nb::class_<Part>(m, "Part", "A part of a table that can be solved alone.")
        .def_prop_ro(
            "variables", [](const Part& part) { return to_numpy(part.variables); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "rows", [](const Part& part) { return to_numpy(part.rows); }, nb::rv_policy::automatic)
        .def_ro("candidates", &Part::candidates);
    nb::class_<Cut>(m, "Cut", "The sum of coefficient times weight, over these rows, is at most `most`.")
        .def_prop_ro(
            "rows", [](const Cut& cut) { return to_numpy(cut.rows); }, nb::rv_policy::automatic)
        .def_prop_ro(
            "coefficients", [](const Cut& cut) { return to_numpy(cut.coefficients); }, nb::rv_policy::automatic)
        .def_ro("most", &Cut::most);
}

}  // namespace

void bind_exact(nb::module_& m) {
    bind_results(m);
    m.def("parent_sets", &parent_sets, "problem"_a, "bounded"_a, "dominated"_a, "memory_limit"_a, "progress"_a.none(),
          "threads"_a,
          "The parent sets that no subset beats, or all of them. A MemoryError has the number of parents that was too "
          "large and the bytes needed.");
    nb::class_<Candidates>(m, "Candidates", "Candidate parent sets of every variable with their scores, best first.")
        .def(
            "__init__",
            [](Candidates* self, int variables, Int64s offsets, Doubles scores, Int64s parent_offsets, Int32s parents) {
                new (self) Candidates(make_candidates(variables, offsets, scores, parent_offsets, parents));
            },
            "variables"_a, "offsets"_a.noconvert(), "scores"_a.noconvert(), "parent_offsets"_a.noconvert(),
            "parents"_a.noconvert())
        .def("solve_dp", &dp, "known"_a, "most_bytes"_a, "most_steps"_a, "threads"_a, "progress"_a.none(),
             "The best network of a score above what is known, by dynamic programming.")
        .def("k_best", &best_choices, "k"_a, "progress"_a.none(), "The k best networks.")
        .def("climb", &climb, "order"_a, "rounds"_a, "seed"_a, "progress"_a.none(),
             "A good network, by local search over orders.")
        .def(
            "dual_ascent",
            [](const Candidates& self, std::uint64_t seed) {
                nb::gil_scoped_release unlocked;
                Bound bound = dual_ascent(self, seed);
                return bound;
            },
            "seed"_a, "A bound on the score of every network.")
        .def("split", &split_parts, "keep"_a.noconvert(), "The strong components of the rows that are kept.")
        .def(
            "violated_clusters",
            [](const Candidates& self, Doubles x, double margin, std::size_t most) {
                if (x.shape(0) != self.rows()) throw nb::value_error("there is one weight a row");
                std::vector<Bits> found;
                {
                    nb::gil_scoped_release unlocked;
                    found = violated_clusters(self, view(x), margin, most);
                }
                return to_lists(found);
            },
            "x"_a.noconvert(), "margin"_a, "most"_a, "Clusters that the weights of the rows violate, by heuristic.")
        .def(
            "violated_facets",
            [](const Candidates& self, Doubles x, double margin, std::size_t most) {
                if (x.shape(0) != self.rows()) throw nb::value_error("there is one weight a row");
                nb::gil_scoped_release unlocked;
                return violated_facets(self, view(x), margin, most);
            },
            "x"_a.noconvert(), "margin"_a, "most"_a, "Constraints on three or four variables that the weights violate.")
        .def(
            "order_by_weight",
            [](const Candidates& self, Doubles x, double share) {
                if (x.shape(0) != self.rows()) throw nb::value_error("there is one weight a row");
                nb::gil_scoped_release unlocked;
                return order_by_weight(self, view(x), share);
            },
            "x"_a.noconvert(), "share"_a, "An order in which much of the weight is on rows whose parents come before.")
        .def(
            "mutual_pairs", [](const Candidates& self) { return to_lists(mutual_pairs(self)); },
            "Pairs of candidate parents of each other.")
        .def(
            "cycles",
            [](const Candidates& self, const std::vector<std::size_t>& choice) {
                return to_lists(cycles(self, checked_choice(self, choice)));
            },
            "choice"_a, "Disjoint cycles of a graph, none if it is acyclic.")
        .def(
            "order_of",
            [](const Candidates& self, const std::vector<std::size_t>& choice) {
                return self.order_of(checked_choice(self, choice));
            },
            "choice"_a, "The variables in topological order, without those on a cycle or behind one.")
        .def(
            "cluster_rows",
            [](const Candidates& self, const std::vector<int>& members, bool outside) {
                return to_numpy(cluster_rows(self, checked_cluster(self, members), outside));
            },
            "members"_a, "outside"_a, "The rows of members whose parents lie outside the cluster, or the others.");
    m.def("dp_bytes", &dp_bytes, "variables"_a,
          "The memory that dynamic programming over so many variables needs if nothing is ruled out.");
    m.attr("MAX_DP_VARIABLES") = max_dp_variables;
    m.def("k_best_bytes", &k_best_bytes, "variables"_a, "k"_a,
          "The memory that the k best networks over so many variables need at most.");
    m.attr("MAX_K_BEST_VARIABLES") = max_k_best_variables;
    m.attr("MAX_K_BEST") = max_k_best;
}

}  // namespace veridag::binding
