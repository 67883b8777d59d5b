#include "table/folded_rows.hpp"

#include <algorithm>
#include <stdexcept>

namespace veridag {
namespace {

std::uint64_t hash(std::span<const std::uint16_t> row) {
    std::uint64_t key = 0;
    for (std::uint16_t state : row) {
        key = (key ^ state) * 0x9e3779b97f4a7c15ULL;
        key ^= key >> 32;
    }
    return key;
}

}  // namespace

std::size_t FoldedRows::slot_of(std::span<const std::uint16_t> own) const {
    std::size_t last = slots_.size() - 1, slot = hash(own) & last;
    while (slots_[slot] != nowhere && !std::ranges::equal(row(slots_[slot]), own)) slot = (slot + 1) & last;
    return slot;
}

void FoldedRows::grow() {
    slots_.assign(2 * slots_.size(), nowhere);
    for (std::size_t i = 0; i < rows(); ++i) slots_[slot_of(row(i))] = static_cast<std::uint32_t>(i);
}

void FoldedRows::add(std::span<const std::uint16_t> own, std::int64_t weight) {
    if (own.size() != variables_) throw std::invalid_argument("a row has a state for each variable");
    std::size_t slot = slot_of(own);
    if (slots_[slot] != nowhere) {
        weights_[slots_[slot]] += weight;
        return;
    }
    if (rows() + 1 >= nowhere) throw std::length_error("there are too many different rows");
    slots_[slot] = static_cast<std::uint32_t>(rows());
    states_.insert(states_.end(), own.begin(), own.end());
    weights_.push_back(weight);
    if (2 * rows() > slots_.size()) grow();
}

}  // namespace veridag
