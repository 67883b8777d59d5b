// Rows of states in which each different row is kept once, with the sum of the weights of its copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace veridag {

class FoldedRows {
   public:
    explicit FoldedRows(std::size_t variables) : variables_(variables), slots_(64, nowhere) {}

    std::size_t variables() const { return variables_; }
    std::size_t rows() const { return weights_.size(); }

    // Adds a row, which counts `weight` times. Different rows keep the order in which they came first.
    void add(std::span<const std::uint16_t> row, std::int64_t weight);

    std::uint16_t state(std::size_t row, std::size_t v) const { return states_[row * variables_ + v]; }
    std::span<const std::int64_t> weights() const { return weights_; }

   private:
    static constexpr std::uint32_t nowhere = 0xffffffff;

    std::size_t slot_of(std::span<const std::uint16_t> row) const;
    void grow();
    std::span<const std::uint16_t> row(std::size_t i) const { return {states_.data() + i * variables_, variables_}; }

    std::size_t variables_;
    std::vector<std::uint16_t> states_;  // row after row
    std::vector<std::int64_t> weights_;
    std::vector<std::uint32_t> slots_;  // which row is where its hash says, or at the next free place
};

}  // namespace veridag
