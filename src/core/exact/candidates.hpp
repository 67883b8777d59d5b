// The candidate parent sets of every variable with their local scores, as exact searches use them: a set is a row of
// bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bit_set.hpp"
#include "index.hpp"

namespace veridag {

class Candidates {
   public:
    // The sets of variable v are rows offsets[v] ... offsets[v + 1], best first; the parents of row r are
    // parents[parent_offsets[r]] ... up to parent_offsets[r + 1]. Throws std::invalid_argument if that is not so.
    Candidates(int variables, std::span<const std::int64_t> offsets, std::span<const double> scores,
               std::span<const std::int64_t> parent_offsets, std::span<const std::int32_t> parents);

    int variables() const { return n_; }
    std::size_t rows() const { return scores_.size(); }
    std::size_t words() const { return words_; }
    std::size_t begin(int v) const { return offsets_[at(v)]; }
    std::size_t end(int v) const { return offsets_[at(v) + 1]; }
    int child(std::size_t row) const { return children_[row]; }
    double score(std::size_t row) const { return scores_[row]; }
    const Word* set(std::size_t row) const { return sets_.data() + row * words_; }

    bool within(std::size_t row, const Word* allowed) const {
        const Word* own = set(row);
        for (std::size_t w = 0; w < words_; ++w) {
            if (own[w] & ~allowed[w]) return false;
        }
        return true;
    }
    bool meets(std::size_t row, const Word* other) const {
        const Word* own = set(row);
        for (std::size_t w = 0; w < words_; ++w) {
            if (own[w] & other[w]) return true;
        }
        return false;
    }

    // Whether some row of v has the parent u.
    bool may_have(int v, int u) const { return has_bit(unions_.data() + at(v) * words_, u); }

    // The best row of v whose parents are all in `allowed`; end(v) if there is none.
    std::size_t best_within(int v, const Word* allowed) const {
        std::size_t last = end(v);
        if (words_ == 1) {
            for (std::size_t row = begin(v); row < last; ++row) {
                if (!(sets_[row] & ~*allowed)) return row;
            }
            return last;
        }
        for (std::size_t row = begin(v); row < last; ++row) {
            if (within(row, allowed)) return row;
        }
        return last;
    }

    // Whether the graph in which each variable has the parents of its row is acyclic.
    bool acyclic(std::span<const std::size_t> choice) const;

    // A topological order of that graph; variables that lie on a cycle or behind one are left out.
    std::vector<int> order_of(std::span<const std::size_t> choice) const;

   private:
    int n_;
    std::size_t words_;
    std::vector<std::size_t> offsets_;
    std::vector<int> children_;
    std::vector<double> scores_;
    Bits sets_;
    Bits unions_;  // of the sets of each variable
};

}  // namespace veridag
