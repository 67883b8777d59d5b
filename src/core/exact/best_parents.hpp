// The best candidate of a variable within a set of variables: for one set, and for all sets that share most members.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "exact/candidates.hpp"
#include "scores/ties.hpp"

namespace veridag {

// Variables have places in an order that suits the search; the first `low` places are those in which the sets of a
// block differ. Rows are ranked, the best first; a rank past the last means that there is no candidate, and has the
// score of what is ruled out.
class BestParents {
   public:
    // The order has each variable once; a table has no more than 64.
    BestParents(const Candidates& candidates, std::vector<int> order, int low);

    using Rank = std::int16_t;
    static constexpr std::size_t most_ranks = std::numeric_limits<Rank>::max();

    int variables() const { return static_cast<int>(order_.size()); }
    int low() const { return low_; }
    const std::vector<int>& order() const { return order_; }
    double score(int place, std::size_t rank) const { return own_[at(place)].scores[rank]; }
    double best_score(int place, Word set) const { return score(place, best(place, set)); }

    // The first rank whose parents are all in the set.
    std::size_t best(int place, Word set) const {
        const std::vector<Word>& sets = own_[at(place)].sets;
        std::size_t rank = 0;
        while (sets[rank] & ~set) ++rank;  // the last one is empty
        return rank;
    }

    // Whether `fill` can be used: ranks fit into its numbers.
    bool can_fill(int place) const { return own_[at(place)].scores.size() <= most_ranks; }

    // ranks[s] = the first rank within `high` and s, for all 2^low sets s of the first places.
    void fill(int place, Word high, Rank* ranks) const;

   private:
    struct Entry {
        std::uint32_t low;  // the parents among the first places
        Rank rank;
    };
    struct Group {  // of rows that have the same parents elsewhere
        Word high;
        std::size_t first, last;
    };
    struct Own {
        std::vector<Word> sets;  // in places; an empty one at the end
        std::vector<double> scores;
        std::vector<Group> groups;
        std::vector<Entry> entries;
    };

    void group(Own& own) const;

    std::vector<int> order_;
    int low_;
    std::vector<Own> own_;
};

}  // namespace veridag
