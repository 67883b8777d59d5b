// Exact search: tables of candidate parent sets, and what is solved over them.
#include <tuple>

#include "bind/objects.hpp"
#include "exact/candidates.hpp"
#include "exact/clusters.hpp"
#include "exact/dynamic_programming.hpp"
#include "exact/facets.hpp"
#include "exact/k_best.hpp"
#include "exact/order_climb.hpp"
#include "exact/parent_sets/enumerate.hpp"
#include "exact/reduction.hpp"
#include "index.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

using Bools = nb::ndarray<const bool, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Members = nb::typed<nb::list, nb::typed<nb::list, int>>;

using ParentSetsTuple = nb::typed<nb::tuple, NewInts, NewDoubles, NewInts, NewInt32s, std::int64_t, bool>;

ParentSetsTuple parent_sets(PyScorer& scorer, OptionalMatrix prior_size, OptionalMatrix prior_arc, BoolMatrix required,
                            BoolMatrix forbidden, Int64s limits, bool bounded, double memory_limit, nb::object callback,
                            int threads, bool dominated) {
    int n = scorer.variables();
    if (limits.shape(0) != static_cast<std::size_t>(n)) throw nb::value_error("there must be one limit a variable");
    std::vector<int> most(limits.data(), limits.data() + limits.shape(0));
    ParentSetProblem problem{scorer.set_scorers(),
                             scorer.prior(prior_size, prior_arc),
                             Constraints(square_of(required, n), square_of(forbidden, n), std::move(most)),
                             bounded,
                             memory_limit,
                             threads,
                             dominated};
    PyProgress progress(std::move(callback));
    ParentSets found;
    try {
        nb::gil_scoped_release unlocked;
        found = enumerate_parent_sets(problem, progress);
    } catch (const TooManyParentSets& error) {
        PyErr_SetObject(PyExc_MemoryError, nb::make_tuple(error.parents, error.bytes).ptr());
        throw nb::python_error();
    }
    progress.interrupted();
    return ParentSetsTuple(nb::make_tuple(moved_to_numpy(std::move(found.offsets)),
                                          moved_to_numpy(std::move(found.scores)),
                                          moved_to_numpy(std::move(found.parent_offsets)),
                                          moved_to_numpy(std::move(found.parents)), found.scored, found.interrupted));
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

Members to_lists(const Candidates& candidates, const std::vector<Bits>& clusters) {
    Members lists;
    for (const Bits& cluster : clusters) {
        nb::list members;
        for (int v = 0; v < candidates.variables(); ++v) {
            if (has_bit(cluster.data(), v)) members.append(v);
        }
        lists.append(members);
    }
    return lists;
}

nb::typed<nb::tuple, NewInts, double, std::int64_t, bool, bool> dp(const Candidates& candidates, nb::object stop) {
    PyProgress progress(std::move(stop));
    ExactResult found;
    {
        nb::gil_scoped_release unlocked;
        found = solve_dp(candidates, progress);
    }
    bool interrupted = progress.interrupted();
    return nb::typed<nb::tuple, NewInts, double, std::int64_t, bool, bool>(
        nb::make_tuple(to_numpy(found.choice), found.score, found.steps, found.finished, interrupted));
}

nb::typed<nb::tuple, NewInts, NewDoubles, bool, bool> best_choices(const Candidates& candidates, std::size_t k,
                                                                   nb::object stop) {
    PyProgress progress(std::move(stop));
    KBestResult found;
    {
        nb::gil_scoped_release unlocked;
        found = k_best(candidates, k, progress);
    }
    bool interrupted = progress.interrupted();
    std::vector<std::size_t> rows;
    for (const auto& choice : found.choices) rows.insert(rows.end(), choice.begin(), choice.end());
    return nb::typed<nb::tuple, NewInts, NewDoubles, bool, bool>(
        nb::make_tuple(to_numpy(rows), to_numpy(found.scores), found.finished, interrupted));
}

nb::typed<nb::tuple, NewInts, double, std::int64_t, bool> climb(const Candidates& candidates,
                                                                const std::vector<int>& order, std::int64_t rounds,
                                                                std::uint64_t seed, nb::object stop) {
    PyProgress progress(std::move(stop));
    std::vector<int> start = checked_order(candidates, order);
    ClimbResult found;
    {
        nb::gil_scoped_release unlocked;
        found = climb_orders(candidates, start, {rounds, seed}, progress);
    }
    bool interrupted = progress.interrupted();
    return nb::typed<nb::tuple, NewInts, double, std::int64_t, bool>(
        nb::make_tuple(to_numpy(found.choice), found.score, found.steps, interrupted));
}

using PartTuple = nb::typed<nb::tuple, NewInts, NewInts, Candidates>;

nb::typed<nb::list, PartTuple> split_parts(const Candidates& candidates, Bools keep) {
    if (keep.shape(0) != candidates.rows()) throw nb::value_error("keep has one entry a row");
    nb::typed<nb::list, PartTuple> parts;
    for (Part& part : split(candidates, std::vector<char>(keep.data(), keep.data() + keep.shape(0)))) {
        parts.append(nb::make_tuple(to_numpy(part.variables), to_numpy(part.rows), std::move(part.candidates)));
    }
    return parts;
}

}  // namespace

void bind_exact(nb::module_& m) {
    m.def("parent_sets", &parent_sets, "scorer"_a, "prior_size"_a.none().noconvert(), "prior_arc"_a.none().noconvert(),
          "required"_a.noconvert(), "forbidden"_a.noconvert(), "limits"_a.noconvert(), "bounded"_a, "memory_limit"_a,
          "progress"_a.none(), "threads"_a, "dominated"_a,
          "The parent sets that no subset beats, or all of them: offsets, scores, offsets of parents, parents, "
          "families scored, interrupted. A MemoryError "
          "has the number of parents that was too large and the bytes needed.");
    nb::class_<Candidates>(m, "Candidates", "Candidate parent sets of every variable with their scores, best first.")
        .def(
            "__init__",
            [](Candidates* self, int variables, Int64s offsets, Doubles scores, Int64s parent_offsets, Int32s parents) {
                new (self) Candidates(make_candidates(variables, offsets, scores, parent_offsets, parents));
            },
            "variables"_a, "offsets"_a.noconvert(), "scores"_a.noconvert(), "parent_offsets"_a.noconvert(),
            "parents"_a.noconvert())
        .def("solve_dp", &dp, "stop"_a.none(),
             "Dynamic programming: the row of each variable (none if no network is allowed), score, steps, finished, "
             "interrupted.")
        .def("k_best", &best_choices, "k"_a, "stop"_a.none(),
             "The k best networks, best first: the row of each variable of one network after the other, scores, "
             "finished, interrupted.")
        .def("climb", &climb, "order"_a, "rounds"_a, "seed"_a, "stop"_a.none(),
             "Local search over orders: the row of each variable, score, steps, interrupted.")
        .def(
            "dual_ascent",
            [](const Candidates& self, std::uint64_t seed) {
                Bound bound;
                {
                    nb::gil_scoped_release unlocked;
                    bound = dual_ascent(self, seed);
                }
                return std::tuple(bound.score, to_numpy(bound.loss), to_lists(self, bound.clusters), bound.order);
            },
            "seed"_a,
            "A bound on the score of every network, how much less those with a row have at most, the clusters that "
            "show it, and an order to start from.")
        .def("split", &split_parts, "keep"_a.noconvert(),
             "The strong components of the rows that are kept: variables, rows, candidates of each.")
        .def(
            "violated_clusters",
            [](const Candidates& self, Doubles x, double margin, std::size_t most) {
                if (x.shape(0) != self.rows()) throw nb::value_error("there is one weight a row");
                std::vector<Bits> found;
                {
                    nb::gil_scoped_release unlocked;
                    found = violated_clusters(self, view(x), margin, most);
                }
                return to_lists(self, found);
            },
            "x"_a.noconvert(), "margin"_a, "most"_a, "Clusters that the weights of the rows violate, by heuristic.")
        .def(
            "violated_facets",
            [](const Candidates& self, Doubles x, double margin, std::size_t most) {
                if (x.shape(0) != self.rows()) throw nb::value_error("there is one weight a row");
                std::vector<Cut> found;
                {
                    nb::gil_scoped_release unlocked;
                    found = violated_facets(self, view(x), margin, most);
                }
                nb::typed<nb::list, nb::typed<nb::tuple, NewInts, NewDoubles, double>> cuts;
                for (const Cut& cut : found)
                    cuts.append(nb::make_tuple(to_numpy(cut.rows), to_numpy(cut.coefficients), cut.most));
                return cuts;
            },
            "x"_a.noconvert(), "margin"_a, "most"_a,
            "Constraints on three or four variables that the weights violate: rows, coefficients, most.")
        .def(
            "mutual_pairs", [](const Candidates& self) { return to_lists(self, mutual_pairs(self)); },
            "Pairs of candidate parents of each other.")
        .def(
            "cycles",
            [](const Candidates& self, const std::vector<std::size_t>& choice) {
                return to_lists(self, cycles(self, checked_choice(self, choice)));
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
    m.def("dp_bytes", &dp_bytes, "variables"_a, "The memory that dynamic programming over so many variables needs.");
    m.attr("MAX_DP_VARIABLES") = max_dp_variables;
    m.def("k_best_bytes", &k_best_bytes, "variables"_a, "k"_a,
          "The memory that the k best networks over so many variables need at most.");
    m.attr("MAX_K_BEST_VARIABLES") = max_k_best_variables;
    m.attr("MAX_K_BEST") = max_k_best;
}

}  // namespace veridag::binding
