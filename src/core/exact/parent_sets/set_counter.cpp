#include "exact/parent_sets/set_counter.hpp"
#include "index.hpp"

#include <algorithm>
#include <limits>

namespace veridag {
namespace {

constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

// Nanoseconds, measured; only their ratios matter, and no result depends on them but in its last digits.
constexpr double ns_per_word = 0.5;  // AND, popcount and adding up
constexpr double ns_per_cell = 0.5;
constexpr double ns_per_row = 1.0;  // counting it
constexpr double ns_per_row_arranged = 1.5;

}  // namespace

SetCounter::SetCounter(const Table& table)
    : table_(table),
      cell_of_(1, std::vector<std::uint32_t>(table.rows(), 0)),
      cells_(1, 1),
      columns_(at(table.variables())),
      weighted_(table.weights() != nullptr) {}

void SetCounter::count(std::span<const int> set, std::size_t company) {
    alone_ = 0;
    if (set.empty()) {
        counts_.assign(1, static_cast<std::uint32_t>(table_.rows()));
        weighted_counts_.assign(1, table_.total());
        return;
    }
    if (set.size() >= 2 && company >= 3 && !weighted_) {
        int w = set[set.size() - 2], u = set.back();
        if (table_.has_bits(w) && table_.has_bits(u)) {
            split(set.first(set.size() - 2));
            if (!arranged_ || arranged_depth_ != set.size() - 2) arrange_cells(set.size() - 2);
            if (bits_are_cheaper(w, u)) return count_pair(w, u);
        }
    }
    split(set.first(set.size() - 1));
    count_rows(set.size() - 1, set.back());
}

std::size_t SetCounter::occurring() const {
    auto there = [](auto n) { return n > 0; };
    if (weighted_)
        return static_cast<std::size_t>(std::count_if(weighted_counts_.begin(), weighted_counts_.end(), there));
    return alone_ + static_cast<std::size_t>(std::count_if(counts_.begin(), counts_.end(), there));
}

// ---- cells

void SetCounter::split(std::span<const int> members) {
    std::size_t same = 0;
    while (same < members.size() && same < members_.size() && members[same] == members_[same]) ++same;
    if (arranged_ && same < std::min(arranged_depth_, members_.size())) arranged_ = false;
    if (same == members.size()) return;  // a deeper split may stay: its beginning is what is asked for
    members_.resize(same);
    for (std::size_t depth = same; depth < members.size(); ++depth) {
        split_by(depth, members[depth]);
        members_.push_back(members[depth]);
    }
}

// Cells are numbered in the order of their first rows.
void SetCounter::split_by(std::size_t depth, int variable) {
    if (cell_of_.size() <= depth + 1) {
        cell_of_.emplace_back(table_.rows());
        cells_.push_back(0);
    }
    auto r = static_cast<std::uint32_t>(table_.arity(variable));
    const std::vector<std::uint32_t>& before = cell_of_[depth];
    std::vector<std::uint32_t>& after = cell_of_[depth + 1];
    number_.assign(cells_[depth] * r, nowhere);
    std::uint32_t cells = 0;
    auto renumber = [&](const auto* states, std::size_t first, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            std::uint32_t& number = number_[before[first + i] * std::size_t{r} + states[i]];
            if (number == nowhere) number = cells++;
            after[first + i] = number;
        }
    };
    for_states(table_.states(variable), 0, before.size(), renumber);
    cells_[depth + 1] = cells;
}

// ---- by rows

void SetCounter::count_rows(std::size_t depth, int u) {
    const std::vector<std::uint32_t>& cell = cell_of_[depth];
    std::size_t r = at(table_.arity(u)), size = cells_[depth] * r;
    if (weighted_) {
        weighted_counts_.assign(size, 0);
        auto add = [&](const auto* states, std::size_t first, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i)
                weighted_counts_[cell[first + i] * r + states[i]] += table_.weights()[first + i];
        };
        return for_states(table_.states(u), 0, cell.size(), add);
    }
    counts_.assign(size, 0);
    std::uint32_t* counts = counts_.data();
    auto add = [&](const auto* states, std::size_t first, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) ++counts[cell[first + i] * r + states[i]];
    };
    for_states(table_.states(u), 0, cell.size(), add);
}

// ---- by bits

void SetCounter::arrange_cells(std::size_t depth) {
    const std::vector<std::uint32_t>& cell = cell_of_[depth];
    std::size_t cells = cells_[depth];
    sizes_.assign(cells, 0);
    for (std::uint32_t c : cell) ++sizes_[c];
    start_.assign(cells, nowhere);
    last_word_.clear();
    cell_total_.clear();
    arranged_alone_ = 0;
    std::uint32_t word = 0;
    for (std::size_t c = 0; c < cells; ++c) {
        if (sizes_[c] <= 64) continue;
        start_[c] = 64 * word;
        word += (sizes_[c] + 63) / 64;
        last_word_.push_back(word);
        cell_total_.push_back(sizes_[c]);
    }
    large_cells_ = last_word_.size();
    large_words_ = word;
    for (std::size_t c = 0; c < cells; ++c) {
        if (sizes_[c] > 64) continue;
        if (sizes_[c] == 1) {
            ++arranged_alone_;
            continue;
        }
        start_[c] = 64 * word++;
        cell_total_.push_back(sizes_[c]);
    }
    words_ = word;
    kept_cells_ = cell_total_.size();
    position_.resize(cell.size());
    for (std::size_t i = 0; i < cell.size(); ++i) {
        std::uint32_t& next = start_[cell[i]];
        position_[i] = next == nowhere ? nowhere : next++;
    }
    of_words_.resize(words_);
    arranged_ = true;
    arranged_depth_ = depth;
    ++stamp_;
}

const SetCounter::Column& SetCounter::column(int variable) {
    Column& column = columns_[at(variable)];
    if (column.stamp == stamp_) return column;
    column.stamp = stamp_;
    std::size_t r = at(table_.arity(variable)), mode = at(table_.mode(variable));
    // Every state gets bit rows, so that no row needs a branch; those of rows alone fall into one word behind them all.
    std::size_t stride = words_ + 1;
    column.bits.assign(r * stride, 0);
    Word* bits = column.bits.data();
    std::uint32_t behind = static_cast<std::uint32_t>(64 * words_);
    auto scatter = [&](const auto* states, std::size_t first, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            std::uint32_t p = std::min(position_[first + i], behind);
            bits[states[i] * stride + p / 64] |= Word{1} << (p % 64);
        }
    };
    for_states(table_.states(variable), 0, position_.size(), scatter);
    column.in_cell.resize(r * kept_cells_);
    std::uint32_t* rest = column.in_cell.data() + mode * kept_cells_;
    std::copy(cell_total_.begin(), cell_total_.end(), rest);
    for (std::size_t state = 0; state < r; ++state) {
        if (state == mode) continue;
        std::uint32_t* out = column.in_cell.data() + state * kept_cells_;
        const Word* row = bits + state * stride;
        bit_kernels().count_each_and(row, row, of_words_.data(), words_);
        add_words(of_words_.data(), out);
        for (std::size_t c = 0; c < kept_cells_; ++c) rest[c] -= out[c];
    }
    return column;
}

void SetCounter::add_words(const std::uint32_t* of_words, std::uint32_t* of_cells) const {
    std::size_t word = 0;
    for (std::size_t c = 0; c < large_cells_; ++c) {
        std::uint32_t sum = 0;
        for (; word < last_word_[c]; ++word) sum += of_words[word];
        of_cells[c] = sum;
    }
    std::copy(of_words + large_words_, of_words + words_, of_cells + large_cells_);
}

bool SetCounter::bits_are_cheaper(int w, int u) const {
    auto r = static_cast<double>(table_.arity(w)), s = static_cast<double>(table_.arity(u));
    double by_bits = (r - 1) * (s - 1) * ns_per_word * static_cast<double>(words_) +
                     r * s * ns_per_cell * static_cast<double>(kept_cells_);
    auto rows = static_cast<double>(table_.rows());
    double by_rows =
        rows * ns_per_row + ns_per_cell * std::min(rows, r * static_cast<double>(cells_[arranged_depth_])) * s;
    return by_bits < by_rows;
}

// The states of both but the modes by AND and popcount, the modes' by taking away from what each cell has in all.
void SetCounter::count_pair(int w, int u) {
    const Column& first = column(w);
    const Column& second = column(u);
    std::size_t r = at(table_.arity(w)), s = at(table_.arity(u)), cells = kept_cells_, stride = words_ + 1;
    std::size_t mode_w = at(table_.mode(w)), mode_u = at(table_.mode(u));
    const BitKernels& kernels = bit_kernels();
    counts_.resize(r * s * cells);
    std::uint32_t* counts = counts_.data();
    auto cell = [&](std::size_t a, std::size_t b) { return counts + (a * s + b) * cells; };
    for (std::size_t b = 0; b < s; ++b) std::copy_n(second.in_cell.data() + b * cells, cells, cell(mode_w, b));
    for (std::size_t a = 0; a < r; ++a) {
        if (a == mode_w) continue;
        std::uint32_t* rest = cell(a, mode_u);
        std::copy_n(first.in_cell.data() + a * cells, cells, rest);
        for (std::size_t b = 0; b < s; ++b) {
            if (b == mode_u) continue;
            std::uint32_t* out = cell(a, b);
            const Word *x = first.bits.data() + a * stride, *y = second.bits.data() + b * stride;
            if (large_cells_ == 0) {
                kernels.count_each_and(x, y, out, words_);
            } else {
                kernels.count_each_and(x, y, of_words_.data(), words_);
                add_words(of_words_.data(), out);
            }
            std::uint32_t* below = cell(mode_w, b);
            for (std::size_t c = 0; c < cells; ++c) {
                rest[c] -= out[c];
                below[c] -= out[c];
            }
        }
        std::uint32_t* corner = cell(mode_w, mode_u);
        for (std::size_t c = 0; c < cells; ++c) corner[c] -= rest[c];
    }
    alone_ = arranged_alone_;
}

}  // namespace veridag
