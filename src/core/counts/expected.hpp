// Expected counts of families, where the missing values of discrete data are known by their probabilities: the rows in
// which a family is observed are counted as ever, and those in which it is not add the probabilities of its states.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "cache.hpp"
#include "counts/completions.hpp"
#include "counts/counter.hpp"
#include "counts/filled_rows.hpp"
#include "counts/sweep.hpp"

namespace veridag {

// Holds the memory that counting needs, so a thread keeps one.
class ExpectedCounter {
   public:
    explicit ExpectedCounter(const Completions& all)
        : all_(all),
          data_(all.data()),
          counter_(data_.table),
          sweep_(data_.table),
          filled_(all),
          filled_keys_(all),
          keys_(data_.table.variables()) {}

    // Valid until the next call.
    ExpectedCounts family(int child, std::span<const int> parents);

    // Calls act(i, counts) with the counts of the family with candidate i as one more parent, for all candidates but
    // those in `left_out`. False, without a call, if that is not possible, or not the cheapest way.
    template <class Act>
    bool extended(int child, std::span<const int> parents, std::span<const int> candidates, Act act) {
        auto started = [&](const Axes& axes) { start(child, parents, axes); };
        return sweep_.run(
            child, parents, candidates,
            [&](Tile& tile) {
                for (std::size_t i = 0; i < tile.size(); ++i)
                    act(tile.place(i), with(tile, i, candidates[tile.place(i)]));
            },
            started);
    }
    const std::vector<std::size_t>& left_out() const { return sweep_.left_out(); }

   private:
    // A joint state of a family and of its parents alone, by 128 bits each, as families have them in a cache: there may
    // be more of them than any integer holds.
    struct CellKey {
        Key cell, configuration;
        CellKey operator+(const CellKey& other) const {
            return {cell + other.cell, configuration + other.configuration};
        }
    };

    ExpectedCounts sized(int child, std::span<const int> parents) const;
    void take(int child, std::span<const int> parents);
    void set_places();
    void count_dense();
    void count_cells();
    void count_sparse();
    void start(int child, std::span<const int> parents, const Axes& axes);
    ExpectedCounts with(const Tile& tile, std::size_t i, int candidate);
    template <std::size_t fixed>
    void add_missing(int candidate);

    const Completions& all_;
    const IncompleteData& data_;
    Counter counter_;
    Sweep sweep_;
    FilledRows<std::uint32_t> filled_;
    FilledRows<CellKey> filled_keys_;
    VariableKeys keys_;

    ExpectedCounts counts_;                           // of the family that candidates are added to
    std::vector<int> variables_;                      // the parents, ascending, then the child
    std::vector<std::vector<std::uint32_t>> places_;  // of the states of each in a table of all joint states
    std::vector<std::vector<CellKey>> key_places_;
    std::size_t cells_ = 1;
    std::vector<std::size_t> cell_of_;  // of a cell of the sweep
    std::vector<double> wide_, sums_, configurations_;
    std::vector<CellKey> key_of_row_;
    std::vector<char> hidden_;
};

}  // namespace veridag
