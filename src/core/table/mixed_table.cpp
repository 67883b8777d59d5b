#include "table/mixed_table.hpp"

namespace veridag {

MixedTable::MixedTable(const std::vector<Column>& columns, std::size_t rows, const std::int64_t* weights) {
    std::vector<StateArray> states;
    std::vector<int> arities;
    for (const Column& column : columns) {
        is_discrete_.push_back(column.is_discrete ? 1 : 0);
        place_.push_back(static_cast<int>(column.is_discrete ? states.size() : values_.size()));
        if (column.is_discrete) {
            states.push_back(column.states);
            arities.push_back(column.arity);
        } else {
            values_.push_back(column.values);
        }
    }
    discrete_ = std::make_unique<Table>(std::move(states), std::move(arities), rows, weights);
}

}  // namespace veridag
