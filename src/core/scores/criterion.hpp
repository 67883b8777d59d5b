// What a search is given: a criterion (score plus prior) with its memory, what is known of the graph, and somebody to report to.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "graph/matrix.hpp"
#include "cache.hpp"
#include "scores/batch.hpp"

namespace veridag {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// The terms of a modular prior: log P(G) is the sum over v of size[v, |parents|] plus arc[u, v] for every parent u.
struct PriorTerms {
    const double* size = nullptr;  // variables x variables; null for a uniform prior
    const double* arc = nullptr;   // variables x variables, [u, v]; null if there are none
};

// Local scores, prior included, remembered by family. A family that is singular or that the prior rules out has minus infinity.
class Criterion {
   public:
    // What is asked for is remembered in `memory`, if there is one, for searches to come; they must have the same score and prior.
    Criterion(BatchScorer& scorer, PriorTerms prior, int threads, FamilyMemory* memory = nullptr);
    Criterion(const Criterion&) = delete;
    Criterion& operator=(const Criterion&) = delete;

    int variables() const { return scorer_.variables(); }

    // Parents in ascending order.
    double local(int child, std::span<const int> parents);

    // The local scores of `child` with each candidate added to the parents, or taken away from them if it is one of them.
    void toggled(int child, std::span<const int> parents, std::span<const int> candidates, double* out);

    // How many local scores were asked for, and for how many different families that the memory did not hold.
    std::int64_t calls() const { return calls_; }
    std::int64_t distinct_calls() const { return static_cast<std::int64_t>(known_.size() - known_before_); }

   private:
    Key key(int child, std::span<const int> parents) const { return keys_.subject(child) + keys_.conditions(parents); }
    double prior(int child, std::span<const int> parents) const;
    double remember(const Key& family, double score, double log_prior);

    BatchScorer& scorer_;
    PriorTerms prior_;
    int threads_;
    std::int64_t calls_ = 0;
    FamilyMemory own_;
    FamilyMemory& known_;
    std::size_t known_before_;
    VariableKeys keys_;
    std::vector<int> additions_, family_;
    std::vector<double> values_;
};

// Arcs that must or must not be there, as matrices [from, to], and the most parents that a variable may have.
struct Constraints {
    Matrix required, forbidden;
    int max_indegree;

    bool is_required(int from, int to, int n) const { return required[static_cast<std::size_t>(from) * static_cast<std::size_t>(n) + static_cast<std::size_t>(to)]; }
    bool is_forbidden(int from, int to, int n) const { return forbidden[static_cast<std::size_t>(from) * static_cast<std::size_t>(n) + static_cast<std::size_t>(to)]; }
};

// Called now and then with the number of steps and the best score so far; the answer says whether to stop.
using Report = std::function<bool(std::int64_t steps, double best)>;

// Asks for a report every so often, however short or long a step is.
class Reporter {
   public:
    explicit Reporter(Report report) : report_(std::move(report)), last_(Clock::now()) {}

    // True once the search is to stop.
    bool stop(std::int64_t steps, double best) {
        if (stopped_ || !report_) return stopped_;
        Clock::time_point now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(40)) return false;
        last_ = now;
        return stopped_ = report_(steps, best);
    }

    bool stopped() const { return stopped_; }

   private:
    using Clock = std::chrono::steady_clock;
    Report report_;
    Clock::time_point last_;
    bool stopped_ = false;
};

// Scores that differ by less than this share of their size tie.
constexpr double tie = 1e-9;

}  // namespace veridag
