// Many rows with different evidence, in threads. Rows that observe the same variables share the restricted tree, and
// equal rows share everything. No result depends on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/junction_tree.hpp"
#include "inference/propagation.hpp"
#include "inference/restriction.hpp"
#include "progress.hpp"

namespace veridag::inference {

struct Evidence {
    const std::int32_t* states;  // rows x variables; -1 where a variable is not observed
    std::size_t rows;
};

class Batch {
   public:
    // Throws TreeTooLarge before a table is made.
    Batch(const JunctionTree& tree, Tables tables, Evidence evidence, Limits limits, int threads);

    // Each of the following writes log P(evidence) of every row, minus infinity if it is impossible, and calls
    // progress.stop with the number of rows done. Stopped, it returns early, and what it has written is of no use.

    void log_probabilities(Progress& progress, double* log_p);

    // The expected counts of all families, sum over rows of weight * P(child, parents | evidence), which EM needs;
    // `counts` has the families one after the other. Impossible rows count nothing. Without weights each is 1.
    void expected_counts(Progress& progress, const double* weights, double* counts, double* log_p);

    // P(scope | evidence) of each row, one scope after the other, with an axis for each variable in the order given;
    // zeros if the evidence is impossible. The variables of a scope that are not observed must lie in one clique.
    void posteriors(Progress& progress, const std::vector<std::vector<int>>& scopes, double* out, double* log_p);

    // The rows with their most probable completion (Dawid 1992), and log P of evidence and completion together; of
    // equally probable ones the same is taken each time. An impossible row keeps -1.
    void most_probable(Progress& progress, std::int32_t* out, double* log_p);

    // The rows with what they lack drawn given what they have. The random numbers of a row depend on the seed and its
    // number alone. An impossible row keeps -1.
    void sample(Progress& progress, std::uint64_t seed, std::int32_t* out, double* log_p);

   private:
    struct Worker;  // what a thread holds

    std::vector<char> is_free(std::size_t row) const;
    const std::int32_t* row(std::size_t i) const {
        return evidence_.states + i * static_cast<std::size_t>(tree_->variables());
    }
    bool same_variables(std::size_t a, std::size_t b) const;
    bool same_states(std::size_t a, std::size_t b) const;
    void sort_rows();
    std::size_t check_sizes(Limits limits) const;
    std::span<const std::size_t> rows_of(std::size_t group) const {
        return std::span(order_).subspan(starts_[group], starts_[group + 1] - starts_[group]);
    }
    std::size_t groups() const { return starts_.size() - 1; }

    template <class Visit>
    void run(Progress& progress, std::size_t chunks, Reduction reduction, double* log_p, const Visit& visit);
    template <class Choose>
    void complete(Progress& progress, Reduction reduction, std::int32_t* out, double* log_p, const Choose& choose);

    const JunctionTree* tree_;
    Tables tables_;
    Evidence evidence_;
    int threads_;
    std::vector<std::size_t> order_;   // rows, those with the same evidence together
    std::vector<std::size_t> starts_;  // of the groups in it, and its end
};

}  // namespace veridag::inference
