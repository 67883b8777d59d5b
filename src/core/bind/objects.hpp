// What Python holds of the core: tables, scores bound to them, and who is asked whether a search is to stop.
#pragma once

#include <exception>
#include <memory>
#include <optional>

#include "bind/arrays.hpp"
#include "table/table.hpp"
#include "cache.hpp"
#include "exact/parent_sets/set_scores.hpp"
#include "scores/batch.hpp"
#include "scores/criterion.hpp"

namespace veridag::binding {

// A Table over numpy's memory, which it keeps alive.
class PyTable {
   public:
    PyTable(nb::typed<nb::list, nb::any> columns, std::vector<int> arities, std::optional<Int64s> weights)
        : columns_(kept(columns)), weights_(weights), table_(states(columns), std::move(arities), rows(columns), checked(weights, rows(columns))) {}

    const Table& table() const { return table_; }

   private:
    static std::vector<nb::object> kept(const nb::list& columns) {
        std::vector<nb::object> all;
        for (nb::handle column : columns) all.push_back(nb::borrow(column));
        return all;
    }

    static const std::int64_t* checked(const std::optional<Int64s>& weights, std::size_t rows) {
        if (!weights) return nullptr;
        if (weights->shape(0) != rows) throw nb::value_error("there must be one weight a row");
        return weights->data();
    }

    static std::size_t rows(const nb::list& columns) { return columns.size() ? nb::len(nb::object(columns[0])) : 0; }

    static std::vector<StateArray> states(const nb::list& columns) {
        std::vector<StateArray> all;
        for (nb::handle column : columns) {
            if (nb::len(column) != rows(columns)) throw nb::value_error("columns differ in length");
            Bytes bytes;
            Shorts shorts;
            if (nb::try_cast(column, bytes, false)) {
                all.emplace_back(bytes.data());
            } else if (nb::try_cast(column, shorts, false)) {
                all.emplace_back(shorts.data());
            } else {
                throw nb::type_error("a column is an array of uint8 or uint16");
            }
        }
        return all;
    }

    std::vector<nb::object> columns_;  // the arrays themselves: the list they came in may change
    std::optional<Int64s> weights_;
    Table table_;
};

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
    FamilyMemory& memory() { return *memory_; }
    const BatchScorer::Factory& factory() const { return make_; }
    const SetScorerFactory& set_scorers() const { return make_sets_; }

   private:
    BatchScorer::Factory make_;
    SetScorerFactory make_sets_;
    std::unique_ptr<FamilyMemory> memory_ = std::make_unique<FamilyMemory>();  // of the searches with this scorer
    std::unique_ptr<BatchScorer> scorer_;
};

// What a search asks Python now and then: whether the user wants it to stop, and to show how far it is.
class PyReport {
   public:
    explicit PyReport(nb::object progress) : progress_(std::move(progress)) {}

    bool operator()(std::int64_t steps, double best) {
        nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) {
            failure_ = std::make_exception_ptr(nb::python_error());
            return true;
        }
        if (progress_.is_none()) return false;
        try {
            progress_(steps, best);
        } catch (...) {
            failure_ = std::current_exception();
        }
        return failure_ != nullptr;
    }

    // Throws what made the search stop, unless that was an interrupt.
    void rethrow() {
        if (!failure_) return;
        try {
            std::rethrow_exception(failure_);
        } catch (nb::python_error& error) {
            if (!error.matches(PyExc_KeyboardInterrupt)) throw;
        }
    }

   private:
    nb::object progress_;
    std::exception_ptr failure_;
};

// The parts of a search problem over numpy's memory.
struct PyProblem {
    Criterion criterion;
    Constraints constraints;
    PyReport report;
    Reporter reporter;

    PyProblem(PyScorer& scorer, const OptionalMatrix& prior_size, const OptionalMatrix& prior_arc, const BoolMatrix& required, const BoolMatrix& forbidden,
              int max_indegree, nb::object progress, int threads)
        : criterion(scorer.batch(), {data(prior_size, scorer), data(prior_arc, scorer)}, threads, &scorer.memory()),
          constraints{matrix(required, scorer), matrix(forbidden, scorer), max_indegree},
          report(std::move(progress)),
          reporter([this](std::int64_t steps, double best) { return report(steps, best); }) {}

    static const double* data(const OptionalMatrix& terms, PyScorer& scorer) {
        if (!terms) return nullptr;
        auto n = static_cast<std::size_t>(scorer.batch().variables());
        if (terms->shape(0) != n || terms->shape(1) != n) throw nb::value_error("the prior's terms must be variables x variables");
        return terms->data();
    }

    static Matrix matrix(const BoolMatrix& a, PyScorer& scorer) {
        if (size_of(a) != scorer.batch().variables()) throw nb::value_error("a matrix must be variables x variables");
        return Matrix(bytes(a), bytes(a) + a.size());
    }
};

// Each adds its part to the module.
void bind_graphs(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_tests(nb::module_& m);
void bind_exact(nb::module_& m);

}  // namespace veridag::binding
