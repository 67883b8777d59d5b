// Scores of discrete families, the C++ versions of the formulas in src/veridag/criteria/scores: each is a function of
// the counts n_ijk and n_ij.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "counts/counter.hpp"
#include "counts/sweep.hpp"
#include "scores/functions.hpp"

namespace veridag {

class DiscreteScore {
   public:
    virtual ~DiscreteScore() = default;
    virtual double local(const FamilyCounts& counts, Functions& f) const = 0;

    // The same formula of expected counts; throws std::invalid_argument if it needs integers.
    virtual double expected(const ExpectedCounts& counts, Functions& f) const;

    // The scores of all families of a tile; each goes to its place in `out`. By default one after the other.
    virtual void sweep(Tile& tile, Functions& f, double* out) const;
};

// The score of that name with its numbers; throws std::invalid_argument if there is none. `variables` is the network's
// size.
std::unique_ptr<DiscreteScore> make_discrete_score(const std::string& name, std::span<const double> parameters,
                                                   int variables);

}  // namespace veridag
