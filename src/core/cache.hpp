// Caches of computed values, by the variables that they belong to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "index.hpp"

namespace veridag {

// Variables in their roles as 128 random-looking bits: the sum of those of each. Two families share them by accident
// with a probability below 10^-20 in any search that a machine could finish.
struct Key {
    std::uint64_t low = 0, high = 0;

    bool operator==(const Key&) const = default;
    Key operator+(const Key& other) const { return {low + other.low, high + other.high}; }
};

// The keys of each variable: as a child or one of two to be tested, and as a parent or one given.
class VariableKeys {
   public:
    explicit VariableKeys(int variables);

    Key subject(int v) const { return subject_[at(v)]; }
    Key condition(int v) const { return condition_[at(v)]; }
    Key conditions(std::span<const int> variables) const {
        Key sum = none_;
        for (int v : variables) sum = sum + condition(v);
        return sum;
    }

   private:
    Key none_;  // no variables at all
    std::vector<Key> subject_, condition_;
};

// A hash table in one piece of memory: a large search asks for millions of families, and one allocation for each of
// them would take longer than to score them, and longer still to give back.
template <class Value>
class Cache {
   public:
    explicit Cache(std::size_t slots = 1024) : slots_(slots) {}

    std::size_t size() const { return size_; }

    // Null if the key is not there; valid until the next one comes.
    const Value* find(const Key& key) const {
        const Slot& slot = slots_[place(key)];
        return slot.key == key ? &slot.value : nullptr;
    }

    // Keeps the value it has if the key is there already.
    Value insert(const Key& key, const Value& value) {
        if (4 * (size_ + 1) > 3 * slots_.size()) grow();
        Slot& slot = slots_[place(key)];
        if (slot.key == key) return slot.value;
        slot = {key, value};
        ++size_;
        return value;
    }

    // The value of the key, which is there from now on; valid until the next one comes.
    Value& operator[](const Key& key) {
        insert(key, Value{});
        return slots_[place(key)].value;
    }

    template <class Act>
    void for_each_value(Act act) const {
        for (const Slot& slot : slots_) {
            if (slot.key != Key{}) act(slot.value);
        }
    }

    void clear() {
        slots_.assign(slots_.size(), {});
        size_ = 0;
    }

   private:
    // Free if both halves of the key are zero, which those of VariableKeys are not but by an accident like the above.
    struct Slot {
        Key key;
        Value value{};
    };

    // The slot of the key, or the free one where it belongs.
    std::size_t place(const Key& key) const {
        std::size_t mask = slots_.size() - 1, i = static_cast<std::size_t>(key.low) & mask;
        while (slots_[i].key != Key{} && slots_[i].key != key) i = (i + 1) & mask;
        return i;
    }

    void grow() {
        std::vector<Slot> before(2 * slots_.size());
        before.swap(slots_);
        for (const Slot& slot : before) {
            if (slot.key != Key{}) slots_[place(slot.key)] = slot;
        }
    }

    std::vector<Slot> slots_;  // a power of two, at most three quarters of them taken
    std::size_t size_ = 0;
};

// The local scores of a child and its parents with each of many candidates, in one piece for all of them. The oldest
// make room for new ones, so that the memory has a bound whatever the number of variables.
class SweepCache {
   public:
    // Values in all; of so many, 128 MB.
    explicit SweepCache(std::size_t most = std::size_t{1} << 24) : most_(most) {}

    // A value for each variable, NaN if it is not known; null if none is.
    const double* find(const Key& family) const {
        auto found = sweeps_.find(family);
        return found == sweeps_.end() ? nullptr : found->second.data();
    }

    // The same to write to, all NaN if it is new; valid until the next one comes.
    double* insert(const Key& family, std::size_t variables);

   private:
    struct Hash {
        std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key.low); }
    };

    std::size_t most_, values_ = 0;
    std::unordered_map<Key, std::vector<double>, Hash> sweeps_;
    std::deque<Key> oldest_first_;
};

// What searches with the same score and prior know of it.
struct ScoreCache {
    Cache<double> families;
    SweepCache sweeps;
};

// Shared between threads. It is emptied once it is large: what it holds can be computed again.
template <class Value>
class SharedCache {
   public:
    explicit SharedCache(std::size_t most) : most_(most / shards_.size()) {}

    bool find(const Key& key, Value& value) {
        Shard& shard = shard_of(key);
        std::lock_guard<std::mutex> guard(shard.lock);
        const Value* found = shard.values.find(key);
        if (found) value = *found;
        return found != nullptr;
    }

    void keep(const Key& key, const Value& value) {
        Shard& shard = shard_of(key);
        std::lock_guard<std::mutex> guard(shard.lock);
        if (shard.values.size() >= most_) {
            shard.dropped += shard.values.size();
            shard.values.clear();
        }
        shard.values.insert(key, value);
    }

    std::size_t size() const {
        std::size_t sum = 0;
        for (const Shard& shard : shards_) sum += shard.values.size();
        return sum;
    }

    // How many keys were kept so far; one that comes back after the cache was emptied counts again.
    std::size_t kept() const {
        std::size_t sum = size();
        for (const Shard& shard : shards_) sum += shard.dropped;
        return sum;
    }

   private:
    struct Shard {
        std::mutex lock;
        Cache<Value> values{16};
        std::size_t dropped = 0;
    };

    Shard& shard_of(const Key& key) { return shards_[static_cast<std::size_t>(key.high >> 58)]; }

    std::array<Shard, 64> shards_;
    std::size_t most_;
};

}  // namespace veridag
