// Sets of variables as numbers: the rank of a set among all sets of its size, and values stored by it.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace veridag {

using Member = std::uint16_t;  // a variable, as long lists of sets keep it
using Rank = std::uint64_t;

// The rank of a set {s_0 < s_1 < ... < s_(k-1)} of n variables is the sum of the binomials C(n - 1 - s_i, k - i): the
// number of sets after it in lexicographic order, so that neighbours in that order are neighbours in memory. Sums wrap
// around beyond 64 bits, where ranks are still as good as random numbers; no problem of a size that can be listed gets
// there by less than an accident of one in a million.
class Ranks {
   public:
    explicit Ranks(int variables) : variables_(static_cast<std::size_t>(variables)) { have_size(0); }

    // To be called, by one thread, before sets of this size are ranked.
    void have_size(std::size_t size) {
        while (binomials_.size() <= size + 1) {
            std::vector<Rank> next(variables_ + 1, binomials_.empty() ? 1 : 0);
            if (!binomials_.empty()) {
                for (std::size_t m = 1; m <= variables_; ++m) next[m] = next[m - 1] + binomials_.back()[m - 1];
            }
            binomials_.push_back(std::move(next));
        }
    }

    // What a member adds to a rank: C(n - 1 - member, place), its place counted from the last, which has 1.
    template <class Variable>
    Rank term(Variable member, std::size_t place) const {
        return binomials_[place][variables_ - 1 - static_cast<std::size_t>(member)];
    }

    template <class Set>
    Rank of(const Set& set) const {
        Rank sum = 0;
        for (std::size_t i = 0; i < set.size(); ++i) sum += term(set[i], set.size() - i);
        return sum;
    }

    // How many sets of a size there are, which may be more than a word can number.
    double possible(std::size_t size) const {
        double count = 1.0;
        for (std::size_t i = 0; i < size; ++i)
            count *= static_cast<double>(variables_ - i) / static_cast<double>(i + 1);
        return size > variables_ ? 0.0 : std::round(count);
    }

   private:
    std::size_t variables_;
    std::vector<std::vector<Rank>> binomials_;
};

// The ranks of a set without one of its members, and without two.
class SubsetRanks {
   public:
    void take(std::span<const int> set, const Ranks& ranks) {
        std::size_t t = set.size();
        below_one_.resize(t + 1);
        below_two_.resize(t + 1);
        above_.resize(t + 1);
        below_one_[0] = below_two_[0] = above_[t] = 0;
        for (std::size_t i = 0; i + 1 < t; ++i) below_one_[i + 1] = below_one_[i] + ranks.term(set[i], t - 1 - i);
        for (std::size_t i = 0; i + 2 < t; ++i) below_two_[i + 1] = below_two_[i] + ranks.term(set[i], t - 2 - i);
        for (std::size_t i = t; i-- > 0;) above_[i] = above_[i + 1] + ranks.term(set[i], t - i);
    }

    Rank whole() const { return above_[0]; }
    Rank without(std::size_t i) const { return below_one_[i] + above_[i + 1]; }
    Rank without(std::size_t i, std::size_t j) const {  // i < j
        return below_two_[i] + (below_one_[j] - below_one_[i + 1]) + above_[j + 1];
    }

   private:
    std::vector<Rank> below_one_, below_two_,
        above_;  // of the members before, moved by one place or two, and of those from here on
};

// Numbers stored for sets of one size, `width` of them each: in an array of all ranks where most will be there, by
// hashing elsewhere. The first of a set's numbers is never NaN.
class RankMap {
   public:
    RankMap() = default;
    RankMap(double possible, double expected, std::size_t width) : width_(width), dense_(is_dense(possible, expected)) {
        if (dense_) {
            values_.assign(static_cast<std::size_t>(possible) * width_, std::numeric_limits<double>::quiet_NaN());
        } else {
            resize(1024);
        }
    }

    static bool is_dense(double possible, double expected) { return possible <= 2.0 * expected + 1024.0; }

    // What is taken at once; hashing grows as it goes.
    static double bytes_at_first(double possible, double expected, std::size_t width) {
        return is_dense(possible, expected) ? 8.0 * possible * static_cast<double>(width) : 0.0;
    }

    std::size_t bytes() const { return 8 * (values_.capacity() + keys_.capacity()); }

    const double* find(Rank rank) const {
        if (values_.empty()) return nullptr;
        if (dense_) {
            const double* found = values_.data() + rank * width_;
            return std::isnan(*found) ? nullptr : found;
        }
        std::size_t slot = place(rank);
        return keys_[slot] == 0 ? nullptr : values_.data() + slot * width_;
    }

    double* insert(Rank rank) {
        if (dense_) return values_.data() + rank * width_;
        if (2 * (count_ + 1) > keys_.size()) resize(2 * keys_.size());
        std::size_t slot = place(rank);
        if (keys_[slot] == 0) {
            keys_[slot] = rank + 1;
            ++count_;
        }
        return values_.data() + slot * width_;
    }

   private:
    std::size_t place(Rank rank) const {
        std::size_t last = keys_.size() - 1;
        std::uint64_t hash = rank * 0x9e3779b97f4a7c15ULL;
        std::size_t slot = (hash ^ (hash >> 32)) & last;
        while (keys_[slot] != 0 && keys_[slot] != rank + 1) slot = (slot + 1) & last;
        return slot;
    }

    void resize(std::size_t slots) {
        std::vector<Rank> keys(slots, 0);
        std::vector<double> values(slots * width_);
        keys.swap(keys_);
        values.swap(values_);
        for (std::size_t old = 0; old < keys.size(); ++old) {
            if (keys[old] == 0) continue;
            std::size_t slot = place(keys[old] - 1);
            keys_[slot] = keys[old];
            for (std::size_t i = 0; i < width_; ++i) values_[slot * width_ + i] = values[old * width_ + i];
        }
    }

    std::size_t width_ = 1, count_ = 0;
    bool dense_ = false;
    std::vector<Rank> keys_;  // rank + 1; 0 is a free slot
    std::vector<double> values_;
};

// Which sets of one size were met already: a bit for each where that is less than hashing would take.
class RankSet {
   public:
    RankSet(double possible, double expected) : bitmap_(is_bitmap(possible, expected)) {
        if (bitmap_) bits_.assign(static_cast<std::size_t>(possible) / 64 + 1, 0);
    }

    static bool is_bitmap(double possible, double expected) { return possible <= 128.0 * expected + 65536.0; }
    static double bytes_at_first(double possible, double expected) {
        return is_bitmap(possible, expected) ? possible / 8.0 : 0.0;
    }
    std::size_t bytes() const { return 8 * bits_.capacity() + hashed_.bytes(); }

    // False if it was there already.
    bool insert(Rank rank) {
        if (bitmap_) {
            std::uint64_t& word = bits_[rank / 64];
            std::uint64_t bit = std::uint64_t{1} << (rank % 64);
            bool is_new = !(word & bit);
            word |= bit;
            return is_new;
        }
        if (hashed_.find(rank)) return false;
        *hashed_.insert(rank) = 1.0;
        return true;
    }

   private:
    bool bitmap_;
    std::vector<std::uint64_t> bits_;
    RankMap hashed_{std::numeric_limits<double>::infinity(), 0.0, 1};
};

}  // namespace veridag
