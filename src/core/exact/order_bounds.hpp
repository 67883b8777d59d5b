// How much the variables that are not placed yet can score at most, whatever is placed already.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/best_parents.hpp"
#include "exact/reduction.hpp"

namespace veridag {

// Two kinds of bounds, of which the lowest holds.
//
// Static pattern databases (Yuan and Malone 2013): the variables fall into groups, and the best way to place what is
// left of a group is found exactly, as if all other variables were placed before. Cycles within a group are ruled out,
// those between groups are not. They are good when little is left; several groupings are better than one.
//
// The dual of the linear program over clusters: the best scores of what is left, less what an ascent charged to the
// clusters all of whose members are left. It is never above the bound of the ascent, and good when much is left.
class OrderBounds {
   public:
    OrderBounds(const Candidates& candidates, const BestParents& parents, int groupings, int ascents, int threads);

    // For all sets that have the same members above the low places, one block after the other.
    class Block {
       public:
        explicit Block(const OrderBounds& bounds);

        void set(Word high);

        // The bound once `low` is placed as well. What is no more than `enough` need not be lowered any further.
        double left(std::uint32_t low, double enough);

       private:
        // What one ascent charged to the clusters that are left.
        struct Left {
            bool known = false;  // what follows is of this block
            int lookups = 0;
            double total = 0.0;                   // if none of the low places is placed
            std::vector<std::uint32_t> clusters;  // their members among the low places
            std::vector<double> charges;
            std::vector<double> all;  // for all sets, after some lookups
        };

        void gather(std::size_t ascent);
        double charged(Left& own, std::uint32_t low) const;

        const OrderBounds& bounds_;
        Word high_ = 0;
        double best_ = 0.0;                   // of the places above the low ones that are left
        std::vector<std::uint32_t> offsets_;  // of each group: its members left above the low places
        std::vector<Left> ascents_;
    };

   private:
    struct Group {
        std::vector<int> members;           // places
        std::vector<double> best;           // of each set of members that is left
        std::vector<std::uint32_t> of_low;  // the members left that are among the low places, for each set placed there
    };
    struct Charges {
        std::vector<Word> clusters;  // of places
        std::vector<double> charges;
    };

    void group_up(const BestParents& parents, int groupings);
    void prepare(Group& group, const BestParents& parents) const;
    Charges ascend(const Candidates& candidates, const BestParents& parents, std::uint64_t seed) const;

    Word all_, low_;
    std::vector<double> tops_;        // the best score of each place
    std::vector<double> low_tops_;    // their sum over the low places that are left, for each set placed there
    std::vector<Group> groups_;       // of all groupings, one after the other
    std::vector<std::size_t> sizes_;  // how many groups each grouping has
    std::vector<Charges> ascents_;
};

}  // namespace veridag
