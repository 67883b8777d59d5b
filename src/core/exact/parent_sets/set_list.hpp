// A long list of sets of one size, to be put into lexicographic order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "exact/parent_sets/ranks.hpp"

namespace veridag {

class SetList {
   public:
    explicit SetList(std::size_t size = 0) : size_(size) {}

    // An empty list of sets of this size, in the memory that is there.
    void restart(std::size_t size) {
        size_ = size;
        count_ = 0;
        members_.clear();
    }

    template <class Set>
    void push_back(const Set& set) {
        for (auto member : set) members_.push_back(static_cast<Member>(member));
        ++count_;
    }

    std::size_t size() const { return count_; }
    std::size_t members() const { return size_; }  // of each set
    std::span<const Member> operator[](std::size_t i) const { return {members_.data() + i * size_, size_}; }
    std::size_t bytes() const { return members_.capacity() * sizeof(Member); }

    // While it is put in order, a set takes at most this much memory more.
    std::size_t extra_bytes() const { return 8 + size_ * sizeof(Member); }

    void sort(int variables) {
        auto bits = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(variables)));
        bits* size_ <= 64 ? sort_packed(bits) : sort_indices();
    }

    void remove_duplicates() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count_; ++i) {
            if (kept > 0 && std::ranges::equal((*this)[kept - 1], (*this)[i])) continue;
            std::copy_n(members_.begin() + static_cast<std::ptrdiff_t>(i * size_), size_,
                        members_.begin() + static_cast<std::ptrdiff_t>(kept * size_));
            ++kept;
        }
        count_ = kept;
        members_.resize(kept * size_);
    }

    // How many members the sets i and k begin with in common.
    std::size_t common(std::size_t i, std::size_t k) const {
        auto a = (*this)[i], b = (*this)[k];
        return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
    }

   private:
    void sort_packed(std::size_t bits) {
        std::vector<std::uint64_t> packed(count_);
        for (std::size_t i = 0; i < count_; ++i) {
            for (Member member : (*this)[i]) packed[i] = packed[i] << bits | member;
        }
        std::sort(packed.begin(), packed.end());
        std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
        for (std::size_t i = 0; i < count_; ++i) {
            for (std::size_t k = size_; k-- > 0;) {
                members_[i * size_ + k] = static_cast<Member>(packed[i] & mask);
                packed[i] >>= bits;
            }
        }
    }

    void sort_indices() {
        std::vector<std::size_t> order(count_);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::ranges::lexicographical_compare((*this)[a], (*this)[b]);
        });
        std::vector<Member> sorted;
        sorted.reserve(members_.size());
        for (std::size_t i : order) sorted.insert(sorted.end(), (*this)[i].begin(), (*this)[i].end());
        members_.swap(sorted);
    }

    std::size_t size_, count_ = 0;
    std::vector<Member> members_;
};

}  // namespace veridag
