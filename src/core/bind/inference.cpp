// Junction trees of discrete networks.
#include <mutex>

#include "bind/objects.hpp"
#include "index.hpp"
#include "inference/batch.hpp"
#include "inference/engine.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

using namespace inference;

using EvidenceRows = nb::ndarray<const std::int32_t, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NewRows = nb::ndarray<std::int32_t, nb::numpy, nb::ndim<2>, nb::c_contig>;
using NewDoubleMatrix = nb::ndarray<double, nb::numpy, nb::ndim<2>, nb::c_contig>;
using ManyDoubles = std::vector<Doubles>;
using Scopes = std::vector<std::vector<int>>;

Tables checked_tables(const JunctionTree& tree, const ManyDoubles& tables) {
    if (tables.size() != at(tree.variables())) throw nb::value_error("there must be a table for each variable");
    Tables entries;
    for (std::size_t v = 0; v < tables.size(); ++v) {
        if (tables[v].shape(0) != tree.families()[v].entries) throw nb::value_error("a table has the wrong size");
        entries.push_back(tables[v].data());
    }
    return entries;
}

[[noreturn]] void throw_sizes(const TreeTooLarge& error) {
    nb::tuple details = nb::make_tuple(error.size.largest, error.size.entries, error.variables);
    PyErr_SetObject(PyExc_OverflowError, details.ptr());
    throw nb::python_error();
}

// An engine with the tables that it keeps alive. A thread that finds it at work makes one for itself.
class PyEngine {
   public:
    PyEngine(const JunctionTree& tree, ManyDoubles tables)
        : tree_(&tree), tables_(std::move(tables)), engine_(tree, checked_tables(tree, tables_)) {}

    std::pair<NewDoubles, double> marginals(const Int32s& row, std::pair<double, double> limits) {
        if (row.shape(0) != at(tree_->variables())) throw nb::value_error("evidence needs a state for each variable");
        auto [memory, owner] = owned<double>(engine_.entries());
        NewDoubles found(memory, {engine_.entries()}, owner);
        double log_p = 0.0;
        try {
            nb::gil_scoped_release unlocked;
            log_p = work(row.data(), {limits.first, limits.second}, found.data());
        } catch (const TreeTooLarge& error) {
            throw_sizes(error);
        }
        return {found, log_p};
    }

   private:
    double work(const std::int32_t* row, Limits limits, double* out) {
        std::unique_lock lock(busy_, std::try_to_lock);
        if (lock) return engine_.marginals(row, limits, out);
        return Engine(*tree_, checked_tables(*tree_, tables_)).marginals(row, limits, out);
    }

    const JunctionTree* tree_;
    ManyDoubles tables_;
    Engine engine_;
    std::mutex busy_;
};

// What every call on many rows takes.
struct Rows {
    const JunctionTree& tree;
    const ManyDoubles& tables;
    const EvidenceRows& evidence;
    std::pair<double, double> limits;
    int threads;
    ProgressCallback callback;

    std::size_t count() const { return evidence.shape(0); }

    // Runs work(batch, progress) without the GIL. Sizes that are refused are an OverflowError, with the entries of the
    // largest table, of all tables, and the variables of the largest.
    template <class Work>
    void run(const Work& work) const {
        if (evidence.shape(1) != at(tree.variables()))
            throw nb::value_error("evidence needs a column for each variable");
        Tables entries = checked_tables(tree, tables);
        PyProgress progress(callback);
        try {
            nb::gil_scoped_release unlocked;
            Batch batch(tree, std::move(entries), {evidence.data(), count()}, {limits.first, limits.second}, threads);
            work(batch, static_cast<Progress&>(progress));
        } catch (const TreeTooLarge& error) {
            throw_sizes(error);
        }
        progress.throw_any();
    }
};

class NewLogs {
   public:
    explicit NewLogs(std::size_t rows) : NewLogs(owned<double>(rows), rows) {}
    double* data() const { return data_; }
    NewDoubles array() const { return array_; }

   private:
    NewLogs(std::pair<double*, nb::capsule> memory, std::size_t rows)
        : data_(memory.first), array_(memory.first, {rows}, memory.second) {}
    double* data_;
    NewDoubles array_;
};

NewDoubles log_probabilities(const JunctionTree& tree, const ManyDoubles& tables, const EvidenceRows& evidence,
                             std::pair<double, double> limits, int threads, ProgressCallback callback) {
    Rows rows{tree, tables, evidence, limits, threads, std::move(callback)};
    NewLogs logs(rows.count());
    rows.run([&](Batch& batch, Progress& progress) { batch.log_probabilities(progress, logs.data()); });
    return logs.array();
}

std::pair<NewDoubles, NewDoubles> expected_counts(const JunctionTree& tree, const ManyDoubles& tables,
                                                  const EvidenceRows& evidence, const std::optional<Doubles>& weights,
                                                  std::pair<double, double> limits, int threads,
                                                  ProgressCallback callback) {
    Rows rows{tree, tables, evidence, limits, threads, std::move(callback)};
    if (weights && weights->shape(0) != rows.count()) throw nb::value_error("there must be one weight a row");
    std::size_t entries = 0;
    for (const Family& family : tree.families()) entries += family.entries;
    NewLogs logs(rows.count());
    auto [memory, owner] = owned<double>(entries);
    NewDoubles counts(memory, {entries}, owner);
    double* out = memory;
    rows.run([&](Batch& batch, Progress& progress) {
        batch.expected_counts(progress, weights ? weights->data() : nullptr, out, logs.data());
    });
    return {counts, logs.array()};
}

std::pair<NewDoubleMatrix, NewDoubles> posteriors(const JunctionTree& tree, const ManyDoubles& tables,
                                                  const EvidenceRows& evidence, const Scopes& scopes,
                                                  std::pair<double, double> limits, int threads,
                                                  ProgressCallback callback) {
    Rows rows{tree, tables, evidence, limits, threads, std::move(callback)};
    std::size_t width = 0;
    for (const std::vector<int>& scope : scopes) {
        std::size_t entries = 1;
        for (int v : scope) {
            if (v < 0 || v >= tree.variables()) throw nb::value_error("a scope names no variable");
            entries *= at(tree.arities()[at(v)]);
        }
        width += entries;
    }
    NewLogs logs(rows.count());
    auto [memory, owner] = owned<double>(rows.count() * width);
    NewDoubleMatrix found(memory, {rows.count(), width}, owner);
    double* out = memory;
    rows.run([&](Batch& batch, Progress& progress) { batch.posteriors(progress, scopes, out, logs.data()); });
    return {found, logs.array()};
}

template <class Work>
std::pair<NewRows, NewDoubles> completed(const Rows& rows, const Work& work) {
    auto variables = at(rows.tree.variables());
    NewLogs logs(rows.count());
    auto [memory, owner] = owned<std::int32_t>(rows.count() * variables);
    NewRows found(memory, {rows.count(), variables}, owner);
    std::int32_t* out = memory;
    rows.run([&](Batch& batch, Progress& progress) { work(batch, progress, out, logs.data()); });
    return {found, logs.array()};
}

std::pair<NewRows, NewDoubles> most_probable(const JunctionTree& tree, const ManyDoubles& tables,
                                             const EvidenceRows& evidence, std::pair<double, double> limits,
                                             int threads, ProgressCallback callback) {
    return completed({tree, tables, evidence, limits, threads, std::move(callback)},
                     [](Batch& batch, Progress& progress, std::int32_t* out, double* log_p) {
                         batch.most_probable(progress, out, log_p);
                     });
}

std::pair<NewRows, NewDoubles> sample_missing(const JunctionTree& tree, const ManyDoubles& tables,
                                              const EvidenceRows& evidence, std::uint64_t seed,
                                              std::pair<double, double> limits, int threads,
                                              ProgressCallback callback) {
    return completed({tree, tables, evidence, limits, threads, std::move(callback)},
                     [&](Batch& batch, Progress& progress, std::int32_t* out, double* log_p) {
                         batch.sample(progress, seed, out, log_p);
                     });
}

Scopes cliques(const JunctionTree& tree) {
    Scopes all;
    for (const Clique& clique : tree.cliques()) all.push_back(clique.variables);
    return all;
}

std::vector<int> parents(const JunctionTree& tree) {
    std::vector<int> all;
    for (const Clique& clique : tree.cliques()) all.push_back(clique.parent);
    return all;
}

double entries_given(const JunctionTree& tree, const std::vector<int>& observed) {
    std::vector<char> is_free(at(tree.variables()), 1);
    for (int v : observed) is_free.at(at(v)) = 0;
    return size_of(tree, is_free).entries;
}

}  // namespace

void bind_inference(nb::module_& m) {
    nb::class_<JunctionTree>(m, "JunctionTree",
                             "The junction tree of a discrete network. Its methods take the table of every variable, "
                             "flat with the child's states last, and evidence as rows of states, -1 where nothing is "
                             "observed. An OverflowError has the entries of the largest table, of all, and the "
                             "variables of the largest.")
        .def(nb::init<std::vector<int>, const std::vector<std::vector<int>>&, std::vector<std::vector<int>>, bool>(),
             "arities"_a, "parents"_a, "together"_a, "thorough"_a)
        .def_prop_ro("cliques", &cliques, "The variables of each clique, children before parents.")
        .def_prop_ro("parents", &parents, "The clique that each is joined to; -1 for a root.")
        .def_prop_ro("entries", &JunctionTree::entries, "The entries of the tables over all cliques.")
        .def("entries_given", &entries_given, "observed"_a, "The same, if these variables are observed.")
        .def("covering", &JunctionTree::covering, "scope"_a, "The smallest clique that holds these variables, or -1.")
        .def("log_probabilities", &log_probabilities, "tables"_a.noconvert(), "evidence"_a.noconvert(), "limits"_a,
             "threads"_a, "progress"_a.none(), "log P(evidence) of each row.")
        .def("expected_counts", &expected_counts, "tables"_a.noconvert(), "evidence"_a.noconvert(),
             "weights"_a.noconvert().none(), "limits"_a, "threads"_a, "progress"_a.none(),
             "Expected counts of all families, one after the other, and log P(evidence) of each row.")
        .def("posteriors", &posteriors, "tables"_a.noconvert(), "evidence"_a.noconvert(), "scopes"_a, "limits"_a,
             "threads"_a, "progress"_a.none(),
             "P(scope | evidence) of each row, one scope after the other, and log P(evidence).")
        .def("most_probable", &most_probable, "tables"_a.noconvert(), "evidence"_a.noconvert(), "limits"_a, "threads"_a,
             "progress"_a.none(), "The rows with their most probable completion, and log P of both.")
        .def("sample", &sample_missing, "tables"_a.noconvert(), "evidence"_a.noconvert(), "seed"_a, "limits"_a,
             "threads"_a, "progress"_a.none(), "The rows with what they lack drawn, and log P(evidence).");
    nb::class_<PyEngine>(
        m, "MarginalEngine",
        "The marginals of all variables for one row of evidence after the other; what the next row can "
        "use is kept.")
        .def(nb::init<const JunctionTree&, ManyDoubles>(), "tree"_a, "tables"_a.noconvert(), nb::keep_alive<1, 2>())
        .def("marginals", &PyEngine::marginals, "evidence"_a.noconvert(), "limits"_a,
             "P(variable | evidence) of each variable, one after the other, and log P(evidence).");
}

}  // namespace veridag::binding
