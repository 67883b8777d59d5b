// Searches that go by tests of independence.
#include <limits>

#include "bind/objects.hpp"
#include "bind/pair_test.hpp"
#include "search/constraint/local.hpp"
#include "search/constraint/orient.hpp"
#include "search/constraint/skeleton.hpp"
#include "search/constraint/test_bench.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

// A constraint-based search over numpy's memory.
struct PyConstraintSearch {
    std::string method;
    Constraints constraints;
    std::size_t largest;
    PyProgress progress;
    TestBench tests;

    PyConstraintSearch(PyPairTest& test, std::string name, const BoolMatrix& required, const BoolMatrix& forbidden,
                       std::vector<int> max_indegree, int max_conditioning, nb::object callback, int threads)
        : method(std::move(name)),
          constraints(square_of(required, test.variables), square_of(forbidden, test.variables),
                      std::move(max_indegree)),
          largest(max_conditioning < 0 ? std::numeric_limits<std::size_t>::max() : at(max_conditioning)),
          progress(std::move(callback)),
          tests(test.variables, test.make, threads, method != "pc-stable" || keeps_pairs_apart(constraints), progress) {
        if (constraints.max_indegree.size() != at(test.variables))
            throw nb::value_error("there must be one max_indegree a variable");
    }

    static bool keeps_pairs_apart(const Constraints& constraints) {
        for (int x = 0; x < constraints.variables(); ++x) {
            for (int y = x + 1; y < constraints.variables(); ++y) {
                if (constraints.may_not_join(x, y)) return true;
            }
        }
        return false;
    }

    LocalSettings local() const {
        if (method == "grow-shrink") return {LocalMethod::grow_shrink, constraints, largest};
        if (method == "inter-iamb") return {LocalMethod::inter_iamb, constraints, largest};
        if (method == "mmpc") return {LocalMethod::mmpc, constraints, largest};
        if (method == "si-hiton-pc") return {LocalMethod::si_hiton_pc, constraints, largest};
        if (method == "hpc") return {LocalMethod::hpc, constraints, largest};
        throw nb::value_error("the core has no such local search");
    }

    LocalSkeleton skeleton() {
        return method == "pc-stable" ? LocalSkeleton{pc_stable(tests, constraints, largest), {}}
                                     : local_skeleton(tests, local());
    }
};

using SkeletonTuple = nb::typed<nb::tuple, NewMatrix, std::vector<int>, bool, std::int64_t, std::int64_t>;

SkeletonTuple search_skeleton(PyPairTest& test, const std::string& method, BoolMatrix required, BoolMatrix forbidden,
                              std::vector<int> max_indegree, int max_conditioning, nb::object progress, int threads) {
    PyConstraintSearch search(test, method, required, forbidden, std::move(max_indegree), max_conditioning,
                              std::move(progress), threads);
    std::optional<LocalSkeleton> found;
    {
        nb::gil_scoped_release unlocked;
        found = search.skeleton();
    }
    search.progress.interrupted();
    return SkeletonTuple(nb::make_tuple(to_numpy(found->skeleton.matrix()), found->looped, search.tests.stopped(),
                                        search.tests.calls(), search.tests.distinct_calls()));
}

using ConstraintTuple = nb::typed<nb::tuple, NewMatrix, nb::typed<nb::list, nb::typed<nb::tuple, int, int, int>>,
                                  std::vector<int>, bool, std::int64_t, std::int64_t>;

ConstraintTuple search_constraints(PyPairTest& test, const std::string& method, BoolMatrix required,
                                   BoolMatrix forbidden, std::vector<int> max_indegree, int max_conditioning,
                                   nb::object progress, int threads) {
    PyConstraintSearch search(test, method, required, forbidden, std::move(max_indegree), max_conditioning,
                              std::move(progress), threads);
    Orientation oriented;
    std::vector<int> looped;
    {
        nb::gil_scoped_release unlocked;
        LocalSkeleton found = search.skeleton();
        oriented = orient(search.tests, search.constraints, found.skeleton, search.largest);
        looped = std::move(found.looped);
    }
    search.progress.interrupted();
    nb::list overruled;
    for (const auto& [x, z, y] : oriented.overruled) overruled.append(nb::make_tuple(x, z, y));
    return ConstraintTuple(nb::make_tuple(to_numpy(oriented.pdag), overruled, looped, search.tests.stopped(),
                                          search.tests.calls(), search.tests.distinct_calls()));
}

using LocalTuple = nb::typed<nb::tuple, std::vector<int>, std::vector<int>, bool, std::int64_t, std::int64_t>;

template <Neighbourhood (*find)(TestBench&, const LocalSettings&, int)>
LocalTuple search_local(PyPairTest& test, const std::string& method, int target, BoolMatrix required,
                        BoolMatrix forbidden, int max_conditioning, nb::object progress, int threads) {
    if (target < 0 || target >= test.variables) throw nb::value_error("the target is no variable");
    std::vector<int> limits(at(test.variables), test.variables);
    PyConstraintSearch search(test, method, required, forbidden, std::move(limits), max_conditioning,
                              std::move(progress), threads);
    LocalSettings settings = search.local();
    Neighbourhood found;
    {
        nb::gil_scoped_release unlocked;
        found = find(search.tests, settings, target);
    }
    search.progress.interrupted();
    return LocalTuple(nb::make_tuple(found.members, found.looped, search.tests.stopped(), search.tests.calls(),
                                     search.tests.distinct_calls()));
}

}  // namespace

void bind_constraint(nb::module_& m) {
    m.def("search_skeleton", &search_skeleton, "test"_a, "method"_a, "required"_a.noconvert(),
          "forbidden"_a.noconvert(), "max_indegree"_a, "max_conditioning"_a, "progress"_a.none(), "threads"_a,
          "The skeleton by a constraint-based method: matrix, variables that looped, interrupted, calls, distinct "
          "calls.");
    m.def("search_constraints", &search_constraints, "test"_a, "method"_a, "required"_a.noconvert(),
          "forbidden"_a.noconvert(), "max_indegree"_a, "max_conditioning"_a, "progress"_a.none(), "threads"_a,
          "A graph by a constraint-based method: PDAG, v-structures overruled, variables that looped, interrupted, "
          "calls, distinct calls.");
    m.def("search_neighbours", &search_local<neighbours_of>, "test"_a, "method"_a, "target"_a, "required"_a.noconvert(),
          "forbidden"_a.noconvert(), "max_conditioning"_a, "progress"_a.none(), "threads"_a,
          "One variable's neighbours: members, variables that looped, interrupted, calls, distinct calls.");
    m.def("search_blanket", &search_local<blanket_of>, "test"_a, "method"_a, "target"_a, "required"_a.noconvert(),
          "forbidden"_a.noconvert(), "max_conditioning"_a, "progress"_a.none(), "threads"_a,
          "One variable's Markov blanket: members, variables that looped, interrupted, calls, distinct calls.");
}

}  // namespace veridag::binding
