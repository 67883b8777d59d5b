// Tests of independence: many in one call, and bound to data for searches.
#include "bind/objects.hpp"
#include "bind/pair_test.hpp"
#include "elementary.hpp"
#include "independence/by_pair.hpp"
#include "independence/conditional_gaussian.hpp"
#include "independence/contingency.hpp"
#include "independence/decision.hpp"
#include "independence/embedded.hpp"
#include "independence/partial_correlation.hpp"
#include "parallel.hpp"
#include "search/constraint/test_bench.hpp"

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
            if (!is_variable || y[i] == families.children[i] ||
                std::find(others.begin(), others.end(), y[i]) != others.end()) {
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
            for (std::size_t i = task * tests_a_task; i < std::min(families.size(), (task + 1) * tests_a_task); ++i)
                work(workers[worker], i);
        });
    }
};

std::tuple<NewDoubles, NewDoubles, NewDoubles, NewDoubles, NewInts> contingency(const PyTable& data, Int32s x, Int32s y,
                                                                                Int64s offsets, Int32s given,
                                                                                int threads) {
    Tests tests(x, y, offsets, given, data.table().variables());
    std::size_t size = tests.y.size();
    auto [g2, g2_owner] = owned<double>(size);
    auto [x2, x2_owner] = owned<double>(size);
    auto [strata, strata_owner] = owned<double>(size);
    auto [df, df_owner] = owned<double>(size);
    auto [n, n_owner] = owned<std::int64_t>(size);
    {
        nb::gil_scoped_release unlocked;
        tests.run(
            threads, [&] { return Contingency(data.table()); },
            [&, g2 = g2, x2 = x2, strata = strata, df = df, n = n](Contingency& worker, std::size_t i) {
                ContingencyStatistics found =
                    worker.of(tests.families.children[i], tests.y[i], tests.families.parents_of(i));
                g2[i] = found.g2;
                x2[i] = found.x2;
                strata[i] = found.strata;
                df[i] = found.adjusted_df;
                n[i] = found.n;
            });
    }
    return {NewDoubles(g2, {size}, g2_owner), NewDoubles(x2, {size}, x2_owner),
            NewDoubles(strata, {size}, strata_owner), NewDoubles(df, {size}, df_owner), NewInts(n, {size}, n_owner)};
}

std::pair<NewDoubles, NewInts> partial_correlations(DoubleMatrix scatter, double n, Int32s x, Int32s y, Int64s offsets,
                                                    Int32s given, int threads) {
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
                PartialCorrelation found =
                    worker.of(tests.families.children[i], tests.y[i], tests.families.parents_of(i));
                rho[i] = found.rho;
                rank[i] = found.rank;
            });
    }
    return {NewDoubles(rho, {size}, rho_owner), NewInts(rank, {size}, rank_owner)};
}

std::tuple<NewDoubles, NewInts, NewDoubles> observed_correlations(const PyMixedTable& data, Int32s x, Int32s y,
                                                                  Int64s offsets, Int32s given, int threads) {
    auto moments = data.moments();
    Tests tests(x, y, offsets, given, moments->variables());
    std::size_t size = tests.y.size();
    auto [rho, rho_owner] = owned<double>(size);
    auto [rank, rank_owner] = owned<std::int64_t>(size);
    auto [n, n_owner] = owned<double>(size);
    {
        nb::gil_scoped_release unlocked;
        tests.run(
            threads, [&] { return ObservedCorrelations(moments); },
            [&, rho = rho, rank = rank, n = n](ObservedCorrelations& worker, std::size_t i) {
                PartialCorrelation found =
                    worker.of(tests.families.children[i], tests.y[i], tests.families.parents_of(i));
                rho[i] = found.rho;
                rank[i] = found.rank;
                n[i] = worker.n();
            });
    }
    return {NewDoubles(rho, {size}, rho_owner), NewInts(rank, {size}, rank_owner), NewDoubles(n, {size}, n_owner)};
}

// Statistic, degrees of freedom and number of observations of many tests, each by a worker's `of`.
template <class Make>
std::tuple<NewDoubles, NewDoubles, NewDoubles> chi_squares(const Tests& tests, int threads, Make make) {
    std::size_t size = tests.y.size();
    auto [statistic, statistic_owner] = owned<double>(size);
    auto [df, df_owner] = owned<double>(size);
    auto [n, n_owner] = owned<double>(size);
    {
        nb::gil_scoped_release unlocked;
        tests.run(threads, make, [&, statistic = statistic, df = df, n = n](auto& worker, std::size_t i) {
            ChiSquare found = worker.of(tests.families.children[i], tests.y[i], tests.families.parents_of(i));
            statistic[i] = found.statistic;
            df[i] = found.df;
            n[i] = found.n;
        });
    }
    return {NewDoubles(statistic, {size}, statistic_owner), NewDoubles(df, {size}, df_owner),
            NewDoubles(n, {size}, n_owner)};
}

std::tuple<NewDoubles, NewDoubles, NewDoubles> conditional_gaussian(const PyMixedTable& data, Int32s x, Int32s y,
                                                                    Int64s offsets, Int32s given, int threads) {
    Tests tests(x, y, offsets, given, data.table().variables());
    return chi_squares(tests, threads, [&] { return ConditionalGaussian(data.table()); });
}

std::pair<NewDoubles, NewDoubles> embedded_ratios(DoubleMatrix scatter, const std::vector<int>& widths, double n,
                                                  Int32s x, Int32s y, Int64s offsets, Int32s given, int threads) {
    EmbeddedData data = embedded_data(scatter, widths, n);
    Tests tests(x, y, offsets, given, data.variables());
    auto [statistic, df, all] = chi_squares(tests, threads, [&] { return EmbeddedRatio(data); });
    return {statistic, df};
}

// ---- tests as searches use them

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

// A Python function of x, y and what is given, that answers with statistic, p-value, decision and whether that is
// reliable.
class CallbackTest : public PairTest {
   public:
    explicit CallbackTest(nb::handle function) : function_(function) {}

    Decision of(int x, int y, std::span<const int> given) override {
        nb::gil_scoped_acquire locked;
        nb::list columns;
        for (int z : given) columns.append(z);
        auto [statistic, p_value, independent, reliable] =
            nb::cast<std::tuple<double, double, bool, bool>>(function_(x, y, columns));
        // Where the p-value is too small for a number, the statistic goes on; the smallest that is one has about 745.
        return {p_value > 0.0 ? -elementary::log(p_value) : 1000.0 + std::fabs(statistic), independent, reliable};
    }

   private:
    nb::handle function_;  // kept alive by the PyPairTest's binding
};

DegreesOfFreedom degrees_of_freedom(const std::string& name) {
    if (name == "plain") return DegreesOfFreedom::plain;
    return name == "adjusted" ? DegreesOfFreedom::adjusted : DegreesOfFreedom::observed;
}

CorrelationTest correlation_kind(const std::string& name) {
    if (name == "g2") return CorrelationTest::g2;
    return name == "student-t" ? CorrelationTest::student_t : CorrelationTest::fisher_z;
}

PyPairTest bind_correlation_test(DoubleMatrix scatter, double n, const std::string& kind, double alpha) {
    int variables = square(scatter);
    return {variables, correlation_test(scatter.data(), variables, n, correlation_kind(kind), alpha)};
}

PyPairTest bind_observed_correlation_test(const PyMixedTable& data, const std::string& kind, double alpha) {
    const MixedTable& table = data.table();
    if (table.continuous() != table.variables()) throw nb::value_error("all columns must be continuous");
    return {table.variables(), correlation_test(data.moments(), correlation_kind(kind), alpha)};
}

// Without a scatter matrix, the data has missing values.
PyPairTest bind_mixed_g2_test(const PyMixedTable& data, std::optional<DoubleMatrix> scatter, const std::string& df,
                              double alpha) {
    const MixedTable& table = data.table();
    if (scatter && square(*scatter) != table.continuous())
        throw nb::value_error("the matrix must have a row for each continuous column");
    constexpr auto g2 = CorrelationTest::g2;
    TestFactory continuous = scatter ? correlation_test(scatter->data(), table.continuous(), table.total(), g2, alpha)
                                     : correlation_test(data.moments(), g2, alpha);
    return {table.variables(), mixed_g2_test(table, std::move(continuous), degrees_of_freedom(df), alpha)};
}

PyPairTest bind_degenerate_g2_test(DoubleMatrix scatter, const std::vector<int>& widths, double n, double alpha) {
    return {static_cast<int>(widths.size()), degenerate_g2_test(embedded_data(scatter, widths, n), alpha)};
}

PyPairTest bind_score_test(PyScorer& scorer, OptionalRows prior_size, OptionalMatrix prior_arc, double n,
                           std::vector<int> widths, const PyMixedTable* strata, bool remember) {
    int variables = scorer.variables();
    if (widths.size() != at(variables) || (strata && strata->table().variables() != variables))
        throw nb::value_error("there must be one width a variable");
    PerfectFit fit{n, std::move(widths), strata ? &strata->table() : nullptr};
    TestFactory make = score_test(scorer.factory(), fit, scorer.prior(prior_size, prior_arc), remember);
    return {variables, [make] { return std::make_unique<StoppableTest>(make()); }};
}

PyPairTest bind_callback_test(
    nb::typed<nb::callable, nb::typed<nb::tuple, double, double, bool, bool>(int, int, nb::typed<nb::list, int>)>
        function,
    int variables) {
    nb::handle kept = function;
    return {variables, [kept] { return std::make_unique<StoppableTest>(std::make_unique<CallbackTest>(kept)); }};
}

// The tests are kept alive by the list that the binding keeps.
PyPairTest bind_by_pair_test(nb::typed<nb::list, PyPairTest> tests, const std::vector<int>& which, int variables) {
    if (which.size() != at(variables) * at(variables)) throw nb::value_error("there must be a place for each pair");
    std::vector<TestFactory> makers;
    for (nb::handle one : tests) {
        const auto& test = nb::cast<const PyPairTest&>(one);
        if (test.variables != variables) throw nb::value_error("the tests differ in their number of variables");
        makers.push_back(test.make);
    }
    for (int k : which) {
        if (k < -1 || k >= static_cast<int>(makers.size())) throw nb::value_error("a pair has no test");
    }
    return {variables, [makers, which, variables] {
                std::vector<std::unique_ptr<PairTest>> all;
                for (const auto& make : makers) all.push_back(make());
                return std::make_unique<ByPairTest>(std::move(all), which, variables);
            }};
}

}  // namespace

void bind_independence(nb::module_& m) {
    m.def("contingency", &contingency, "data"_a, "x"_a.noconvert(), "y"_a.noconvert(), "offsets"_a.noconvert(),
          "given"_a.noconvert(), "threads"_a,
          "G2, X2, the number of possible strata, the adjusted degrees of freedom and the observations of many tests.");
    m.def("partial_correlations", &partial_correlations, "scatter"_a.noconvert(), "n"_a, "x"_a.noconvert(),
          "y"_a.noconvert(), "offsets"_a.noconvert(), "given"_a.noconvert(), "threads"_a,
          "The partial correlations of many tests, and the ranks of their conditioning sets.");
    m.def("conditional_gaussian", &conditional_gaussian, "data"_a, "x"_a.noconvert(), "y"_a.noconvert(),
          "offsets"_a.noconvert(), "given"_a.noconvert(), "threads"_a,
          "G2 of many tests of mixed variables, their degrees of freedom by what occurs, and their observations.");
    m.def("observed_correlations", &observed_correlations, "data"_a, "x"_a.noconvert(), "y"_a.noconvert(),
          "offsets"_a.noconvert(), "given"_a.noconvert(), "threads"_a,
          "The partial correlations of many tests of the continuous columns, with missing values, the ranks of their "
          "conditioning sets, and their observations.");
    m.def("embedded_ratios", &embedded_ratios, "scatter"_a.noconvert(), "widths"_a, "n"_a, "x"_a.noconvert(),
          "y"_a.noconvert(), "offsets"_a.noconvert(), "given"_a.noconvert(), "threads"_a,
          "G2 of many tests of blocks of columns, and their degrees of freedom.");
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
                return std::tuple(decision.evidence, decision.independent, decision.reliable);
            },
            "x"_a, "y"_a, "given"_a,
            "The evidence for dependence, minus log p or what a score gains, whether x and y are independent, and "
            "whether there were rows enough to rely on a dependence.");
    m.def(
        "g2_test",
        [](const PyTable& data, const std::string& df, double alpha) {
            return PyPairTest{data.table().variables(), g2_test(data.table(), degrees_of_freedom(df), alpha)};
        },
        "data"_a, "df"_a, "alpha"_a, nb::keep_alive<0, 1>(), "G2 of discrete data.");
    m.def(
        "x2_test",
        [](const PyTable& data, const std::string& df, double alpha) {
            return PyPairTest{data.table().variables(), x2_test(data.table(), degrees_of_freedom(df), alpha)};
        },
        "data"_a, "df"_a, "alpha"_a, nb::keep_alive<0, 1>(), "Pearson's X2 of discrete data.");
    m.def("correlation_test", &bind_correlation_test, "scatter"_a.noconvert(), "n"_a, "kind"_a, "alpha"_a,
          nb::keep_alive<0, 1>(), "A test of partial correlations: g2, student-t or fisher-z.");
    m.def("observed_correlation_test", &bind_observed_correlation_test, "data"_a, "kind"_a, "alpha"_a,
          nb::keep_alive<0, 1>(), "The same of data with missing values.");
    m.def("mixed_g2_test", &bind_mixed_g2_test, "data"_a, "scatter"_a.none().noconvert(), "df"_a, "alpha"_a,
          nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), "G2 of mixed data; no scatter matrix if values are missing.");
    m.def("degenerate_g2_test", &bind_degenerate_g2_test, "scatter"_a.noconvert(), "widths"_a, "n"_a, "alpha"_a,
          nb::keep_alive<0, 1>(), "G2 of variables as blocks of columns.");
    m.def("score_test", &bind_score_test, "scorer"_a, "prior_size"_a.none().noconvert(),
          "prior_arc"_a.none().noconvert(), "n"_a, "widths"_a, "strata"_a.none(), "remember"_a, nb::keep_alive<0, 1>(),
          nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 6>(),
          "What a score gains by one more parent, as a test.");
    m.def("by_pair_test", &bind_by_pair_test, "tests"_a, "which"_a, "variables"_a, nb::keep_alive<0, 1>(),
          "One of several tests for each pair, by its place in the list; -1 if there are no rows to test it.");
    m.def("callback_test", &bind_callback_test, "function"_a, "variables"_a, nb::keep_alive<0, 1>(),
          "A Python function of x, y and what is given, that answers (statistic, p-value, independent, reliable).");
}

}  // namespace veridag::binding
