// The states of a variable, row after row: an array, or packed into as few bits as they need.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

namespace veridag {

// States of 1, 2 or 4 bits, in blocks of rows. A block is cut into as many pieces as a byte holds states, and byte i
// holds the states of row i of each piece: so all bytes are unpacked by the same shift.
struct PackedArray {
    static constexpr std::size_t block = 2048;

    const std::uint8_t* bytes;
    int bits;

    std::size_t bytes_a_block() const { return block / 8 * static_cast<std::size_t>(bits); }
    std::uint8_t mask() const { return static_cast<std::uint8_t>((1 << bits) - 1); }

    // The states of the block that starts at this row.
    void unpack(std::size_t start, std::uint8_t* out) const {
        std::size_t piece = bytes_a_block();
        const std::uint8_t* own = bytes + start / block * piece;
        for (int shift = 0; shift < 8; shift += bits, out += piece) {
            for (std::size_t i = 0; i < piece; ++i) out[i] = static_cast<std::uint8_t>(own[i] >> shift) & mask();
        }
    }

    std::uint8_t operator[](std::size_t row) const {
        std::size_t piece = bytes_a_block(), within = row % block;
        return static_cast<std::uint8_t>(bytes[row / block * piece + within % piece] >>
                                         (within / piece * static_cast<std::size_t>(bits))) &
               mask();
    }
};

// One byte a state up to 256 of them, two above, or less. The memory belongs to the caller.
using StateArray = std::variant<const std::uint8_t*, const std::uint16_t*, PackedArray>;

inline int state_at(const StateArray& states, std::size_t row) {
    return std::visit([row](const auto& own) { return static_cast<int>(own[row]); }, states);
}

// Calls act(states, first, count) for the rows from `start` on, `count` in all: once for an array, block by block where
// they are packed. `states` has that of row `first` first. If they are packed, a block must begin at `start`.
template <class Act>
void for_states(const StateArray& states, std::size_t start, std::size_t count, Act act) {
    auto visit = [&](const auto& own) {
        if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(own)>>) {
            if (count > 0) act(own + start, start, count);
        } else {
            std::uint8_t block[PackedArray::block];
            for (std::size_t first = start; first < start + count; first += PackedArray::block) {
                own.unpack(first, block);
                act(static_cast<const std::uint8_t*>(block), first,
                    std::min(PackedArray::block, start + count - first));
            }
        }
    };
    std::visit(visit, states);
}

// States that grow by rows at the end, with 1, 2, 4, 8 or 16 bits each.
class PackedStates {
   public:
    explicit PackedStates(int bits) : bits_(bits) {
        if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16)
            throw std::invalid_argument("states are packed into 1, 2, 4, 8 or 16 bits");
    }

    int bits() const { return bits_; }
    std::size_t rows() const { return rows_; }

    // Of uint8 or uint16.
    template <class State>
    void append(std::span<const State> states);

    // Valid until more rows are appended.
    StateArray array() const {
        if (bits_ < 8) return PackedArray{bytes_.data(), bits_};
        if (bits_ == 8) return bytes_.data();
        return shorts_.data();
    }

   private:
    int bits_;
    std::size_t rows_ = 0;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint16_t> shorts_;
};

}  // namespace veridag
