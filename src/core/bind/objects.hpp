// What Python holds of the core: tables and scores bound to them.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/py_progress.hpp"
#include "cache.hpp"
#include "counts/observed_moments.hpp"
#include "exact/parent_sets/set_scores.hpp"
#include "graph/constraints.hpp"
#include "scores/batch.hpp"
#include "scores/criterion.hpp"
#include "scores/embedded.hpp"
#include "table/mixed_table.hpp"
#include "table/table.hpp"

namespace veridag::binding {

inline std::vector<nb::object> kept(const nb::list& columns) {
    std::vector<nb::object> all;
    for (nb::handle column : columns) all.push_back(nb::borrow(column));
    return all;
}

inline const std::int64_t* checked(const std::optional<Int64s>& weights, std::size_t rows) {
    if (!weights) return nullptr;
    if (weights->shape(0) != rows) throw nb::value_error("there must be one weight a row");
    return weights->data();
}

inline std::size_t rows(const nb::list& columns) { return columns.size() ? nb::len(nb::object(columns[0])) : 0; }

// States that Python appends to until a table takes them, which keeps them alive.
class PyPackedStates {
   public:
    explicit PyPackedStates(int bits) : states_(bits) {}

    const PackedStates& states() const { return states_; }
    StateArray taken() const {
        taken_ = true;
        return states_.array();
    }

    template <class Array>
    void append(const Array& states) {
        if (taken_) throw nb::value_error("the states belong to a table, and no more can be appended");
        states_.append(std::span(states.data(), states.shape(0)));
    }

   private:
    PackedStates states_;
    mutable bool taken_ = false;
};

inline StateArray state_array(nb::handle column) {
    Bytes bytes;
    Shorts shorts;
    PyPackedStates* packed = nullptr;
    if (nb::try_cast(column, packed, false)) return packed->taken();
    if (nb::try_cast(column, bytes, false)) return bytes.data();
    if (nb::try_cast(column, shorts, false)) return shorts.data();
    throw nb::type_error("a column is an array of uint8 or uint16, or packed states");
}

// A Table over numpy's memory, which it keeps alive.
class PyTable {
   public:
    PyTable(nb::typed<nb::list, nb::any> columns, std::vector<int> arities, std::optional<Int64s> weights,
            std::vector<int> observed)
        : columns_(kept(columns)),
          weights_(weights),
          table_(states(columns), std::move(arities), rows(columns), checked(weights, rows(columns)),
                 std::move(observed)) {}

    // Some variables of another, over the same memory.
    PyTable(const PyTable& whole, const std::vector<int>& chosen)
        : columns_(whole.columns_), weights_(whole.weights_), table_(whole.table_, chosen) {}

    const Table& table() const { return table_; }

   private:
    static std::vector<StateArray> states(const nb::list& columns) {
        std::vector<StateArray> all;
        for (nb::handle column : columns) {
            if (nb::len(column) != rows(columns)) throw nb::value_error("columns differ in length");
            all.push_back(state_array(column));
        }
        return all;
    }

    std::vector<nb::object> columns_;  // the arrays themselves: the list they came in may change
    std::optional<Int64s> weights_;
    Table table_;
};

// A MixedTable over numpy's memory, which it keeps alive. A column of doubles is continuous.
class PyMixedTable {
   public:
    PyMixedTable(nb::typed<nb::list, nb::any> columns, std::vector<int> arities, std::optional<Int64s> weights,
                 const std::vector<int>& observed)
        : columns_(kept(columns)),
          weights_(weights),
          table_(converted(columns, arities, observed), rows(columns), checked(weights, rows(columns))) {}

    const MixedTable& table() const { return table_; }

    // Of the continuous columns, in the rows in which they are observed; computed when it is first asked for.
    std::shared_ptr<const ObservedMoments> moments() const {
        if (!moments_) moments_ = std::make_shared<const ObservedMoments>(table_);
        return moments_;
    }

   private:
    static std::vector<MixedTable::Column> converted(const nb::list& columns, const std::vector<int>& arities,
                                                     const std::vector<int>& observed) {
        if (arities.size() != columns.size() || (!observed.empty() && observed.size() != columns.size()))
            throw nb::value_error("columns and arities differ in number");
        std::vector<MixedTable::Column> all;
        for (std::size_t v = 0; v < columns.size(); ++v) {
            nb::object column = columns[v];
            if (nb::len(column) != rows(columns)) throw nb::value_error("columns differ in length");
            Doubles values;
            if (nb::try_cast(column, values, false)) {
                all.push_back({false, {}, 0, values.data()});
            } else {
                all.push_back({true, state_array(column), arities[v], nullptr, observed.empty() ? 0 : observed[v]});
            }
        }
        return all;
    }

    std::vector<nb::object> columns_;
    std::optional<Int64s> weights_;
    MixedTable table_;
    mutable std::shared_ptr<const ObservedMoments> moments_;
};

// Blocks of columns over numpy's memory, from the number of columns of each variable.
inline EmbeddedData embedded_data(const DoubleMatrix& scatter, const std::vector<int>& widths, double n) {
    EmbeddedData data{scatter.data(), {0}, n};
    for (int width : widths) {
        if (width < 0) throw nb::value_error("a variable has a negative number of columns");
        data.first.push_back(data.first.back() + width);
    }
    if (square(scatter) != data.columns()) throw nb::value_error("the matrix must have a row for each column");
    return data;
}

// A score bound to data. Python objects whose memory it reads are kept alive by the binding.
class PyScorer {
   public:
    // Without a factory of its own, sets of families are scored family by family.
    PyScorer(int variables, BatchScorer::Factory make, SetScorerFactory make_sets = nullptr)
        : make_(make),
          make_sets_(make_sets ? std::move(make_sets) : [make] { return make_set_scorer(make()); }),
          scorer_(std::make_unique<BatchScorer>(variables, std::move(make))) {}

    NewDoubles local(Int32s children, Int64s offsets, Int32s parents, int threads) {
        auto [memory, owner] = owned<double>(children.shape(0));
        Families families{view(children), view(offsets), view(parents)};
        {
            nb::gil_scoped_release unlocked;
            scorer_->local(families, memory, threads);
        }
        return NewDoubles(memory, {families.size()}, owner);
    }

    BatchScorer& batch() { return *scorer_; }
    ScoreCache& cache() { return *cache_; }

    PriorTerms prior(const OptionalRows& size, const OptionalMatrix& arc) const {
        bool same_size = size && variables() > 1 && size->stride(0) == 0;
        std::int64_t row = same_size ? 0 : variables();
        if (size && variables() > 1 && (size->stride(0) != row || size->stride(1) != 1))
            throw nb::value_error("the prior's terms must be row after row, or one row for all");
        return {variables(), terms(size), terms(arc), same_size};
    }
    int variables() const { return scorer_->variables(); }
    const BatchScorer::Factory& factory() const { return make_; }
    const SetScorerFactory& set_scorers() const { return make_sets_; }

   private:
    template <class Optional>
    const double* terms(const Optional& matrix) const {
        if (!matrix) return nullptr;
        if (matrix->shape(0) != at(variables()) || matrix->shape(1) != at(variables()))
            throw nb::value_error("the prior's terms must be variables x variables");
        return matrix->data();
    }

    BatchScorer::Factory make_;
    SetScorerFactory make_sets_;
    std::unique_ptr<ScoreCache> cache_ = std::make_unique<ScoreCache>();  // of the searches with this scorer
    std::unique_ptr<BatchScorer> scorer_;
};

// What a search by scores is given, over numpy's memory. The scorer is kept alive by the binding.
class PySearchProblem {
   public:
    PySearchProblem(PyScorer& scorer, OptionalRows prior_size, OptionalMatrix prior_arc, const BoolMatrix& required,
                    const BoolMatrix& forbidden, std::vector<int> max_indegree)
        : scorer_(scorer),
          size_(std::move(prior_size)),
          arc_(std::move(prior_arc)),
          prior_(scorer.prior(size_, arc_)),
          constraints_(square_of(required, variables()), square_of(forbidden, variables()), std::move(max_indegree)) {
        if (constraints_.max_indegree.size() != at(variables())) {
            throw nb::value_error("there must be one max_indegree a variable");
        }
    }

    int variables() const { return scorer_.variables(); }
    PyScorer& scorer() const { return scorer_; }
    const PriorTerms& prior() const { return prior_; }
    const Constraints& constraints() const { return constraints_; }

   private:
    PyScorer& scorer_;
    OptionalRows size_;  // the arrays whose memory the prior's terms are in
    OptionalMatrix arc_;
    PriorTerms prior_;
    Constraints constraints_;
};

// Each adds its part to the module.
void bind_graph(nb::module_& m);
void bind_sampling(nb::module_& m);
void bind_inference(nb::module_& m);
void bind_prediction(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_expected(nb::module_& m);
void bind_independence(nb::module_& m);
void bind_search(nb::module_& m);
void bind_constraint(nb::module_& m);
void bind_exact(nb::module_& m);
void bind_posterior(nb::module_& m);
void bind_partition(nb::module_& m);

}  // namespace veridag::binding
