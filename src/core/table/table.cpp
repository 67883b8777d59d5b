#include "table/table.hpp"
#include "index.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace veridag {

Table::Table(std::vector<StateArray> columns, std::vector<int> arities, std::size_t rows, const std::int64_t* weights,
             std::vector<int> observed)
    : rows_(rows), weights_(weights) {
    if (observed.empty()) observed = arities;
    if (columns.size() != arities.size()) throw std::invalid_argument("columns and arities differ in number");
    if (observed.size() != arities.size()) throw std::invalid_argument("there must be an arity for each column");
    total_ = weights_ ? std::accumulate(weights_, weights_ + rows_, std::int64_t{0}) : static_cast<std::int64_t>(rows_);
    for (std::size_t v = 0; v < arities.size(); ++v) {
        if (observed[v] < 1) throw std::invalid_argument("an arity is below 1");
        if (arities[v] < observed[v] || arities[v] > observed[v] + 1)
            throw std::invalid_argument("a column has one state more than its own, or none");
        auto variable = std::make_shared<Variable>();
        variable->states = columns[v];
        variable->arity = arities[v];
        variable->observed = observed[v];
        count_states(*variable);
        variables_.push_back(std::move(variable));
    }
    add_up_bits();
}

Table::Table(const Table& whole, std::span<const int> chosen)
    : rows_(whole.rows_), weights_(whole.weights_), total_(whole.total_) {
    for (int v : chosen) variables_.push_back(whole.variables_.at(at(v)));
    add_up_bits();
}

void Table::add_up_bits() {
    for (int v = 0; v < variables(); ++v) {
        if (has_bits(v)) bits_a_row_ += at(arity(v) - 1);
    }
}

void Table::count_states(Variable& variable) const {
    std::vector<std::int64_t>& counts = variable.marginals;
    counts.assign(at(variable.arity), 0);
    for_states(variable.states, 0, rows_, [&](const auto* states, std::size_t first, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            if (states[i] >= variable.arity) throw std::invalid_argument("a state is beyond its variable's arity");
            counts[states[i]] += weights_ ? weights_[first + i] : 1;
        }
    });
    variable.mode =
        static_cast<int>(std::max_element(counts.begin(), counts.begin() + variable.observed) - counts.begin());
}

const Word* Table::bits(int v) const {
    Variable& variable = *variables_[at(v)];
    if (const Word* there = variable.ready.load(std::memory_order_acquire)) return there;
    std::lock_guard<std::mutex> guard(variable.building);
    if (!variable.ready.load(std::memory_order_relaxed)) build_bits(variable);
    return variable.ready.load(std::memory_order_relaxed);
}

void Table::build_bits(Variable& variable) const {
    std::vector<Word> built(std::max<std::size_t>(1, at(variable.arity - 1) * words()), 0);
    // Where a state's bits go; the mode's go nowhere.
    std::vector<Word*> target(at(variable.arity), nullptr);
    for (int state = 0; state < variable.arity; ++state) {
        if (state != variable.mode)
            target[at(state)] = built.data() + at(state < variable.mode ? state : state - 1) * words();
    }
    for_states(variable.states, 0, rows_, [&](const auto* states, std::size_t first, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            if (Word* row = target[states[i]]) row[(first + i) / 64] |= Word{1} << ((first + i) % 64);
        }
    });
    variable.bits = std::move(built);
    variable.ready.store(variable.bits.data(), std::memory_order_release);
}

const RowBits& Table::row_bits() const {
    std::call_once(row_bits_built_, [this] { build_row_bits(); });
    return row_bits_;
}

void Table::build_row_bits() const {
    std::size_t next = 0;
    for (int v = 0; v < variables(); ++v) {
        row_bits_.first_bit.push_back(next);
        if (has_bits(v)) next += static_cast<std::size_t>(arity(v) - 1);
    }
    row_bits_.used_bits = next;
    row_bits_.words.assign(rows_ * row_bits_.chunks() * RowBits::words_a_chunk, 0);
    for (int v = 0; v < variables(); ++v) {
        if (!has_bits(v)) continue;
        std::size_t first = row_bits_.first_bit[at(v)], common = at(mode(v));
        for_states(states(v), 0, rows_, [&](const auto* states, std::size_t start, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i) {
                std::size_t state = states[i], bit = first + state - (state > common);
                if (state == common) continue;
                std::size_t chunk = bit / RowBits::chunk, word = bit % RowBits::chunk / 64;
                row_bits_.words[(chunk * rows_ + start + i) * RowBits::words_a_chunk + word] |= Word{1} << (bit % 64);
            }
        });
    }
}

}  // namespace veridag
