// Rows told apart by the joint states of some variables: each gets a number, in order of first appearance. However many
// joint states are possible, this takes a few words a row.
#pragma once

#include <cstdint>
#include <vector>

#include "table/table.hpp"

namespace veridag {

class RowKeys {
   public:
    // Below this many possible keys they are numbered through a table of them all, above by hashing.
    static constexpr std::uint64_t max_direct = std::uint64_t{1} << 21;

    // All rows alike.
    void start(std::size_t rows);
    // Tells rows apart by one more variable.
    void add(const Table& table, int variable);
    // Makes the keys 0, 1, 2, ... in order of first appearance; returns how many there are.
    std::size_t number();

    const std::vector<std::uint64_t>& keys() const { return keys_; }

   private:
    std::size_t number_direct();
    std::size_t number_hashed();

    std::vector<std::uint64_t> keys_;
    std::uint64_t bound_ = 1;            // keys are below it
    std::vector<std::uint32_t> direct_;  // number of a key, by address; unset between calls
    std::vector<std::uint64_t> seen_, hashed_keys_;
    std::vector<std::uint32_t> hashed_ids_;
};

}  // namespace veridag
