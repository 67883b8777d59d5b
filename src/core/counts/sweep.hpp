// The counts of a family with one more parent, for each of many candidates: what all these families share is counted
// once, and the candidates side by side, by bits or by columns as counts/counter.hpp says.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "counts/axes.hpp"
#include "counts/counter.hpp"
#include "table/table.hpp"

namespace veridag {

// Some candidates of a sweep, counted.
class Tile {
   public:
    std::size_t size() const { return columns_.size(); }
    // The place of candidate i among all of the sweep.
    std::size_t place(std::size_t i) const { return places_[i]; }
    int r() const { return r_; }
    Count n() const { return n_; }
    int arity(std::size_t i) const { return columns_[i].arity; }
    // Possible configurations of the parents with candidate i.
    double q(std::size_t i) const { return q_ * columns_[i].arity; }

    // The counts of the family with candidate i; valid until the next call.
    FamilyCounts counts(std::size_t i);

    // The number of rows of a cell of the family in each state of candidate i.
    void split(std::size_t cell, std::size_t i, Count* out) const { split(cell, columns_[i], out); }

    // The sum of f(n_ijk) less that of f(n_ij), with the first `states` of candidate i; f must be zero at zero. Adds
    // what is counted to n.
    template <class Function>
    double sum_observed(std::size_t i, int states, Function f, Count& n) const;

    // The sum of cell(n_ijk) less that of configuration(n_ij), with candidate i. Both functions must be zero at zero.
    template <class Cell, class Configuration>
    double sum(std::size_t i, Cell cell, Configuration configuration) const {
        return columns_[i].arity == 2 ? sum_of_two(i, cell, configuration) : sum_of_many(i, cell, configuration);
    }

   private:
    friend class Sweep;
    static constexpr std::size_t most = at(Table::max_bit_arity);

    struct Column {
        std::size_t first;  // of its states but the mode, in each cell
        int arity, mode;
    };

    template <class Cell, class Configuration>
    double sum_of_two(std::size_t i, Cell cell, Configuration configuration) const;
    template <class Cell, class Configuration>
    double sum_of_many(std::size_t i, Cell cell, Configuration configuration) const;
    // The number of rows of a cell in each state of candidate i.
    void split(std::size_t cell, const Column& column, Count* out) const;

    int r_ = 1;
    double q_ = 1.0;
    Count n_ = 0;
    // Cells are [outer, child's state, inner]; each has `width` numbers, of which the first is its count.
    std::size_t outer_ = 1, inner_ = 1, width_ = 1;
    std::vector<std::uint32_t> numbers_;
    std::vector<Column> columns_;
    std::vector<std::size_t> places_;
    std::vector<Count> cells_, configurations_;
};

// Only the rows are counted in which the child and its parents have a value, unless a missing value is to be a state.
// It is one of the candidates in any case, the last.
class Sweep {
   public:
    explicit Sweep(const Table& table, Gaps gaps = Gaps::passed_over) : table_(table), axes_(table, gaps) {}

    // Calls act(tile) until all candidates were in a tile but those that have too many states, whose places are then in
    // `left_out`. False, without a call, if the tables are too large or the family's variables too rich in states.
    // Before the first tile, started(axes) is called with the axes of its cells, the last of which varies fastest.
    template <class Act, class Started>
    bool run(int child, std::span<const int> parents, std::span<const int> candidates, Act act, Started started) {
        if (!start(child, parents, candidates)) return false;
        started(std::as_const(axes_));
        for (std::size_t first = 0; first < counted_.size(); first += tile_size_) {
            count_tile(candidates, std::span(counted_).subspan(first, std::min(tile_size_, counted_.size() - first)));
            act(tile_);
        }
        return true;
    }
    template <class Act>
    bool run(int child, std::span<const int> parents, std::span<const int> candidates, Act act) {
        return run(child, parents, candidates, act, [](const Axes&) {});
    }
    const std::vector<std::size_t>& left_out() const { return left_out_; }

   private:
    bool start(int child, std::span<const int> parents, std::span<const int> candidates);
    void count_tile(std::span<const int> candidates, std::span<const std::size_t> places);
    void count_by_bits(std::span<const int> candidates);
    void count_by_columns(std::span<const int> candidates);
    void sort_rows();

    const Table& table_;
    Axes axes_;
    Tile tile_;
    bool by_columns_ = false;
    std::size_t cells_ = 1, tile_size_ = 1;
    std::vector<std::size_t> counted_, left_out_;
    std::vector<const Word*> bits_;
    std::vector<Count> marginals_;
    std::vector<std::uint16_t> cell_of_row_;
    std::vector<char> hidden_;
    std::vector<int> members_;
    std::vector<std::uint32_t> tallies_, order_, starts_;  // the rows by cell, and where each cell's begin
};

template <class Cell, class Configuration>
double Tile::sum_of_two(std::size_t i, Cell cell, Configuration configuration) const {
    const std::uint32_t* numbers = numbers_.data();
    std::size_t first = columns_[i].first, r = at(r_);
    double cells = 0.0, configurations = 0.0;
    for (std::size_t a = 0; a < outer_; ++a) {
        for (std::size_t b = 0; b < inner_; ++b) {
            const std::uint32_t* own = numbers + (a * r * inner_ + b) * width_;
            Count all = 0, ones = 0;
            for (std::size_t k = 0; k < r; ++k, own += inner_ * width_) {
                Count n = own[0], one = own[first];
                cells += cell(one) + cell(n - one);
                all += n;
                ones += one;
            }
            configurations += configuration(ones) + configuration(all - ones);
        }
    }
    return cells - configurations;
}

template <class Cell, class Configuration>
double Tile::sum_of_many(std::size_t i, Cell cell, Configuration configuration) const {
    const Column& column = columns_[i];
    std::size_t r = at(r_), s = at(column.arity);
    double cells = 0.0, configurations = 0.0;
    for (std::size_t a = 0; a < outer_; ++a) {
        for (std::size_t b = 0; b < inner_; ++b) {
            Count sums[most] = {}, own[most];
            for (std::size_t k = 0; k < r; ++k) {
                split((a * r + k) * inner_ + b, column, own);
                for (std::size_t state = 0; state < s; ++state) {
                    cells += cell(own[state]);
                    sums[state] += own[state];
                }
            }
            for (std::size_t state = 0; state < s; ++state) configurations += configuration(sums[state]);
        }
    }
    return cells - configurations;
}

template <class Function>
double Tile::sum_observed(std::size_t i, int states, Function f, Count& n) const {
    const Column& column = columns_[i];
    std::size_t r = at(r_), s = at(states);
    double cells = 0.0, configurations = 0.0;
    for (std::size_t a = 0; a < outer_; ++a) {
        for (std::size_t b = 0; b < inner_; ++b) {
            Count sums[most] = {}, own[most];
            for (std::size_t k = 0; k < r; ++k) {
                split((a * r + k) * inner_ + b, column, own);
                for (std::size_t state = 0; state < s; ++state) {
                    cells += f(own[state]);
                    sums[state] += own[state];
                }
            }
            for (std::size_t state = 0; state < s; ++state) {
                configurations += f(sums[state]);
                n += sums[state];
            }
        }
    }
    return cells - configurations;
}

inline void Tile::split(std::size_t cell, const Column& column, Count* out) const {
    const std::uint32_t* own = numbers_.data() + cell * width_;
    const std::uint32_t* next = own + column.first;
    Count rest = own[0];
    for (int state = 0; state < column.arity; ++state) {
        if (state == column.mode) continue;
        rest -= out[state] = *next++;
    }
    out[column.mode] = rest;
}

}  // namespace veridag
