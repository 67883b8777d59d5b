// The variables of a table of counts, and how to fill it by AND and popcount over the bit rows of their states.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "table/table.hpp"

namespace veridag {

using Count = std::int64_t;

struct Axis {
    int variable;
    int arity;
    int mode;
    std::size_t block = 1;       // numbers below one state of this variable
    const Word* bits = nullptr;  // bit rows of its states but the mode
};

class Axes {
   public:
    explicit Axes(const Table& table) : table_(table) {}

    void take(std::span<const int> variables) {
        axes_.clear();
        for (int v : variables) append(v);
    }
    void append(int v) { axes_.push_back({v, table_.arity(v), table_.mode(v)}); }

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
    // rows of a cell (null: all rows), of which there are `inside`.
    template <class Number, class Leaf>
    void fill(std::size_t levels, Number* out, const Leaf& leaf) {
        for (Axis& axis : axes_) axis.bits = table_.bits(axis.variable);
        masks_.resize(size() * table_.words());
        kernels_ = &bit_kernels();
        fill_below(0, levels, nullptr, table_.total(), out, leaf);
    }

   private:
    // The mode's block first gets the counts whatever the variable's state, from which the other states' are then taken
    // away.
    template <class Number, class Leaf>
    void fill_below(std::size_t level, std::size_t levels, const Word* mask, Count inside, Number* out,
                    const Leaf& leaf) {
        if (level == levels) return leaf(mask, inside, out);
        const Axis& axis = axes_[level];
        Number* rest = out + at(axis.mode) * axis.block;
        fill_below(level + 1, levels, mask, inside, rest, leaf);
        std::size_t words = table_.words();
        Word* narrowed = masks_.data() + level * words;
        const Word* bits = axis.bits;
        for (int state = 0; state < axis.arity; ++state) {
            if (state == axis.mode) continue;
            Number* block = out + at(state) * axis.block;
            Count count = mask ? static_cast<Count>(kernels_->store_and(mask, bits, narrowed, words))
                               : table_.marginal(axis.variable, state);
            if (count == 0) {
                std::fill(block, block + axis.block, Number{0});
            } else {
                fill_below(level + 1, levels, mask ? narrowed : bits, count, block, leaf);
                for (std::size_t i = 0; i < axis.block; ++i) rest[i] -= block[i];
            }
            bits += words;
        }
    }

    const Table& table_;
    const BitKernels* kernels_ = nullptr;
    std::vector<Axis> axes_;
    std::vector<Word> masks_;  // one bit row a level
};

}  // namespace veridag
