// Counts of the joint states of many sets of variables, one set after the other in lexicographic order, so that
// neighbours share work.
//
// The rows are split into cells by the joint states of a set's first members. The last two members are then counted
// inside all cells at once, by AND and popcount over bit rows in which every cell starts a word of its own; a cell of
// one row needs no counting, whatever the other members are. Where that would take longer, or rows carry weights, rows
// are counted one by one, inside the cells of all members but the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "counts/counter.hpp"
#include "table/table.hpp"

namespace veridag {

class SetCounter {
   public:
    explicit SetCounter(const Table& table);

    // Counts the joint states of a set in ascending order. `company` says how many sets that begin with the same
    // members, all but the last two, are to be counted one after the other.
    void count(std::span<const int> set, std::size_t company);

    // Adds up f(count) over all joint states that occur, and perhaps some that do not.
    template <class Function>
    double sum(Function&& f) const {
        double total = alone_ > 0 ? static_cast<double>(alone_) * f(Count{1}) : 0.0;
        return total + (weighted_ ? add(std::span<const Count>(weighted_counts_), f)
                                  : add(std::span<const std::uint32_t>(counts_), f));
    }

    // How many joint states occur.
    std::size_t occurring() const;

   private:
    // The bit rows of a variable's states but the mode, in the order of the cells, and how often each state occurs in
    // each cell.
    struct Column {
        std::uint64_t stamp = 0;
        std::vector<Word> bits;
        std::vector<std::uint32_t> in_cell;
    };

    template <class C, class Function>
    static double add(std::span<const C> counts, Function& f) {
        double s0 = 0.0, s1 = 0.0;
        std::size_t i = 0;
        for (; i + 2 <= counts.size(); i += 2) {
            s0 += f(static_cast<Count>(counts[i]));
            s1 += f(static_cast<Count>(counts[i + 1]));
        }
        if (i < counts.size()) s0 += f(static_cast<Count>(counts[i]));
        return s0 + s1;
    }

    void split(std::span<const int> members);
    void split_by(std::size_t depth, int variable);
    void arrange_cells(std::size_t depth);
    const Column& column(int variable);
    void add_words(const std::uint32_t* of_words, std::uint32_t* of_cells) const;
    bool bits_are_cheaper(int w, int u) const;
    void count_pair(int w, int u);
    void count_rows(std::size_t depth, int u);

    const Table& table_;
    std::vector<int> members_;                         // by which the rows are split, one after the other
    std::vector<std::vector<std::uint32_t>> cell_of_;  // by depth and row
    std::vector<std::size_t> cells_;                   // by depth
    std::vector<std::uint32_t> number_;                // scratch: new numbers of cells

    // The arrangement of the rows in words: cells of several words first, then those of one word, and rows alone in
    // their cells nowhere.
    std::uint64_t stamp_ = 0;
    bool arranged_ = false;
    std::size_t arranged_depth_ = 0;
    std::size_t words_ = 0, large_cells_ = 0, large_words_ = 0, kept_cells_ = 0, arranged_alone_ = 0;
    std::vector<std::uint32_t> position_;   // of a row among the bits
    std::vector<std::uint32_t> last_word_;  // of each large cell, plus one
    std::vector<std::uint32_t> cell_total_;
    std::vector<Column> columns_;
    std::vector<std::uint32_t> of_words_, sizes_, start_;

    bool weighted_;
    std::vector<std::uint32_t> counts_;
    std::vector<Count> weighted_counts_;
    std::size_t alone_ = 0;  // cells of one row that are not among the counts
};

}  // namespace veridag
