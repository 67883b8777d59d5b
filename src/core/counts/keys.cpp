#include "counts/keys.hpp"

#include <bit>
#include <limits>

namespace veridag {
namespace {

constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void RowKeys::start(std::size_t rows) {
    keys_.assign(rows, 0);
    bound_ = 1;
}

void RowKeys::add(const Table& table, int variable) {
    auto arity = static_cast<std::uint64_t>(table.arity(variable));
    if (bound_ > std::numeric_limits<std::uint64_t>::max() / (2 * arity)) number();  // or a key would outgrow its word
    auto append = [&](const auto* states, std::size_t first, std::size_t count) {
        std::uint64_t* keys = keys_.data() + first;
        for (std::size_t i = 0; i < count; ++i) keys[i] = keys[i] * arity + states[i];
    };
    for_states(table.states(variable), 0, keys_.size(), append);
    bound_ *= arity;
}

std::size_t RowKeys::number() {
    std::size_t distinct = bound_ <= max_direct ? number_direct() : number_hashed();
    bound_ = distinct ? distinct : 1;
    return distinct;
}

std::size_t RowKeys::number_direct() {
    if (direct_.size() < bound_) direct_.resize(bound_, nobody);
    seen_.clear();
    for (std::uint64_t& key : keys_) {
        std::uint32_t& id = direct_[key];
        if (id == nobody) {
            id = static_cast<std::uint32_t>(seen_.size());
            seen_.push_back(key);
        }
        key = id;
    }
    for (std::uint64_t key : seen_) direct_[key] = nobody;
    return seen_.size();
}

std::size_t RowKeys::number_hashed() {
    std::size_t slots = std::bit_ceil(2 * keys_.size() + 2);
    hashed_keys_.resize(slots);
    hashed_ids_.assign(slots, nobody);
    std::uint32_t distinct = 0;
    for (std::uint64_t& key : keys_) {
        std::uint64_t hash = key * 0x9e3779b97f4a7c15ULL;
        std::size_t slot = (hash ^ (hash >> 32)) & (slots - 1);
        while (hashed_ids_[slot] != nobody && hashed_keys_[slot] != key) slot = (slot + 1) & (slots - 1);
        if (hashed_ids_[slot] == nobody) {
            hashed_ids_[slot] = distinct++;
            hashed_keys_[slot] = key;
        }
        key = hashed_ids_[slot];
    }
    return distinct;
}

}  // namespace veridag
