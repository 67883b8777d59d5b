// A Markov chain over partitions of the variables into an ordered list of parts. Each DAG belongs to one partition: the
// first part has the variables without parents, the next those that lose all parents when the first is taken away, and
// so on. So a partition drawn with the weight of all its DAGs, and then one of these, is a draw of a DAG (Kuipers and
// Moffa 2017).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bit_set.hpp"
#include "posterior/partition/family_weights.hpp"
#include "random.hpp"

namespace veridag::partition {

class Chain {
   public:
    // The stationary weight of a partition is the sum of its DAGs' weights to this power.
    Chain(std::span<const FamilyWeights> families, double power);

    // Starts at the partition that has variable v in part part_of[v]. The parts are 0, 1, ... without a gap.
    void set(std::span<const std::int32_t> part_of);
    void get(std::span<std::int32_t> part_of) const;

    // Values that several moves have left may differ in their last digits from those of the same partition when it is
    // set: this makes them the same.
    void enter_values();

    // Each leaves the stationary distribution as it is, and returns whether the partition changed.
    bool relocate(Stream& random);        // a variable to any place, by the weights of all places
    bool split_or_merge(Stream& random);  // one part, or two neighbours
    bool swap(Stream& random);            // two variables of different parts
    bool reverse(Stream& random);         // an arc of a DAG of the partition, with new parents for both its ends
    bool resample(Stream& random);        // the parents of a few related variables in a DAG of the partition

    // One of these, chosen at random.
    bool step(Stream& random);

    // Exchanges the partitions of two chains, or not, so that both have their distributions still.
    static bool exchange(Chain& a, Chain& b, Stream& random);

    // A DAG of the partition, as a set of parents for each variable, and its score.
    double draw(Stream& random, Word* parents) const;

    // The logarithm of the sum of the weights of the partition's DAGs.
    double log_weight() const;

   private:
    // A value that took long, by two hashes of what it is of.
    struct Known {
        std::uint64_t first = 0, second = 0;
        double value = 0.0;
    };

    std::size_t number_of_parts() const { return parts_.size() / words_; }
    const Word* part(std::size_t i) const { return parts_.data() + i * words_; }
    double value(int v, const Word* before, const Word* last) {
        return sharp_value(v, before, last, -std::numeric_limits<double>::infinity()).high;
    }
    Bound sharp_value(int v, const Word* before, const Word* last, double least);
    bool propose(std::size_t first, std::size_t last, double log_ratio, Stream& random);
    bool split(Stream& random);
    bool merge(Stream& random);
    double log_choices(int of, int size) const;
    std::size_t take_out(int v);
    void bound_places(int v, std::size_t old);
    double weigh(int v, std::size_t place, double least);
    std::size_t choose_place(int v, std::size_t old, Stream& random);
    void put(int v, std::size_t place);
    void set_from_parents(const Word* parents);
    Bits descendants(const Word* parents, int v) const;
    void enter_affinities();
    std::vector<int> choose_block(Stream& random) const;
    void draw_single(int v, Word* parents, Stream& random);
    void draw_block(const std::vector<int>& block, Word* parents, Stream& random) const;

    std::span<const FamilyWeights> families_;
    int n_;
    std::size_t words_;
    double power_;
    std::vector<double> log_factorials_;
    std::vector<Word> parts_;
    std::vector<double> values_;  // of each variable, the logarithm of the sum over its parent sets

    // A partition that is proposed, and the variables that have other values in it.
    std::vector<Word> next_;
    std::vector<int> changed_;
    std::vector<double> next_values_;

    std::vector<Known> cache_;
    std::vector<double> affinities_;  // of each variable to the others, each with those before it

    // Of each variable, the value by where the variable that was taken out is put; of that variable, the value in or
    // before each part; bounds for the weights of all places; and the variables before each part.
    std::vector<Around> around_;
    std::vector<Bound> own_;
    std::vector<double> places_;
    std::vector<Word> before_;
};

}  // namespace veridag::partition
