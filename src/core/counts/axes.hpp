// The variables of a table of counts, and how to fill it by AND and popcount over the bit rows of their states.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "table/table.hpp"

namespace veridag {

using Count = std::int64_t;

// What becomes of missing values: rows that have one are passed over, or it is a state like any other.
enum class Gaps { passed_over, a_state };

// Marks the rows in which one of the variables has no value; empty if none has gaps.
inline void mark_gaps(const Table& table, std::span<const int> variables, std::vector<char>& out) {
    out.clear();
    for (int v : variables) {
        if (!table.has_gaps(v)) continue;
        out.resize(table.rows(), 0);
        int gap = table.observed_arity(v);
        for_states(table.states(v), 0, out.size(), [&](const auto* states, std::size_t first, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i) out[first + i] |= static_cast<char>(states[i] == gap);
        });
    }
}

struct Axis {
    int variable;
    int arity;
    int mode;
    std::size_t block = 1;       // numbers below one state of this variable
    const Word* bits = nullptr;  // bit rows of its states but the mode
};

class Axes {
   public:
    explicit Axes(const Table& table, Gaps gaps = Gaps::passed_over) : table_(table), gaps_(gaps) {}

    Gaps gaps() const { return gaps_; }
    // The states that an axis of this variable has.
    int arity(int v) const { return gaps_ == Gaps::passed_over ? table_.observed_arity(v) : table_.arity(v); }
    // Whether rows are passed over if this variable is among the axes.
    bool has_gaps(int v) const { return gaps_ == Gaps::passed_over && table_.has_gaps(v); }
    bool any_gaps() const {
        return std::any_of(axes_.begin(), axes_.end(), [this](const Axis& axis) { return has_gaps(axis.variable); });
    }

    void take(std::span<const int> variables) {
        axes_.clear();
        for (int v : variables) append(v);
    }
    void append(int v) { axes_.push_back({v, arity(v), table_.mode(v)}); }

    // Most of the work is in the last level, where a variable of r states takes r - 1 operations for r cells: the
    // fewest states come last.
    void sort() {
        for (std::size_t i = 1; i < size(); ++i) {
            for (std::size_t k = i; k > 0 && axes_[k - 1].arity < axes_[k].arity; --k)
                std::swap(axes_[k - 1], axes_[k]);
        }
    }

    // Makes room for `below` numbers in each cell; returns how many there are in all.
    std::size_t set_blocks(std::size_t below) {
        for (std::size_t k = size(); k-- > 0;) {
            axes_[k].block = below;
            below *= at(axes_[k].arity);
        }
        return below;
    }

    std::size_t size() const { return axes_.size(); }
    bool empty() const { return axes_.empty(); }
    const Axis& operator[](std::size_t k) const { return axes_[k]; }
    auto begin() const { return axes_.begin(); }
    auto end() const { return axes_.end(); }
    const Axis& of(int variable) const {
        return *std::find_if(begin(), end(), [&](const Axis& axis) { return axis.variable == variable; });
    }

    // Fills the numbers of the first `levels` axes; below them, `leaf(mask, inside, out)` does, where the mask has the
    // rows of a cell (null: all rows), of which there are `inside`. Returns how many rows were counted. Many rows are
    // counted block by block, so that the bits of a block stay close to the processor: a mask, and the bits that a leaf
    // is to compare with it, are those of `words` from `first_word` on.
    template <class Number, class Leaf>
    Count fill(std::size_t levels, Number* out, const Leaf& leaf) {
        for (Axis& axis : axes_) axis.bits = table_.bits(axis.variable);
        kernels_ = &bit_kernels();
        std::size_t all_words = table_.words();
        first_word_ = 0;
        words_ = all_words > most_words ? block_words : all_words;
        masks_.resize((size() + 1) * words_);
        if (words_ == all_words) return fill_block(levels, out, leaf);
        std::size_t numbers = axes_[0].block * at(axes_[0].arity);
        std::vector<Number> block(numbers);
        std::fill(out, out + numbers, Number{0});
        Count counted = 0;
        for (; first_word_ < all_words; first_word_ += block_words) {
            words_ = std::min(block_words, all_words - first_word_);
            counted += fill_block(levels, block.data(), leaf);
            for (std::size_t i = 0; i < numbers; ++i) out[i] += block[i];
        }
        return counted;
    }
    std::size_t first_word() const { return first_word_; }
    std::size_t words() const { return words_; }

   private:
    static constexpr std::size_t block_words = 1024, most_words = 2 * block_words;

    template <class Number, class Leaf>
    Count fill_block(std::size_t levels, Number* out, const Leaf& leaf) {
        const Word* mask = words_ < table_.words() || any_gaps() ? mask_counted() : nullptr;
        Count all = mask ? static_cast<Count>(kernels_->count_and(mask, mask, words_)) : table_.total();
        fill_below(0, levels, mask, all, out, leaf);
        return all;
    }

    // The rows of the block in which all axes have a value.
    const Word* mask_counted() {
        Word* mask = masks_.data() + size() * words_;
        std::fill(mask, mask + words_, ~Word{0});
        bool is_last = first_word_ + words_ == table_.words();
        if (is_last && table_.rows() % 64) mask[words_ - 1] = (Word{1} << table_.rows() % 64) - 1;
        for (const Axis& axis : axes_) {
            if (!has_gaps(axis.variable)) continue;
            const Word* gap = table_.gap_bits(axis.variable) + first_word_;
            for (std::size_t i = 0; i < words_; ++i) mask[i] &= ~gap[i];
        }
        return mask;
    }

    // The mode's block first gets the counts whatever the variable's state, from which the other states' are then taken
    // away.
    template <class Number, class Leaf>
    void fill_below(std::size_t level, std::size_t levels, const Word* mask, Count inside, Number* out,
                    const Leaf& leaf) {
        if (level == levels) return leaf(mask, inside, out);
        const Axis& axis = axes_[level];
        Number* rest = out + at(axis.mode) * axis.block;
        fill_below(level + 1, levels, mask, inside, rest, leaf);
        Word* narrowed = masks_.data() + level * words_;
        const Word* bits = axis.bits + first_word_;
        for (int state = 0; state < axis.arity; ++state) {
            if (state == axis.mode) continue;
            Number* block = out + at(state) * axis.block;
            Count count = mask ? static_cast<Count>(kernels_->store_and(mask, bits, narrowed, words_))
                               : table_.marginal(axis.variable, state);
            if (count == 0) {
                std::fill(block, block + axis.block, Number{0});
            } else {
                fill_below(level + 1, levels, mask ? narrowed : bits, count, block, leaf);
                for (std::size_t i = 0; i < axis.block; ++i) rest[i] -= block[i];
            }
            bits += table_.words();
        }
    }

    const Table& table_;
    Gaps gaps_;
    const BitKernels* kernels_ = nullptr;
    std::vector<Axis> axes_;
    std::size_t first_word_ = 0, words_ = 0;
    std::vector<Word> masks_;  // one bit row a level, and one of the rows that are counted
};

}  // namespace veridag
