// The marginals of all variables for one row of evidence after the other, with what the next row can use kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "inference/batch.hpp"
#include "inference/junction_tree.hpp"
#include "inference/propagation.hpp"
#include "inference/restriction.hpp"

namespace veridag::inference {

// Not for two threads at a time. The numbers do not depend on the rows before.
class Engine {
   public:
    Engine(const JunctionTree& tree, Tables tables);

    std::size_t entries() const { return entries_; }  // of all marginals

    // Writes P(variable | evidence) of each variable, one after the other, and returns log P(evidence); if that is
    // impossible, minus infinity, and zeros are written. Throws TreeTooLarge before a table is made. `row` has -1 where
    // a variable is not observed.
    double marginals(const std::int32_t* row, Limits limits, double* out);

   private:
    // The free variables with the rows' evidence, and where their marginals are found with the least effort.
    struct Plan {
        Restriction restriction;
        std::vector<std::vector<int>> from_parts, from_messages;  // variables, by the number of the part
        std::vector<char> needed;
    };

    std::unique_ptr<Plan> make_plan(std::vector<char> is_free) const;
    void prepare(const std::int32_t* row, Limits limits);
    void write_known(const std::int32_t* row, double* out) const;

    const JunctionTree* tree_;
    Tables tables_;
    std::vector<std::size_t> first_;  // of each variable's marginal
    std::size_t entries_ = 0;
    std::unique_ptr<Plan> plan_;
    std::unique_ptr<Propagation> propagation_;
};

}  // namespace veridag::inference
