#include "counts/counter.hpp"
#include "index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace veridag {
namespace {

// Nanoseconds, measured; only their ratios matter, and no result depends on them.
constexpr double ns_per_word = 0.2;           // AND and popcount
constexpr double ns_per_and = 4.0;            // starting one
constexpr double ns_per_cell = 0.3;           // a pass over the cells
constexpr double ns_per_row_and_axis = 0.15;  // adding up a row's place in the table
constexpr double ns_per_row = 0.4;            // and counting it

constexpr double ns_per_row_and_chunk = 2.0;  // counting 256 bits of a row, column by column
constexpr double ns_per_row_sorted = 2.5;
constexpr double ns_per_cell_and_chunk = 60.0;

constexpr std::size_t block_rows = 2048;

// Families with more cells are not extended side by side, nor are rows beyond this sorted: the memory would exceed the
// data's.
constexpr double max_extended_cells = 4096.0;
constexpr std::size_t max_sorted_rows = std::size_t{1} << 20;

double cells_of(const Table& table, std::span<const int> variables) {
    double cells = 1.0;
    for (int v : variables) cells *= table.arity(v);
    return cells;
}

enum class Way { bits, columns, rows };

// How to count a family of so many cells extended by candidates that have `bits` states but their modes.
Way cheapest_way(const Table& table, double cells, double parents, double candidates, double bits) {
    auto rows = static_cast<double>(table.rows());
    double by_bits = cells * bits * (ns_per_and + ns_per_word * static_cast<double>(table.words()));
    double by_rows = candidates * rows * (ns_per_row + ns_per_row_and_axis * (parents + 2.0));
    double chunks = std::ceil(static_cast<double>(table.bits_a_row()) / 256.0);
    double by_columns =
        rows * (ns_per_row_sorted + ns_per_row_and_chunk * chunks) + cells * ns_per_cell_and_chunk * chunks;
    if (table.rows() <= max_sorted_rows && by_columns < std::min(by_bits, by_rows)) return Way::columns;
    return by_bits <= by_rows ? Way::bits : Way::rows;
}

}  // namespace

// ---- dense

void Counter::take_axes(std::span<const int> variables) {
    axes_.clear();
    for (int v : variables) axes_.push_back({v, table_.arity(v), table_.mode(v)});
}

// Most of the work is in the last level, where a variable of r states takes r - 1 operations for r cells: the fewest
// states come last.
void Counter::sort_axes() {
    for (std::size_t i = 1; i < axes_.size(); ++i) {
        for (std::size_t k = i; k > 0 && axes_[k - 1].arity < axes_[k].arity; --k) std::swap(axes_[k - 1], axes_[k]);
    }
}

// Fills the cells below `level` for the rows in `mask` (null: all rows), of which there are `inside`; below the last of
// `levels` axes, `leaf` does. The mode's block first gets the counts whatever the variable's state, from which the
// other states' are then taken away.
template <class Leaf>
void Counter::fill(std::size_t level, std::size_t levels, const Word* mask, Count inside, Count* out,
                   const Leaf& leaf) {
    if (level == levels) return leaf(mask, inside, out);
    const Axis& axis = axes_[level];
    Count* rest = out + at(axis.mode) * axis.block;
    fill(level + 1, levels, mask, inside, rest, leaf);
    Word* narrowed = masks_.data() + level * words_;
    const Word* bits = axis.bits;
    for (int state = 0; state < axis.arity; ++state) {
        if (state == axis.mode) continue;
        Count* block = out + at(state) * axis.block;
        Count count = mask ? static_cast<Count>(kernels_->store_and(mask, bits, narrowed, words_))
                           : table_.marginal(axis.variable, state);
        if (count == 0) {
            std::fill(block, block + axis.block, Count{0});
        } else {
            fill(level + 1, levels, mask ? narrowed : bits, count, block, leaf);
            for (std::size_t i = 0; i < axis.block; ++i) rest[i] -= block[i];
        }
        bits += words_;
    }
}

void Counter::count_axes() {
    kernels_ = &bit_kernels();
    words_ = table_.words();
    double ands = 0.0;
    std::size_t block = 1;
    bool by_bits = true;
    for (std::size_t k = axes_.size(); k-- > 0;) {
        Axis& axis = axes_[k];
        axis.block = block;
        ands = axis.arity - 1 + (k + 1 == axes_.size() ? 0.0 : axis.arity * ands);
        axis.ands = ands;
        block *= at(axis.arity);
        by_bits = by_bits && table_.has_bits(axis.variable);
    }
    cells_.resize(block);
    if (axes_.empty()) {
        cells_[0] = table_.total();
    } else if (!by_bits || rows_are_cheaper()) {
        count_all_rows();
    } else {
        for (Axis& axis : axes_) axis.bits = table_.bits(axis.variable);
        masks_.resize(axes_.size() * words_);
        auto leaf = [&](const Word* mask, Count inside, Count* out) { fill_last(axes_.back(), mask, inside, out); };
        fill(0, axes_.size() - 1, nullptr, table_.total(), cells_.data(), leaf);
    }
}

void Counter::fill_last(const Axis& axis, const Word* mask, Count inside, Count* out) {
    Count rest = inside;
    const Word* bits = axis.bits;
    for (int state = 0; state < axis.arity; ++state) {
        if (state == axis.mode) continue;
        out[state] =
            mask ? static_cast<Count>(kernels_->count_and(mask, bits, words_)) : table_.marginal(axis.variable, state);
        rest -= out[state];
        bits += words_;
    }
    out[axis.mode] = rest;
}

bool Counter::rows_are_cheaper() const {
    auto cells = static_cast<double>(cells_.size()), axes = static_cast<double>(axes_.size());
    double ands = axes_[0].ands - (axes_[0].arity - 1);  // the first variable's bits are there already
    double by_bits = ands * (ns_per_and + ns_per_word * static_cast<double>(words_)) + ns_per_cell * cells * axes;
    double by_rows =
        static_cast<double>(table_.rows()) * (ns_per_row + ns_per_row_and_axis * axes) + 3 * ns_per_cell * cells;
    return by_rows < by_bits;
}

void Counter::count_all_rows() {
    if (table_.weights()) {
        count_all_rows_weighted();
    } else if (cells_.size() <= std::size_t{1} << 16) {
        count_all_rows_unweighted<std::uint16_t>();
    } else {
        count_all_rows_unweighted<std::uint32_t>();
    }
}

namespace {

// Where each of `count` rows from `start` on falls in the table.
template <class Place, class Axes>
void find_places(const Table& table, const Axes& axes, std::size_t start, std::size_t count, Place* place) {
    std::fill(place, place + count, Place{0});
    for (const auto& axis : axes) {
        auto stride = static_cast<Place>(axis.block);
        auto add = [&](const auto* states) {
            for (std::size_t i = 0; i < count; ++i)
                place[i] = static_cast<Place>(place[i] + stride * states[start + i]);
        };
        std::visit(add, table.states(axis.variable));
    }
}

}  // namespace

// Several tallies in turn: adding to a cell that was added to just before would have to wait.
template <class Place>
void Counter::count_all_rows_unweighted() {
    constexpr std::size_t turns = 4;
    std::size_t cells = cells_.size();
    tallies_.assign(turns * cells, 0);
    std::uint32_t* tally = tallies_.data();
    Place place[block_rows];
    for (std::size_t start = 0; start < table_.rows(); start += block_rows) {
        std::size_t count = std::min(block_rows, table_.rows() - start);
        find_places(table_, axes_, start, count, place);
        std::size_t i = 0;
        for (; i + turns <= count; i += turns) {
            ++tally[place[i]];
            ++tally[cells + place[i + 1]];
            ++tally[2 * cells + place[i + 2]];
            ++tally[3 * cells + place[i + 3]];
        }
        for (; i < count; ++i) ++tally[place[i]];
    }
    for (std::size_t c = 0; c < cells; ++c)
        cells_[c] =
            Count{tally[c]} + Count{tally[cells + c]} + Count{tally[2 * cells + c]} + Count{tally[3 * cells + c]};
}

void Counter::count_all_rows_weighted() {
    std::fill(cells_.begin(), cells_.end(), Count{0});
    std::uint32_t place[block_rows];
    for (std::size_t start = 0; start < table_.rows(); start += block_rows) {
        std::size_t count = std::min(block_rows, table_.rows() - start);
        find_places(table_, axes_, start, count, place);
        for (std::size_t i = 0; i < count; ++i) cells_[place[i]] += table_.weights()[start + i];
    }
}

// ---- what is asked for

void Counter::tally(std::size_t distinct, std::vector<Count>& out) const {
    out.assign(distinct, 0);
    const std::int64_t* weights = table_.weights();
    const auto& ids = keys_.keys();
    for (std::size_t i = 0; i < ids.size(); ++i) out[ids[i]] += weights ? weights[i] : 1;
}

// Beyond this, going through the cells would cost more than going through the rows.
bool Counter::is_sparse(double cells) const {
    return cells > 2.0 * static_cast<double>(table_.rows()) + 1024.0 ||
           cells >= static_cast<double>(RowKeys::max_direct);
}

void Counter::set_size(FamilyCounts& counts, std::span<const int> parents) const {
    counts.n = table_.total();
    counts.q = cells_of(table_, parents);
    counts.log_q = 0.0;
    if (std::isfinite(counts.q)) {
        counts.log_q = std::log(counts.q);
    } else {
        for (int p : parents) counts.log_q += std::log(table_.arity(p));
    }
}

// The configurations: the cells with the child summed out, whose axis has r states and `inner` cells below each.
void Counter::sum_out(std::size_t inner, std::size_t r) {
    std::size_t outer = cells_.size() / (inner * r);
    configurations_.assign(outer * inner, 0);
    for (std::size_t a = 0; a < outer; ++a) {
        Count* sums = configurations_.data() + a * inner;
        for (std::size_t k = 0; k < r; ++k) {
            const Count* slice = cells_.data() + (a * r + k) * inner;
            for (std::size_t b = 0; b < inner; ++b) sums[b] += slice[b];
        }
    }
}

FamilyCounts Counter::family(int child, std::span<const int> parents) {
    FamilyCounts result;
    result.r = table_.arity(child);
    set_size(result, parents);
    if (is_sparse(result.q * result.r)) {
        keys_.start(table_.rows());
        for (int p : parents) keys_.add(table_, p);
        tally(keys_.number(), configurations_);
        keys_.add(table_, child);
        tally(keys_.number(), cells_);
        result.cells = cells_;
        result.configurations = configurations_;
        return result;
    }
    take_axes(parents);
    axes_.push_back({child, table_.arity(child), table_.mode(child)});
    sort_axes();
    count_axes();
    auto axis = std::find_if(axes_.begin(), axes_.end(), [&](const Axis& a) { return a.variable == child; });
    sum_out(axis->block, at(axis->arity));
    result.cells = cells_;
    result.configurations = configurations_;
    return result;
}

void Counter::take_candidates(std::span<const int> candidates) {
    candidate_bits_.clear();
    candidate_marginals_.clear();
    candidate_column_.assign(1, 1);
    for (int u : candidates) {
        const Word* bits = table_.bits(u);
        for (int state = 0; state < table_.arity(u); ++state) {
            if (state == table_.mode(u)) continue;
            candidate_bits_.push_back(bits);
            candidate_marginals_.push_back(table_.marginal(u, state));
            bits += words_;
        }
        candidate_column_.push_back(1 + candidate_bits_.size());
    }
}

bool Counter::count_extended(int child, std::span<const int> parents, std::span<const int> candidates) {
    base_.r = table_.arity(child);
    set_size(base_, parents);
    auto has_bits = [&](int v) { return table_.has_bits(v); };
    double cells = base_.q * base_.r;
    bool by_bits = has_bits(child) && std::all_of(parents.begin(), parents.end(), has_bits) &&
                   std::all_of(candidates.begin(), candidates.end(), has_bits);
    if (!by_bits || cells > max_extended_cells) return false;
    kernels_ = &bit_kernels();
    words_ = table_.words();
    take_candidates(candidates);
    Way way = cheapest_way(table_, cells, static_cast<double>(parents.size()), static_cast<double>(candidates.size()),
                           static_cast<double>(candidate_bits_.size()));
    if (way == Way::rows) return false;
    take_axes(parents);
    axes_.push_back({child, table_.arity(child), table_.mode(child)});
    sort_axes();
    std::size_t block = 1 + candidate_bits_.size();
    for (std::size_t k = axes_.size(); k-- > 0;) {
        axes_[k].block = block;
        axes_[k].bits = table_.bits(axes_[k].variable);
        block *= at(axes_[k].arity);
    }
    extended_.resize(block);
    if (way == Way::columns) {
        fill_by_columns(candidates);
        return true;
    }
    masks_.resize(axes_.size() * words_);
    auto leaf = [&](const Word* mask, Count inside, Count* out) { fill_candidates(mask, inside, out); };
    fill(0, axes_.size(), nullptr, table_.total(), extended_.data(), leaf);
    return true;
}

// The rows by their cell of the family, whose blocks are `width` apart, by counting how many each cell has. The rows
// come in a few parts, each with its own places in a cell, so that a row need not wait for the one before it.
void Counter::sort_rows(std::size_t width) {
    constexpr std::size_t parts = 4;
    std::size_t rows = table_.rows(), cells = extended_.size() / width, part = rows / parts;
    places_.assign(rows, 0);
    for (const Axis& axis : axes_) {
        auto stride = static_cast<std::uint16_t>(axis.block / width);
        auto add = [&](const auto* states) {
            for (std::size_t i = 0; i < rows; ++i)
                places_[i] = static_cast<std::uint16_t>(places_[i] + stride * states[i]);
        };
        std::visit(add, table_.states(axis.variable));
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
    visit([&](std::size_t k, std::size_t i) { ++next[k][places_[i]]; });
    starts_.resize(cells + 1);
    std::uint32_t start = 0;
    for (std::size_t c = 0; c < cells; ++c) {
        starts_[c] = start;
        for (std::size_t k = 0; k < parts; ++k) start += std::exchange(next[k][c], start);
    }
    starts_[cells] = start;
    order_.resize(rows);
    visit([&](std::size_t k, std::size_t i) { order_[next[k][places_[i]]++] = static_cast<std::uint32_t>(i); });
}

void Counter::fill_by_columns(std::span<const int> candidates) {
    std::size_t width = 1 + candidate_bits_.size();
    sort_rows(width);
    const RowBits& bits = table_.row_bits();
    column_counts_.resize(64 * bits.stride);
    for (std::size_t cell = 0; cell + 1 < starts_.size(); ++cell) {
        Count* out = extended_.data() + cell * width;
        std::size_t start = starts_[cell], count = starts_[cell + 1] - start;
        *out++ = static_cast<Count>(count);
        if (count == 0) {
            std::fill(out, out + width - 1, Count{0});
            continue;
        }
        for (std::size_t word = 0; word < bits.stride; word += 4) {
            kernels_->count_columns(bits.words.data() + word, bits.stride, std::min<std::size_t>(4, bits.used - word),
                                    order_.data() + start, count, column_counts_.data() + 64 * word);
        }
        for (int u : candidates) {
            const std::uint32_t* counts = column_counts_.data() + bits.first_bit[at(u)];
            for (int k = 0; k + 1 < table_.arity(u); ++k) *out++ = counts[k];
        }
    }
}

// One cell of the family: its count, and the states of all candidates side by side.
void Counter::fill_candidates(const Word* mask, Count inside, Count* out) {
    *out++ = inside;
    for (std::size_t k = 0; k < candidate_bits_.size(); ++k) {
        out[k] =
            mask ? static_cast<Count>(kernels_->count_and(mask, candidate_bits_[k], words_)) : candidate_marginals_[k];
    }
}

// The family with candidate i as the axis that varies fastest.
FamilyCounts Counter::one_extension(int child, std::span<const int> candidates, std::size_t i) {
    int u = candidates[i];
    std::size_t s = at(table_.arity(u)), mode = at(table_.mode(u)), width = 1 + candidate_bits_.size();
    std::size_t base_cells = extended_.size() / width;
    cells_.resize(base_cells * s);
    for (std::size_t cell = 0; cell < base_cells; ++cell) {
        const Count* counts = extended_.data() + cell * width;
        const Count* next = counts + candidate_column_[i];
        Count rest = counts[0];
        Count* out = cells_.data() + cell * s;
        for (std::size_t state = 0; state < s; ++state) {
            if (state == mode) continue;
            rest -= out[state] = *next++;
        }
        out[mode] = rest;
    }
    auto axis = std::find_if(axes_.begin(), axes_.end(), [&](const Axis& a) { return a.variable == child; });
    FamilyCounts result = base_;
    result.q *= static_cast<double>(s);
    result.log_q = std::log(result.q);
    sum_out(axis->block / width * s, at(axis->arity));
    result.cells = cells_;
    result.configurations = configurations_;
    return result;
}

std::span<const Count> Counter::joint(std::span<const int> variables) {
    if (is_sparse(cells_of(table_, variables))) {
        keys_.start(table_.rows());
        for (int v : variables) keys_.add(table_, v);
        tally(keys_.number(), cells_);
    } else {
        take_axes(variables);
        sort_axes();
        count_axes();
    }
    return cells_;
}

std::span<const Count> Counter::dense(std::span<const int> variables, std::size_t limit) {
    if (cells_of(table_, variables) >
        static_cast<double>(std::min<std::size_t>(limit, std::numeric_limits<std::uint32_t>::max())))
        return {};
    take_axes(variables);
    count_axes();
    return cells_;
}

}  // namespace veridag
