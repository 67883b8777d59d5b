// Likelihood weighting (Fung and Chang 1990, Shachter and Peot 1990): rows are drawn with the observed variables held
// at their values, and each has the probability of these given their parents as its weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sampling/sample.hpp"

namespace veridag {

// A variable as it is drawn or, if it is observed, as it weighs.
struct WeightedNode {
    Configurations given;
    std::size_t arity = 0;                // 0 if it is continuous
    std::vector<int> parents;             // the continuous ones
    const double* parameters = nullptr;   // as those of DiscreteNode and GaussianNode
    std::uint64_t stream = 0;             // which random numbers it has
    std::optional<double> observed = {};  // the number of a state, or a value
};

// Sums over rows of a continuous variable x with weights w, around its weighted mean.
struct WeightedMoments {
    double mean = 0.0;
    double spread = 0.0;          // of w (x - mean)^2
    double squares_first = 0.0;   // of w^2 (x - mean)
    double squares_second = 0.0;  // of w^2 (x - mean)^2
};

// Sums over rows. All weights are divided by exp(log_scale), the largest of them.
struct WeightedSums {
    double log_scale = -std::numeric_limits<double>::infinity();
    double total = 0.0;    // of w
    double squares = 0.0;  // of w^2
    std::size_t rows = 0;
    std::vector<double> cells, cell_squares;  // w and w^2 by the cells of each scope, one scope after the other
    std::vector<WeightedMoments> moments;

    void add(WeightedSums other);

   private:
    void scale_to(double log_scale);
};

class LikelihoodWeighting {
   public:
    // `order` has parents before children. Scopes are sets of discrete variables, of which the last one's states vary
    // fastest, and `values` are continuous variables. An observed continuous variable needs standard deviations above
    // zero. Throws std::invalid_argument on a row of a table without probability.
    LikelihoodWeighting(std::vector<WeightedNode> nodes, std::vector<int> order, std::vector<std::vector<int>> scopes,
                        std::vector<int> values, std::uint64_t seed);

    // Draws so many more rows; all but the last call need a multiple of block_rows. The sums depend on the number of
    // rows and the seed alone.
    void add(std::size_t rows, int threads);

    const WeightedSums& sums() const { return sums_; }

   private:
    struct Block;

    void draw(Block& block, std::uint64_t number) const;
    void number_rows(Block& block, const WeightedNode& node) const;
    void means(Block& block, const WeightedNode& node, double* out) const;
    void weigh(Block& block, int v) const;
    WeightedSums summed(Block& block) const;

    std::vector<WeightedNode> nodes_;
    std::vector<int> order_;
    std::vector<std::vector<int>> scopes_;
    std::vector<int> values_;
    std::uint64_t seed_;
    std::size_t cells_ = 0;
    std::vector<std::vector<double>> ends_;  // of the shares of states; of an observed one log P for each configuration
    WeightedSums sums_;
};

}  // namespace veridag
