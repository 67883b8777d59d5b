#include "table/states.hpp"

namespace veridag {

template <class State>
void PackedStates::append(std::span<const State> states) {
    State largest = 0;
    for (State state : states) largest = std::max(largest, state);
    if (largest >> bits_) throw std::invalid_argument("a state does not fit into its bits");
    if (bits_ == 16) {
        shorts_.insert(shorts_.end(), states.begin(), states.end());
    } else if (bits_ == 8) {
        for (State state : states) bytes_.push_back(static_cast<std::uint8_t>(state));
    } else {
        std::size_t piece = PackedArray::block / 8 * static_cast<std::size_t>(bits_);
        std::size_t row = rows_, blocks = (rows_ + states.size() + PackedArray::block - 1) / PackedArray::block;
        bytes_.resize(blocks * piece, 0);
        for (State state : states) {
            std::size_t within = row % PackedArray::block;
            bytes_[row / PackedArray::block * piece + within % piece] |=
                static_cast<std::uint8_t>(state << (within / piece * static_cast<std::size_t>(bits_)));
            ++row;
        }
    }
    rows_ += states.size();
}

template void PackedStates::append(std::span<const std::uint8_t>);
template void PackedStates::append(std::span<const std::uint16_t>);

}  // namespace veridag
