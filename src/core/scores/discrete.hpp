// Scores of discrete families, the C++ versions of the formulas in src/veridag/criteria/scores: each is a function of
// the counts n_ijk and n_ij.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "counts/counter.hpp"
#include "scores/functions.hpp"

namespace veridag {

class DiscreteScore {
   public:
    virtual ~DiscreteScore() = default;
    virtual double local(const FamilyCounts& counts, Functions& f) const = 0;
};

// The score of that name with its numbers; throws std::invalid_argument if there is none. `variables` is the network's
// size.
std::unique_ptr<DiscreteScore> make_discrete_score(const std::string& name, std::span<const double> parameters,
                                                   int variables);

}  // namespace veridag
