// Searches that go by tests of independence: what they are given, and what they find.
#include <array>
#include <limits>
#include <map>

#include "bind/objects.hpp"
#include "bind/pair_test.hpp"
#include "search/constraint/local.hpp"
#include "search/constraint/orient.hpp"
#include "search/constraint/skeleton.hpp"
#include "search/constraint/test_bench.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

// The test is kept alive by the binding.
struct PyConstraintProblem {
    PyPairTest& test;
    Constraints constraints;
    std::size_t largest;  // most variables in the sets tried as separators

    PyConstraintProblem(PyPairTest& bound, const BoolMatrix& required, const BoolMatrix& forbidden,
                        std::vector<int> max_indegree, int max_conditioning)
        : test(bound),
          constraints(square_of(required, test.variables), square_of(forbidden, test.variables),
                      std::move(max_indegree)),
          largest(max_conditioning < 0 ? std::numeric_limits<std::size_t>::max() : at(max_conditioning)) {
        if (constraints.max_indegree.size() != at(test.variables)) {
            throw nb::value_error("there must be one max_indegree a variable");
        }
    }

    bool keeps_pairs_apart() const {
        for (int x = 0; x < constraints.variables(); ++x) {
            for (int y = x + 1; y < constraints.variables(); ++y) {
                if (constraints.may_not_join(x, y)) return true;
            }
        }
        return false;
    }

    // PC-stable never makes the same test twice, unless pairs without a separating set are looked at again.
    bool needs_cache(const std::string& method) const { return method != "pc-stable" || keeps_pairs_apart(); }

    LocalSettings local(const std::string& method) const {
        static const std::map<std::string, LocalMethod> methods{{"grow-shrink", LocalMethod::grow_shrink},
                                                                {"inter-iamb", LocalMethod::inter_iamb},
                                                                {"mmpc", LocalMethod::mmpc},
                                                                {"si-hiton-pc", LocalMethod::si_hiton_pc},
                                                                {"hpc", LocalMethod::hpc}};
        auto found = methods.find(method);
        if (found == methods.end()) throw nb::value_error("the core has no such local search");
        return {found->second, constraints, largest};
    }

    LocalSkeleton skeleton(TestBench& tests, const std::string& method) const {
        if (method == "pc-stable") return {pc_stable(tests, constraints, largest), {}};
        return local_skeleton(tests, local(method));
    }
};

struct ConstraintOutcome {
    Matrix pdag;
    std::vector<std::array<int, 3>> overruled;  // v-structures that were given up
    std::vector<std::array<int, 3>> colliders;  // and those that were not
    std::vector<int> members;                   // of a search around one variable
    std::vector<int> looped;                    // variables whose tests contradict each other
    std::int64_t calls = 0, distinct_calls = 0, repeats = 0;
    bool interrupted = false;
};

// Calls search(tests) without the GIL, and adds what was tested.
template <class Search>
ConstraintOutcome run(const PyConstraintProblem& problem, const std::string& method, ProgressCallback callback,
                      int threads, Search search) {
    PyProgress progress(std::move(callback));
    TestBench tests(problem.test.variables, problem.test.make, threads, problem.needs_cache(method), progress);
    ConstraintOutcome outcome;
    {
        nb::gil_scoped_release unlocked;
        outcome = search(tests);
    }
    progress.interrupted();
    outcome.calls = tests.calls();
    outcome.distinct_calls = tests.distinct_calls();
    outcome.repeats = tests.repeats();
    outcome.interrupted = tests.stopped();
    return outcome;
}

ConstraintOutcome search_skeleton(const PyConstraintProblem& problem, const std::string& method,
                                  ProgressCallback callback, int threads) {
    return run(problem, method, std::move(callback), threads, [&](TestBench& tests) {
        LocalSkeleton found = problem.skeleton(tests, method);
        return ConstraintOutcome{.pdag = found.skeleton.matrix(), .looped = std::move(found.looped)};
    });
}

ConstraintOutcome search_constraints(const PyConstraintProblem& problem, const std::string& method,
                                     ProgressCallback callback, int threads) {
    return run(problem, method, std::move(callback), threads, [&](TestBench& tests) {
        LocalSkeleton found = problem.skeleton(tests, method);
        Orientation oriented = orient(tests, problem.constraints, found.skeleton, problem.largest);
        return ConstraintOutcome{.pdag = std::move(oriented.pdag),
                                 .overruled = std::move(oriented.overruled),
                                 .colliders = std::move(oriented.colliders),
                                 .looped = std::move(found.looped)};
    });
}

template <Neighbourhood (*find)(TestBench&, const LocalSettings&, int)>
ConstraintOutcome search_local(const PyConstraintProblem& problem, const std::string& method, int target,
                               ProgressCallback callback, int threads) {
    if (target < 0 || target >= problem.test.variables) throw nb::value_error("the target is no variable");
    LocalSettings settings = problem.local(method);
    return run(problem, method, std::move(callback), threads, [&](TestBench& tests) {
        Neighbourhood found = find(tests, settings, target);
        return ConstraintOutcome{.members = std::move(found.members), .looped = std::move(found.looped)};
    });
}

}  // namespace

void bind_constraint(nb::module_& m) {
    nb::class_<PyConstraintProblem>(m, "ConstraintProblem", "A test, and what is known of the graph.")
        .def(nb::init<PyPairTest&, const BoolMatrix&, const BoolMatrix&, std::vector<int>, int>(), "test"_a,
             "required"_a.noconvert(), "forbidden"_a.noconvert(), "max_indegree"_a, "max_conditioning"_a,
             nb::keep_alive<1, 2>());
    nb::class_<ConstraintOutcome>(m, "ConstraintOutcome", "What a constraint-based search found, and what it took.")
        .def_prop_ro(
            "pdag", [](const ConstraintOutcome& outcome) { return to_numpy(outcome.pdag); }, nb::rv_policy::automatic,
            "The graph, or the skeleton as undirected edges.")
        .def_ro("overruled", &ConstraintOutcome::overruled,
                "v-structures x -> z <- y, as [x, z, y], that were given up.")
        .def_ro("colliders", &ConstraintOutcome::colliders,
                "v-structures x -> z <- y, as [x, z, y], that were directed before anything that follows from them.")
        .def_ro("members", &ConstraintOutcome::members, "Of a search around one variable.")
        .def_ro("looped", &ConstraintOutcome::looped, "Variables whose tests contradict each other.")
        .def_ro("calls", &ConstraintOutcome::calls)
        .def_ro("distinct_calls", &ConstraintOutcome::distinct_calls)
        .def_ro("repeats", &ConstraintOutcome::repeats,
                "Tests that PC-stable would make again if it took the neighbours of either end by themselves.")
        .def_ro("interrupted", &ConstraintOutcome::interrupted);
    m.def("search_skeleton", &search_skeleton, "problem"_a, "method"_a, "progress"_a.none(), "threads"_a,
          "The skeleton by a constraint-based method.");
    m.def("search_constraints", &search_constraints, "problem"_a, "method"_a, "progress"_a.none(), "threads"_a,
          "A graph by a constraint-based method.");
    m.def("search_neighbours", &search_local<neighbours_of>, "problem"_a, "method"_a, "target"_a, "progress"_a.none(),
          "threads"_a, "One variable's neighbours.");
    m.def("search_blanket", &search_local<blanket_of>, "problem"_a, "method"_a, "target"_a, "progress"_a.none(),
          "threads"_a, "One variable's Markov blanket.");
}

}  // namespace veridag::binding
