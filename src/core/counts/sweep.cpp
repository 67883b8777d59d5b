#include "counts/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "counts/costs.hpp"
#include "elementary.hpp"
#include "index.hpp"

namespace veridag {
namespace {

// Families with more cells are not extended side by side, nor are rows beyond this sorted: the memory would exceed the
// data's.
constexpr double max_cells = 4096.0;
constexpr std::size_t max_sorted_rows = std::size_t{1} << 20;

// Numbers of a tile: what a processor keeps close to it.
constexpr double tile_numbers = 1 << 18;
constexpr double min_tile = 256.0;

enum class Way { bits, columns, rows };

// How to count a family of so many cells extended by candidates that have `bits` states but their modes.
Way cheapest_way(const Table& table, double cells, double parents, double candidates, double bits) {
    auto rows = static_cast<double>(table.rows());
    double by_bits = cells * bits * (ns_per_and + ns_per_word * static_cast<double>(table.words()));
    double by_rows = candidates * rows * (ns_per_row + ns_per_row_and_axis * (parents + 2.0));
    // The bits in between are counted as well.
    double chunks = std::ceil(static_cast<double>(table.bits_a_row()) / 256.0);
    double by_columns =
        rows * (ns_per_row_sorted + ns_per_row_and_chunk * chunks) + cells * ns_per_cell_and_chunk * chunks;
    if (table.rows() <= max_sorted_rows && by_columns < std::min(by_bits, by_rows)) return Way::columns;
    return by_bits <= by_rows ? Way::bits : Way::rows;
}

}  // namespace

bool Sweep::start(int child, std::span<const int> parents, std::span<const int> candidates) {
    auto has_bits = [&](int v) { return table_.has_bits(v); };
    double cells = axes_.arity(child);
    for (int p : parents) cells *= axes_.arity(p);
    bool few_states = has_bits(child) && std::all_of(parents.begin(), parents.end(), has_bits);
    if (!few_states || cells > max_cells) return false;
    counted_.clear();
    left_out_.clear();
    double bits = 0.0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        (has_bits(candidates[i]) ? counted_ : left_out_).push_back(i);
        if (has_bits(candidates[i])) bits += table_.arity(candidates[i]) - 1;
    }
    auto number = static_cast<double>(counted_.size());
    Way way = cheapest_way(table_, cells, static_cast<double>(parents.size()), number, bits);
    if (way == Way::rows) return false;
    by_columns_ = way == Way::columns;
    cells_ = static_cast<std::size_t>(cells);
    tile_size_ = static_cast<std::size_t>(std::max(min_tile, tile_numbers * number / (cells * (bits + 1.0))));
    axes_.take(parents);
    axes_.append(child);
    axes_.sort();
    axes_.set_blocks(1);
    tile_.r_ = axes_.arity(child);
    if (by_columns_) sort_rows();
    tile_.q_ = cells / tile_.r_;
    tile_.inner_ = axes_.of(child).block;
    tile_.outer_ = cells_ / (tile_.inner_ * at(tile_.r_));
    return true;
}

void Sweep::count_tile(std::span<const int> candidates, std::span<const std::size_t> places) {
    tile_.places_.assign(places.begin(), places.end());
    tile_.columns_.clear();
    for (std::size_t i : places) {
        int u = candidates[i];
        tile_.columns_.push_back({0, table_.arity(u), table_.mode(u)});
    }
    by_columns_ ? count_by_columns(candidates) : count_by_bits(candidates);
}

void Sweep::count_by_bits(std::span<const int> candidates) {
    bits_.clear();
    marginals_.clear();
    for (std::size_t i = 0; i < tile_.size(); ++i) {
        int u = candidates[tile_.places_[i]];
        const Word* bits = table_.bits(u);
        tile_.columns_[i].first = 1 + bits_.size();
        for (int state = 0; state < table_.arity(u); ++state) {
            if (state == table_.mode(u)) continue;
            bits_.push_back(bits);
            marginals_.push_back(table_.marginal(u, state));
            bits += table_.words();
        }
    }
    tile_.width_ = 1 + bits_.size();
    tile_.numbers_.resize(axes_.set_blocks(tile_.width_));
    auto count_and = bit_kernels().count_and;
    tile_.n_ = axes_.fill(axes_.size(), tile_.numbers_.data(), [&](const Word* mask, Count inside, std::uint32_t* out) {
        *out++ = static_cast<std::uint32_t>(inside);
        for (std::size_t k = 0; k < bits_.size(); ++k) {
            const Word* bits = bits_[k] + axes_.first_word();
            out[k] = static_cast<std::uint32_t>(mask ? static_cast<Count>(count_and(mask, bits, axes_.words()))
                                                     : marginals_[k]);
        }
    });
}

// The bits of all variables between the first and the last candidate are counted, chunk by chunk.
void Sweep::count_by_columns(std::span<const int> candidates) {
    const RowBits& bits = table_.row_bits();
    std::size_t lowest = bits.used_bits, highest = 0;
    for (std::size_t i : tile_.places_) {
        std::size_t first = bits.first_bit[at(candidates[i])];
        lowest = std::min(lowest, first);
        highest = std::max(highest, first + at(table_.arity(candidates[i]) - 1));
    }
    std::size_t from = lowest / RowBits::chunk;
    std::size_t to = std::max(from, (highest + RowBits::chunk - 1) / RowBits::chunk);
    tile_.width_ = 1 + (to - from) * RowBits::chunk;
    tile_.numbers_.resize(cells_ * tile_.width_);
    for (std::size_t i = 0; i < tile_.size(); ++i)
        tile_.columns_[i].first = 1 + bits.first_bit[at(candidates[tile_.places_[i]])] - from * RowBits::chunk;
    auto count_columns = bit_kernels().count_columns;
    for (std::size_t chunk = from; chunk < to; ++chunk) {
        const Word* rows = bits.chunk_rows(chunk, table_.rows());
        for (std::size_t cell = 0; cell < cells_; ++cell) {
            std::uint32_t* out = tile_.numbers_.data() + cell * tile_.width_;
            std::size_t start = starts_[cell], count = starts_[cell + 1] - start;
            out[0] = static_cast<std::uint32_t>(count);
            out += 1 + (chunk - from) * RowBits::chunk;
            if (count == 0) {
                std::fill(out, out + RowBits::chunk, 0U);
            } else {
                count_columns(rows, RowBits::words_a_chunk, bits.words_used(chunk), order_.data() + start, count, out);
            }
        }
    }
}

// The rows by their cell of the family, by counting how many each cell has. The rows come in a few parts, each with its
// own places in a cell, so that a row need not wait for the one before it. Rows with gaps go to a cell beyond the
// others.
void Sweep::sort_rows() {
    constexpr std::size_t parts = 4;
    std::size_t rows = table_.rows(), part = rows / parts;
    cell_of_row_.assign(rows, 0);
    for (const Axis& axis : axes_) {
        auto stride = static_cast<std::uint16_t>(axis.block);
        for_states(table_.states(axis.variable), 0, rows,
                   [&](const auto* states, std::size_t first, std::size_t count) {
                       std::uint16_t* cell = cell_of_row_.data() + first;
                       for (std::size_t i = 0; i < count; ++i)
                           cell[i] = static_cast<std::uint16_t>(cell[i] + stride * states[i]);
                   });
    }
    std::size_t cells = cells_;
    if (axes_.any_gaps()) {
        members_.clear();
        for (const Axis& axis : axes_) members_.push_back(axis.variable);
        mark_gaps(table_, members_, hidden_);
        auto beyond = static_cast<std::uint16_t>(cells++);
        for (std::size_t i = 0; i < rows; ++i) cell_of_row_[i] = hidden_[i] ? beyond : cell_of_row_[i];
    }
    tallies_.assign(parts * cells, 0);
    std::uint32_t* next[parts];
    for (std::size_t k = 0; k < parts; ++k) next[k] = tallies_.data() + k * cells;
    auto visit = [&](auto act) {
        for (std::size_t i = 0; i < part; ++i) {
            for (std::size_t k = 0; k < parts; ++k) act(k, k * part + i);
        }
        for (std::size_t i = parts * part; i < rows; ++i) act(parts - 1, i);
    };
    visit([&](std::size_t k, std::size_t i) { ++next[k][cell_of_row_[i]]; });
    starts_.resize(cells + 1);
    std::uint32_t start = 0;
    for (std::size_t c = 0; c < cells; ++c) {
        starts_[c] = start;
        for (std::size_t k = 0; k < parts; ++k) start += std::exchange(next[k][c], start);
    }
    starts_[cells] = start;
    tile_.n_ = starts_[cells_];
    order_.resize(rows);
    visit([&](std::size_t k, std::size_t i) { order_[next[k][cell_of_row_[i]]++] = static_cast<std::uint32_t>(i); });
}

// The candidate is the axis that varies fastest.
FamilyCounts Tile::counts(std::size_t i) {
    const Column& column = columns_[i];
    std::size_t r = at(r_), s = at(column.arity);
    cells_.resize(outer_ * r * inner_ * s);
    configurations_.assign(outer_ * inner_ * s, 0);
    for (std::size_t a = 0; a < outer_; ++a) {
        for (std::size_t k = 0; k < r; ++k) {
            for (std::size_t b = 0; b < inner_; ++b) {
                std::size_t cell = (a * r + k) * inner_ + b;
                Count* own = cells_.data() + cell * s;
                Count* sums = configurations_.data() + (a * inner_ + b) * s;
                split(cell, column, own);
                for (std::size_t state = 0; state < s; ++state) sums[state] += own[state];
            }
        }
    }
    FamilyCounts result;
    result.r = r_;
    result.q = q(i);
    result.log_q = elementary::log(result.q);
    result.n = n_;
    result.cells = cells_;
    result.configurations = configurations_;
    return result;
}

}  // namespace veridag
