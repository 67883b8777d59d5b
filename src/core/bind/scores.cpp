// Tables of data, and scores bound to them.
#include "bind/objects.hpp"
#include "counts/association.hpp"
#include "exact/parent_sets/by_child.hpp"
#include "scores/by_child.hpp"
#include "scores/embedded.hpp"
#include "scores/functions.hpp"
#include "scores/hierarchical.hpp"
#include "scores/incomplete.hpp"
#include "scores/incomplete_mixed.hpp"
#include "scores/mean.hpp"
#include "scores/mixed.hpp"
#include "table/folded_rows.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

// A score that is a Python function of child and parents. It can be called by one thread at a time only.
class CallbackScorer : public LocalScorer {
   public:
    // A handle, which counts no references: workers are made without the GIL.
    explicit CallbackScorer(nb::handle function) : function_(function) {}

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
    return PyScorer(variables, [kept] { return std::make_unique<CallbackScorer>(kept); });
}

template <class State>
nb::object unpacked_as(const PackedStates& states, std::size_t start, std::size_t stop) {
    auto [memory, owner] = owned<State>(stop - start);
    State* out = memory;
    std::size_t begin = start / PackedArray::block * PackedArray::block;
    for_states(states.array(), begin, stop - begin, [&](const auto* own, std::size_t first, std::size_t count) {
        std::size_t skipped = start > first ? start - first : 0;
        out = std::transform(own + skipped, own + count, out, [](auto state) { return static_cast<State>(state); });
    });
    return nb::cast(nb::ndarray<State, nb::numpy, nb::ndim<1>, nb::c_contig>(memory, {stop - start}, owner));
}

nb::object unpacked(const PyPackedStates& packed, std::size_t start, std::size_t stop) {
    const PackedStates& states = packed.states();
    if (start > stop || stop > states.rows()) throw nb::value_error("there are no such rows");
    return states.bits() == 16 ? unpacked_as<std::uint16_t>(states, start, stop)
                               : unpacked_as<std::uint8_t>(states, start, stop);
}

constexpr std::size_t most_joint_cells = std::size_t{1} << 27;

using StateRows = nb::ndarray<const std::uint16_t, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void add_rows(FoldedRows& folded, const StateRows& rows, const std::optional<Int64s>& weights) {
    std::size_t count = rows.shape(0), width = rows.shape(1);
    const std::int64_t* own = checked(weights, count);
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < count; ++i) folded.add({rows.data() + i * width, width}, own ? own[i] : 1);
}

nb::ndarray<std::uint16_t, nb::numpy, nb::ndim<1>, nb::c_contig> folded_states(const FoldedRows& folded,
                                                                               std::size_t variable) {
    if (variable >= folded.variables()) throw nb::index_error("there is no such variable");
    auto [memory, owner] = owned<std::uint16_t>(folded.rows());
    for (std::size_t i = 0; i < folded.rows(); ++i) memory[i] = folded.state(i, variable);
    return {memory, {folded.rows()}, owner};
}

// The tables of several sets of variables one after the other, each with its last variable fastest.
NewInts joint_counts(const PyTable& data, const std::vector<std::vector<int>>& sets) {
    const Table& table = data.table();
    std::vector<Count> counts;
    Counter counter(table);
    nb::gil_scoped_release unlocked;
    for (const std::vector<int>& set : sets) {
        for (int v : set) {
            if (v < 0 || v >= table.variables()) throw std::out_of_range("there is no such variable");
        }
        auto own = counter.dense(set, most_joint_cells);
        if (own.empty()) throw std::length_error("a table has too many cells");
        counts.insert(counts.end(), own.begin(), own.end());
    }
    nb::gil_scoped_acquire locked;
    return to_numpy(std::span<const Count>(counts));
}

PyTable* selected(const PyTable& whole, const std::vector<int>& variables) {
    for (int v : variables) {
        if (v < 0 || v >= whole.table().variables()) throw nb::index_error("there is no such variable");
    }
    return new PyTable(whole, variables);
}

PyScorer discrete_scorer(const PyTable& data, const std::string& name, const std::vector<double>& parameters) {
    std::shared_ptr<DiscreteScore> score = make_discrete_score(name, parameters, data.table().variables());
    auto local = [&data, score] { return std::make_unique<DiscreteLocalScorer>(data.table(), *score); };
    return PyScorer(data.table().variables(), local, [&data, name, parameters, local] {
        auto quicker = make_discrete_set_scorer(data.table(), name, parameters);
        return quicker ? std::move(quicker) : make_set_scorer(local());
    });
}

PyScorer bhd_scorer(const PyTable& data, double ess, double alpha0) {
    if (data.table().variables() < 2) throw nb::value_error("there must be a variable and the groups");
    return PyScorer(data.table().variables() - 1, [&data, ess, alpha0] {
        return std::make_unique<HierarchicalLocalScorer>(data.table(), ess, alpha0);
    });
}

PyScorer incomplete_scorer(const PyTable& data, double penalty, double least) {
    const Table& table = data.table();
    return PyScorer(table.variables(), [&table, penalty, least] {
        return std::make_unique<IncompleteLocalScorer>(table, penalty, least);
    });
}

PyScorer incomplete_mixed_scorer(const PyMixedTable& data, double penalty, double least) {
    const MixedTable& table = data.table();
    auto moments = data.moments();
    return PyScorer(table.variables(), [&table, moments, penalty, least] {
        return std::make_unique<IncompleteMixedLocalScorer>(table, moments, penalty, least);
    });
}

PyScorer gaussian_scorer(DoubleMatrix scatter, double n, const std::string& name,
                         const std::vector<double>& parameters) {
    GaussianData data{scatter.data(), square(scatter), n};
    make_gaussian_score(name, parameters, data);  // to fail now rather than at the first family
    auto local = [=] { return std::make_unique<GaussianLocalScorer>(make_gaussian_score(name, parameters, data)); };
    return PyScorer(data.variables, local, [=] {
        auto quicker = make_gaussian_set_scorer(name, parameters, data);
        return quicker ? std::move(quicker) : make_set_scorer(local());
    });
}

// A matrix, or its diagonal.
using MatrixOrDiagonal = nb::ndarray<const double, nb::numpy, nb::c_contig, nb::device::cpu>;

PriorMatrix prior_matrix(const MatrixOrDiagonal& prior, int variables) {
    bool is_diagonal = prior.ndim() == 1;
    if (!is_diagonal && prior.ndim() != 2) throw nb::value_error("the prior must be a matrix or its diagonal");
    for (std::size_t i = 0; i < prior.ndim(); ++i) {
        if (prior.shape(i) != at(variables)) throw nb::value_error("the matrices differ in size");
    }
    return {prior.data(), variables, is_diagonal};
}

PyScorer bge_scorer(const MatrixOrDiagonal& prior, DoubleMatrix posterior, double n, double iss_mu, double iss_w) {
    GaussianData data{nullptr, square(posterior), n};
    PriorMatrix scale = prior_matrix(prior, data.variables);
    return PyScorer(data.variables, [=] {
        return std::make_unique<GaussianLocalScorer>(make_bge(scale, posterior.data(), iss_mu, iss_w, data));
    });
}

void check_continuous(const MixedTable& table, const DoubleMatrix& matrix) {
    if (square(matrix) != table.continuous())
        throw nb::value_error("the matrix must have a row for each continuous column");
}

PyScorer mixed_likelihood_scorer(const PyMixedTable& data, DoubleMatrix scatter, double penalty) {
    const MixedTable& table = data.table();
    check_continuous(table, scatter);
    GaussianData gaussian{scatter.data(), table.continuous(), table.total()};
    std::vector<double> parameters{penalty};
    std::shared_ptr<DiscreteScore> discrete = make_discrete_score("penalised", parameters, table.variables());
    return PyScorer(table.variables(), [=, &table] {
        return std::make_unique<MixedLocalScorer>(
            table, std::make_unique<DiscreteLocalScorer>(table.discrete(), *discrete),
            std::make_unique<GaussianLocalScorer>(make_gaussian_score("penalised", parameters, gaussian)),
            make_stratified_likelihood(penalty));
    });
}

// The prior matrix T, the posterior matrix R of all rows and the prior mean are of the continuous columns.
PyScorer mixed_bayes_scorer(const PyMixedTable& data, const std::string& name, const std::vector<double>& parameters,
                            const MatrixOrDiagonal& prior, DoubleMatrix posterior, Doubles mean, double iss_mu,
                            double iss_w) {
    const MixedTable& table = data.table();
    check_continuous(table, posterior);
    PriorMatrix scale = prior_matrix(prior, table.continuous());
    if (mean.shape(0) != posterior.shape(0)) throw nb::value_error("there must be a mean for each continuous column");
    GaussianData gaussian{nullptr, table.continuous(), table.total()};
    StratifiedPrior stratified{scale, mean.data(), iss_mu, iss_w};
    std::shared_ptr<DiscreteScore> discrete = make_discrete_score(name, parameters, table.variables());
    return PyScorer(table.variables(), [=, &table] {
        return std::make_unique<MixedLocalScorer>(
            table, std::make_unique<DiscreteLocalScorer>(table.discrete(), *discrete),
            std::make_unique<GaussianLocalScorer>(make_bge(scale, posterior.data(), iss_mu, iss_w, gaussian)),
            make_stratified_bge(stratified));
    });
}

// The scorers are kept alive by the list that the binding keeps.
PyScorer mean_scorer(nb::typed<nb::list, PyScorer> scorers) {
    std::vector<BatchScorer::Factory> makers;
    for (nb::handle one : scorers) {
        const auto& scorer = nb::cast<const PyScorer&>(one);
        if (!makers.empty() && scorer.variables() != nb::cast<const PyScorer&>(scorers[0]).variables())
            throw nb::value_error("the scorers differ in their number of variables");
        makers.push_back(scorer.factory());
    }
    if (makers.empty()) throw nb::value_error("a mean needs a scorer");
    return PyScorer(nb::cast<const PyScorer&>(scorers[0]).variables(), [makers] {
        std::vector<std::unique_ptr<LocalScorer>> all;
        for (const auto& make : makers) all.push_back(make());
        return std::make_unique<MeanLocalScorer>(std::move(all));
    });
}

// The scorers are kept alive by the list that the binding keeps.
PyScorer by_child_scorer(nb::typed<nb::list, PyScorer> scorers, const std::vector<int>& which) {
    int variables = static_cast<int>(which.size());
    std::vector<BatchScorer::Factory> makers;
    std::vector<SetScorerFactory> set_makers;
    for (nb::handle one : scorers) {
        const auto& scorer = nb::cast<const PyScorer&>(one);
        if (scorer.variables() != variables) throw nb::value_error("there must be the place of a scorer a variable");
        makers.push_back(scorer.factory());
        set_makers.push_back(scorer.set_scorers());
    }
    for (int k : which) {
        if (k < 0 || at(k) >= makers.size()) throw nb::value_error("a variable has no scorer");
    }
    auto make = [makers, which] {
        std::vector<std::unique_ptr<LocalScorer>> all;
        for (const auto& one : makers) all.push_back(one());
        return std::make_unique<ByChildLocalScorer>(std::move(all), which);
    };
    auto make_sets = [set_makers, which] {
        std::vector<std::unique_ptr<SetScorer>> all;
        for (const auto& one : set_makers) all.push_back(one());
        return std::make_unique<ByChildSetScorer>(std::move(all), which);
    };
    return PyScorer(variables, make, make_sets);
}

PyScorer embedded_scorer(DoubleMatrix scatter, const std::vector<int>& widths, double n, double penalty) {
    EmbeddedData data = embedded_data(scatter, widths, n);
    return PyScorer(data.variables(), [=] { return make_embedded_scorer(data, penalty); });
}

}  // namespace

void bind_scores(nb::module_& m) {
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const NotANumber& error) {
            PyErr_SetString(PyExc_FloatingPointError, error.what());
        }
    });
    nb::class_<PyPackedStates>(m, "PackedStates", "The states of a variable, with as few bits each as they need.")
        .def(nb::init<int>(), "bits"_a)
        .def("append", &PyPackedStates::append<Bytes>, "states"_a.noconvert())
        .def("append", &PyPackedStates::append<Shorts>, "states"_a.noconvert(), "More rows, at the end.")
        .def("unpack", &unpacked, "start"_a, "stop"_a, "The states of these rows: uint8, or uint16 if of 16 bits.")
        .def("__len__", [](const PyPackedStates& packed) { return packed.states().rows(); })
        .def_prop_ro("bits", [](const PyPackedStates& packed) { return packed.states().bits(); });
    nb::class_<FoldedRows>(m, "FoldedRows", "Rows of states, each different one once, with its weight.")
        .def(nb::init<std::size_t>(), "variables"_a)
        .def("add", &add_rows, "rows"_a.noconvert(), "weights"_a.noconvert().none() = nb::none(),
             "Rows of uint16 states, which count once or as often as their weights say.")
        .def("states", &folded_states, "variable"_a, "The states of a variable in the different rows.")
        .def(
            "weights", [](const FoldedRows& folded) { return to_numpy(folded.weights()); },
            "How often each different row counts.")
        .def("__len__", &FoldedRows::rows);
    nb::class_<PyTable>(m, "Table", "Discrete data as the core counts it: one array of states a variable.")
        .def(nb::init<nb::typed<nb::list, nb::any>, std::vector<int>, std::optional<Int64s>, std::vector<int>>(),
             "columns"_a, "arities"_a, "weights"_a.none() = nb::none(), "observed"_a = std::vector<int>())
        .def("joint_counts", &joint_counts, "sets"_a,
             "How often each joint state of these sets of variables occurs, in C order, one set after the other.")
        .def("select", &selected, "variables"_a, "These variables in this order, over the same memory.")
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
            "child"_a, "parents"_a,
            "The counts of a family's cells and of its parents' configurations, in no particular order.")
        .def(
            "strongest_associations",
            [](const PyTable& data, int most, int threads) {
                std::vector<std::int64_t> found;
                {
                    nb::gil_scoped_release unlocked;
                    found = strongest_associations(data.table(), most, threads);
                }
                return to_numpy(std::span<const std::int64_t>(found));
            },
            "most"_a, "threads"_a, "For each variable its strongest associations with others, the strongest first.");
    nb::class_<PyMixedTable>(m, "MixedTable", "Discrete and continuous data: arrays of states, and of doubles.")
        .def(nb::init<nb::typed<nb::list, nb::any>, std::vector<int>, std::optional<Int64s>, std::vector<int>>(),
             "columns"_a, "arities"_a, "weights"_a.none() = nb::none(), "observed"_a = std::vector<int>());
    nb::class_<PyScorer>(m, "Scorer", "A score bound to data.")
        .def("local", &PyScorer::local, "children"_a.noconvert(), "offsets"_a.noconvert(), "parents"_a.noconvert(),
             "threads"_a, "The local scores of many families.");
    m.def("discrete_scorer", &discrete_scorer, "data"_a, "name"_a, "parameters"_a, nb::keep_alive<0, 1>(),
          "A discrete score bound to data.");
    m.def("bhd_scorer", &bhd_scorer, "data"_a, "ess"_a, "alpha0"_a, nb::keep_alive<0, 1>(),
          "BHD of data whose last column holds the groups.");
    m.def("incomplete_scorer", &incomplete_scorer, "data"_a, "penalty"_a, "least"_a, nb::keep_alive<0, 1>(),
          "PNAL of discrete data with missing values.");
    m.def("incomplete_mixed_scorer", &incomplete_mixed_scorer, "data"_a, "penalty"_a, "least"_a, nb::keep_alive<0, 1>(),
          "PNAL of continuous or mixed data with missing values.");
    m.def("gaussian_scorer", &gaussian_scorer, "scatter"_a.noconvert(), "n"_a, "name"_a, "parameters"_a,
          nb::keep_alive<0, 1>(), "LogLik, AIC or BIC of Gaussian data.");
    m.def("bge_scorer", &bge_scorer, "prior"_a.noconvert(), "posterior"_a.noconvert(), "n"_a, "iss_mu"_a, "iss_w"_a,
          nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), "BGe with its prior and posterior matrices.");
    m.def("mixed_likelihood_scorer", &mixed_likelihood_scorer, "data"_a, "scatter"_a.noconvert(), "penalty"_a,
          nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), "The likelihood of mixed data, less a penalty a parameter.");
    m.def("mixed_bayes_scorer", &mixed_bayes_scorer, "data"_a, "name"_a, "parameters"_a, "prior"_a.noconvert(),
          "posterior"_a.noconvert(), "mean"_a.noconvert(), "iss_mu"_a, "iss_w"_a, nb::keep_alive<0, 1>(),
          nb::keep_alive<0, 4>(), nb::keep_alive<0, 5>(), nb::keep_alive<0, 6>(),
          "A discrete score, and BGe in each configuration of discrete parents.");
    m.def("embedded_scorer", &embedded_scorer, "scatter"_a.noconvert(), "widths"_a, "n"_a, "penalty"_a,
          nb::keep_alive<0, 1>(), "The degenerate Gaussian score: variables as blocks of columns.");
    m.def("mean_scorer", &mean_scorer, "scorers"_a, nb::keep_alive<0, 1>(), "The mean of several scores.");
    m.def("by_child_scorer", &by_child_scorer, "scorers"_a, "which"_a, nb::keep_alive<0, 1>(),
          "One of several scores for each child, by its place in the list.");
    m.def("callback_scorer", &callback_scorer, "function"_a, "variables"_a, nb::keep_alive<0, 1>(),
          "A Python function of child and parents as a score.");
}

}  // namespace veridag::binding
