// The exact posterior over DAGs, or over DAGs and orders: probabilities of arcs, ancestors and parent sets.
#pragma once

#include <cstdint>
#include <vector>

#include "posterior/exact/dags.hpp"
#include "posterior/exact/families.hpp"
#include "posterior/exact/orders.hpp"
#include "progress.hpp"

namespace veridag {

// Each DAG counts once, or as often as it has orders (Koivisto and Sood 2004).
enum class Counted : std::uint8_t { dags, orders };

class ExactPosterior {
   public:
    // The work is done here; stopped by the progress, it is not finished and has nothing to say.
    ExactPosterior(WeightedFamilies families, Counted counted, int threads, Progress& progress);

    bool finished() const { return finished_; }
    int variables() const { return families_.variables(); }

    // The logarithm of the sum of all weights; minus infinity if no DAG has any.
    double log_sum() const { return sum_.log() + families_.log_scale(Weights::posterior); }
    double residual() const { return residual_; }

    // [u, v] = P(u -> v), row after row.
    std::vector<double> arcs(int threads) const;

    // [u, v] = P(there is a path from u to v); only where each DAG counts once.
    std::vector<double> ancestors() const;

    // P(all variables have parents that their rules allow). One rule is quick, several take as long as
    // the sum over all DAGs.
    double probability(const ParentRules& rules, int threads, Progress& progress) const;

    // The logarithm of the sum of the prior's weights alone.
    double log_prior_sum(int threads, Progress& progress) const;

   private:
    // P(C), for all C by place_without: C are the others that are no descendants of v, or the others before v.
    const std::vector<double>& outside(int v, const WideNumbers<double>& sums, std::vector<double>& memory) const;
    double probability_of_one(int v, ParentRule rule) const;
    WideNumber sum_of(Weights which, const ParentRules& rules, int threads, Progress& progress) const;

    WeightedFamilies families_;
    Counted counted_;
    DagSums dags_;
    OrderSums orders_;
    WideNumber sum_;
    double residual_ = 0.0;
    bool finished_ = false;
};

// The bytes that it takes at most, without the table.
double posterior_bytes(int variables, Counted counted);

}  // namespace veridag
