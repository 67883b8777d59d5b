// Discrete data: one array of states a variable, and on demand a bit row for each of its states but the commonest.
// Missing values are a state of their own, the last of each variable that has any, and never count as the commonest.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "counts/bits.hpp"
#include "index.hpp"
#include "table/states.hpp"

namespace veridag {

// Which states, but the mode, each variable is in: all bits of a row, in chunks. The first chunk of all rows comes
// first, row after row, then the second of all rows: what is counted together lies together.
struct RowBits {
    static constexpr std::size_t words_a_chunk = 4, chunk = 64 * words_a_chunk;

    std::size_t used_bits = 0;
    std::vector<std::size_t> first_bit;  // of each variable; its states but the mode follow in order
    std::vector<Word> words;

    std::size_t chunks() const { return (used_bits + chunk - 1) / chunk; }
    // How many words of a chunk hold any bits.
    std::size_t words_used(std::size_t c) const {
        return std::min(words_a_chunk, (used_bits + 63) / 64 - c * words_a_chunk);
    }
    const Word* chunk_rows(std::size_t c, std::size_t rows) const { return words.data() + c * rows * words_a_chunk; }
};

class Table {
   public:
    // `weights` says how often each row counts, or is null if each counts once.
    // `observed` are the arities without the state of missing values; empty if no variable has one.
    Table(std::vector<StateArray> columns, std::vector<int> arities, std::size_t rows, const std::int64_t* weights,
          std::vector<int> observed = {});

    // These variables in this order, over the same memory: bit rows that one of the two builds serve both.
    Table(const Table& whole, std::span<const int> chosen);

    std::size_t rows() const { return rows_; }
    std::size_t words() const { return (rows_ + 63) / 64; }
    std::int64_t total() const { return total_; }
    int variables() const { return static_cast<int>(variables_.size()); }
    int arity(int v) const { return variables_[at(v)]->arity; }
    // Its states without that of missing values.
    int observed_arity(int v) const { return variables_[at(v)]->observed; }
    bool has_gaps(int v) const { return observed_arity(v) < arity(v); }
    bool any_gaps(std::span<const int> variables) const {
        return std::any_of(variables.begin(), variables.end(), [this](int v) { return has_gaps(v); });
    }
    const StateArray& states(int v) const { return variables_[at(v)]->states; }
    const std::int64_t* weights() const { return weights_; }

    // Whether counting by bits is possible at all: rows count once, and the states are few enough for a bit row each.
    bool has_bits(int v) const { return weights_ == nullptr && arity(v) <= max_bit_arity; }

    // The bit rows of a variable's states, one after the other without the mode's. The first call for a variable builds
    // them; safe from any thread.
    const Word* bits(int v) const;
    // Where a variable with gaps has none of its states: the last of its bit rows.
    const Word* gap_bits(int v) const { return bits(v) + at(observed_arity(v) - 1) * words(); }

    // The same bits row by row, of the variables that has_bits holds for. The first call builds them; safe from any
    // thread.
    const RowBits& row_bits() const;
    std::size_t bits_a_row() const { return bits_a_row_; }

    int mode(int v) const { return variables_[at(v)]->mode; }
    std::int64_t marginal(int v, int state) const { return variables_[at(v)]->marginals[at(state)]; }

    static constexpr int max_bit_arity = 16;

   private:
    struct Variable {
        StateArray states;
        int arity, observed, mode;
        std::vector<std::int64_t> marginals;
        std::vector<Word> bits;
        std::atomic<const Word*> ready{nullptr};  // where the bits are, once they are
        std::mutex building;
    };

    void count_states(Variable& variable) const;
    void build_bits(Variable& variable) const;
    void build_row_bits() const;
    void add_up_bits();

    std::vector<std::shared_ptr<Variable>> variables_;
    std::size_t rows_;
    const std::int64_t* weights_;
    std::int64_t total_ = 0;
    std::size_t bits_a_row_ = 0;
    mutable RowBits row_bits_;
    mutable std::once_flag row_bits_built_;
};

}  // namespace veridag
