// Tests of independence as a search uses them: a decision, and the evidence for dependence by which decisions are compared.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "counts/table.hpp"
#include "scores/batch.hpp"

namespace veridag {

// `evidence` is minus the logarithm of the p-value, or what a score gains; more of it is a stronger dependence.
struct Decision {
    double evidence = 0.0;
    bool independent = true;
};

// A test bound to data, as one thread uses it. `x` is below `y`, and `given` is in ascending order without either.
class PairTest {
   public:
    virtual ~PairTest() = default;
    virtual Decision of(int x, int y, std::span<const int> given) = 0;
};

using TestFactory = std::function<std::unique_ptr<PairTest>()>;

// A set of variables as 128 random-looking bits, the sum of those of its members in their roles. Two sets share them by accident with
// a probability below 10^-20 in any search that a machine could finish.
struct Key {
    std::uint64_t low = 0, high = 0;

    bool operator==(const Key&) const = default;
    Key operator+(const Key& other) const { return {low + other.low, high + other.high}; }
};

struct KeyHash {
    std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key.low); }
};

// The keys of each variable: as one of two to be tested or a child, and as one given or a parent.
class VariableKeys {
   public:
    explicit VariableKeys(int variables);

    Key subject(int v) const { return subject_[static_cast<std::size_t>(v)]; }
    Key condition(int v) const { return condition_[static_cast<std::size_t>(v)]; }
    Key conditions(std::span<const int> variables) const {
        Key sum;
        for (int v : variables) sum = sum + condition(v);
        return sum;
    }

   private:
    std::vector<Key> subject_, condition_;
};

// Values by key, shared between threads. It forgets everything once it is large: what it holds can be computed again.
template <class Value>
class SharedMemory {
   public:
    explicit SharedMemory(std::size_t most) : most_(most / shards_.size()) {}

    bool find(const Key& key, Value& value) {
        Shard& shard = shard_of(key);
        std::lock_guard<std::mutex> guard(shard.lock);
        auto found = shard.values.find(key);
        if (found == shard.values.end()) return false;
        value = found->second;
        return true;
    }

    void keep(const Key& key, const Value& value) {
        Shard& shard = shard_of(key);
        std::lock_guard<std::mutex> guard(shard.lock);
        if (shard.values.size() >= most_) shard.values.clear();
        shard.values.emplace(key, value);
    }

    std::size_t size() const {
        std::size_t sum = 0;
        for (const Shard& shard : shards_) sum += shard.values.size();
        return sum;
    }

   private:
    struct Shard {
        std::mutex lock;
        std::unordered_map<Key, Value, KeyHash> values;
    };

    Shard& shard_of(const Key& key) { return shards_[static_cast<std::size_t>(key.high >> 58)]; }

    std::array<Shard, 64> shards_;
    std::size_t most_;
};

// G2 with (R - 1)(C - 1) L degrees of freedom, from the sums of n log n over the joint states of four sets of variables. The sums are
// remembered, since tests of a search share most of them.
TestFactory g2_test(const Table& table, double alpha);

// G2 or X2 counted test by test, with plain or adjusted degrees of freedom; see veridag.independence.
TestFactory contingency_test(const Table& table, bool pearson, bool adjusted, double alpha);

enum class CorrelationTest { g2, student_t, fisher_z };

// Tests of a partial correlation, from the scatter matrix (variables x variables).
TestFactory correlation_test(const double* scatter, int variables, double n, CorrelationTest kind, double alpha);

// What a score gains by one more parent. The prior's terms are as in PriorTerms of search/problem.hpp, null for none. With `remember`, a family
// is scored once; a score that is quick to compute is better computed again.
TestFactory score_test(BatchScorer::Factory make, int variables, double n, const double* prior_size, const double* prior_arc, bool remember);

}  // namespace veridag
