// Predictions of one variable from its Markov blanket.
#include "bind/objects.hpp"
#include "index.hpp"
#include "inference/blanket.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

using namespace inference;

using NewProbabilities = nb::ndarray<double, nb::numpy, nb::ndim<2>, nb::c_contig>;

// A code without an offset, or an offset beyond the table, would read what is not there.
BlanketColumn blanket_column(nb::handle codes, const Int64s& offsets, std::size_t rows) {
    if (nb::len(codes) != rows) throw nb::value_error("the columns differ in length");
    StateArray states = state_array(codes);
    std::int64_t limit = static_cast<std::int64_t>(offsets.shape(0));
    bool is_known = true;
    for_states(states, 0, rows, [&](const auto* own, std::size_t, std::size_t count) {
        auto has_offset = [&](auto code) { return static_cast<std::int64_t>(code) < limit; };
        is_known = is_known && std::all_of(own, own + count, has_offset);
    });
    if (!is_known) throw nb::value_error("a code has no offset");
    return {states, {offsets.data(), offsets.data() + offsets.shape(0)}};
}

BlanketFactor blanket_factor(const Doubles& log_table, const nb::list& columns, std::size_t arity, std::size_t rows) {
    BlanketFactor factor{log_table.data(), {}};
    std::int64_t furthest = 0;
    for (nb::handle one : columns) {
        auto pair = nb::cast<nb::tuple>(one);
        Int64s offsets;
        if (!nb::try_cast(pair[1], offsets, false)) throw nb::type_error("offsets are an array of int64");
        factor.columns.push_back(blanket_column(pair[0], offsets, rows));
        const std::vector<std::int64_t>& own = factor.columns.back().offsets;
        if (own.empty() || *std::min_element(own.begin(), own.end()) < 0)
            throw nb::value_error("offsets must not be negative");
        furthest += *std::max_element(own.begin(), own.end());
    }
    if (furthest + static_cast<std::int64_t>(arity) > static_cast<std::int64_t>(log_table.shape(0)))
        throw nb::value_error("an offset lies beyond its table");
    return factor;
}

std::pair<NewProbabilities, NewDoubles> blanket_posteriors(const std::vector<Doubles>& log_tables,
                                                           const std::vector<Columns>& columns, std::size_t arity,
                                                           std::size_t rows, int threads, ProgressCallback callback) {
    if (log_tables.size() != columns.size()) throw nb::value_error("there must be columns for each table");
    if (arity == 0) throw nb::value_error("the target needs a state");
    std::vector<BlanketFactor> factors;
    for (std::size_t f = 0; f < columns.size(); ++f)
        factors.push_back(blanket_factor(log_tables[f], columns[f], arity, rows));
    auto [memory, owner] = owned<double>(rows * arity);
    auto [totals, total_owner] = owned<double>(rows);
    NewProbabilities probabilities(memory, {rows, arity}, owner);
    NewDoubles log_total(totals, {rows}, total_owner);
    PyProgress progress(std::move(callback));
    {
        double *out = memory, *out_total = totals;
        nb::gil_scoped_release unlocked;
        predict_from_blanket(factors, arity, rows, threads, progress, out, out_total);
    }
    progress.throw_any();
    return {probabilities, log_total};
}

}  // namespace

void bind_prediction(nb::module_& m) {
    m.def("predict_from_blanket", &blanket_posteriors, "log_tables"_a.noconvert(), "columns"_a, "arity"_a, "rows"_a,
          "threads"_a, "progress"_a.none(),
          "P(target | row), rows x states, from the logarithms of the tables that hold the target, and the logarithm "
          "of the product's sum. Each table has its columns: pairs of codes and, for each code, how far it leads into "
          "the table, where the states of the target come last.");
}

}  // namespace veridag::binding
