#include "table/mixed_table.hpp"

#include <cmath>

namespace veridag {

MixedTable::MixedTable(const std::vector<Column>& columns, std::size_t rows, const std::int64_t* weights) {
    std::vector<StateArray> states;
    std::vector<int> arities, observed;
    for (const Column& column : columns) {
        is_discrete_.push_back(column.is_discrete ? 1 : 0);
        place_.push_back(static_cast<int>(column.is_discrete ? states.size() : values_.size()));
        if (column.is_discrete) {
            states.push_back(column.states);
            arities.push_back(column.arity);
            observed.push_back(column.observed > 0 ? column.observed : column.arity);
        } else {
            values_.push_back(column.values);
            bool missing = std::any_of(column.values, column.values + rows, [](double x) { return std::isnan(x); });
            values_missing_.push_back(missing ? 1 : 0);
        }
    }
    discrete_ = std::make_unique<Table>(std::move(states), std::move(arities), rows, weights, std::move(observed));
}

}  // namespace veridag
