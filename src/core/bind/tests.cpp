// The part of the binding that is about tests and the searches that go by them.
#include "bind/objects.hpp"
#include "search/constraint/local.hpp"
#include "search/constraint/orient.hpp"
#include "search/constraint/skeleton.hpp"
#include "search/constraint/test_bench.hpp"
#include "independence/contingency.hpp"
#include "independence/decision.hpp"
#include "independence/partial_correlation.hpp"
#include "parallel.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

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

void bind_tests(nb::module_& m) {
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
}

}  // namespace veridag::binding
