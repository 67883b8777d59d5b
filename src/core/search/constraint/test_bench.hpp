// The tests of a constraint-based search: made over threads, counted, cached, and stopped on request.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cache.hpp"
#include "independence/decision.hpp"
#include "progress.hpp"

namespace veridag {

// The most variables given to a test that counts although it is not reliable. Beyond, it neither separates a pair nor
// shows a dependence, and larger sets need not be tried: where a variable has many neighbours these would be too many.
constexpr std::size_t most_unreliable = 2;

// Thrown through a search by whoever is to test after it was stopped.
struct Stopped : std::exception {};

class TestBench {
   public:
    // What one thread uses.
    class Worker {
       public:
        Worker(TestBench& tests, std::unique_ptr<PairTest> test, bool calls_back)
            : tests_(tests), test_(std::move(test)), calls_back_(calls_back) {}

        // The variables given come in any order.
        Decision of(int x, int y, std::span<const int> given);

        // Counts a test that another program would make again, though its result is known.
        void count_repeat() { ++repeats_; }

        // Adds what was counted since to the counts of all.
        void hand_in_counts() {
            tests_.calls_.fetch_add(std::exchange(calls_, 0), std::memory_order_relaxed);
            tests_.repeats_.fetch_add(std::exchange(repeats_, 0), std::memory_order_relaxed);
        }

       private:
        Decision make(int x, int y);

        TestBench& tests_;
        std::unique_ptr<PairTest> test_;
        bool calls_back_;  // on the thread that may ask whether to stop
        std::int64_t calls_ = 0, repeats_ = 0;
        std::vector<int> given_;
    };

    // With `cached`, a test that was made before is not made again; without, the search never asks twice.
    TestBench(int variables, TestFactory make, int threads, bool cached, Progress& progress);

    // Calls work(task, worker) for every task in [0, tasks), over the threads. False once the search is stopped.
    bool run(std::size_t tasks, const std::function<void(std::size_t task, Worker& worker)>& work);

    int variables() const { return variables_; }
    bool stopped() const { return progress_.stopped(); }
    std::int64_t calls() const { return calls_.load(); }
    std::int64_t repeats() const { return repeats_.load(); }
    std::int64_t distinct_calls() const { return cached_ ? static_cast<std::int64_t>(cache_.kept()) : calls(); }

   private:
    // Decisions in all: 1 GB. Around each of 1 000 variables, HPC makes thousands of tests.
    static constexpr std::size_t most_cached = 24 << 20;

    void poll() { progress_.stop(calls_.load(std::memory_order_relaxed), std::numeric_limits<double>::quiet_NaN()); }

    int variables_;
    TestFactory make_;
    int threads_;
    bool cached_;
    Progress& progress_;
    VariableKeys keys_;
    SharedCache<Decision> cache_{most_cached};
    std::atomic<std::int64_t> calls_{0}, repeats_{0};
    std::vector<std::unique_ptr<Worker>> workers_;
};

// Whether there is more evidence for one dependence than for another. What differs by rounding alone ties: sums over
// rows and states change in their last digits when these come in another order.
bool is_more(double evidence, double other);

// The positions of these values, the one with the most evidence first; those that tie in the order of their positions.
std::vector<std::size_t> most_evidence_first(std::span<const double> evidence);

// The same for the elements themselves; `evidence(element)` is compared.
template <class Element, class Evidence>
void sort_by_evidence(std::span<Element> elements, Evidence evidence) {
    std::vector<double> values;
    for (const Element& element : elements) values.push_back(evidence(element));
    std::vector<Element> sorted;
    for (std::size_t i : most_evidence_first(values)) sorted.push_back(elements[i]);
    std::copy(sorted.begin(), sorted.end(), elements.begin());
}

// Calls visit(set) for the subsets of `from` of a size, in lexicographic order of positions, until one is answered with
// true; whether one was.
template <class Visit>
bool any_subset(std::span<const int> from, std::size_t size, Visit&& visit) {
    if (size > from.size()) return false;
    std::vector<std::size_t> chosen(size);
    std::vector<int> set(size);
    for (std::size_t i = 0; i < size; ++i) chosen[i] = i;
    while (true) {
        for (std::size_t i = 0; i < size; ++i) set[i] = from[chosen[i]];
        if (visit(std::span<const int>(set))) return true;
        std::size_t i = size;
        while (i > 0 && chosen[i - 1] == from.size() - size + i - 1) --i;
        if (i == 0) return false;
        ++chosen[i - 1];
        for (std::size_t k = i; k < size; ++k) chosen[k] = chosen[k - 1] + 1;
    }
}

// The first subset, small ones first and of at most `largest` variables, that makes x and y independent; whether there
// is one.
bool find_separator(TestBench::Worker& tests, int x, int y, std::span<const int> from, std::size_t largest,
                    std::vector<int>& separator);

}  // namespace veridag
