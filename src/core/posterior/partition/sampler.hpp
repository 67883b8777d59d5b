// Draws of DAGs from their posterior distribution, by several Markov chains over partitions. Each of them comes with
// others at higher temperatures, which it exchanges partitions with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "posterior/partition/family_weights.hpp"
#include "progress.hpp"

namespace veridag::partition {

struct Settings {
    std::vector<double> powers;  // of the weights at each temperature, the first 1
    std::int64_t thin = 1;       // rounds for each draw
    std::uint64_t seed = 0;
    std::uint64_t first_chain = 0;  // the number of the first one here; each has a random stream of its own
};

// Where the chains are: the part of each variable, for each chain and temperature, one after the other.
using Places = std::vector<std::int32_t>;

struct Drawn {
    std::vector<Word> parents;            // sets: chain, draw, variable
    std::vector<double> scores;           // chain, draw
    std::vector<std::int64_t> exchanges;  // chain, temperature: made with the next
    bool interrupted = false;             // then nothing is kept
};

// The draws `first` to `first + number` of each chain. What is drawn depends on the seed, the numbers of chain and
// draw and the places before it, so that it makes no difference in how many calls, or by how many threads, draws are
// made.
Drawn draw(std::span<const FamilyWeights> families, const Settings& settings, Places& places, int chains,
           std::int64_t first, std::int64_t number, int threads, Progress& progress);

}  // namespace veridag::partition
