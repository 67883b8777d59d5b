// What can be said of a table of candidate parent sets before any search: a bound on the score of every network,
// candidates that no best network has, and parts that can be solved one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/candidates.hpp"
#include "scores/ties.hpp"

namespace veridag {

// No network has a score above `score`, and none that has a row has one above `score - loss[row]`.
struct Bound {
    double score = minus_infinity;
    std::vector<double> loss;
    std::vector<Bits>
        clusters;  // that something was charged to: a linear program with their constraints is at least as tight
    std::vector<double> charges;  // of each cluster: the bound is the sum of the best scores less these
    std::vector<int>
        order;  // in which each variable has a candidate of no loss left; where a search for a good network may start
};

// Greedy ascent in the dual of the linear program over cluster constraints (Jaakkola et al. 2010; clusters are found
// and made small as in Trosser et al. 2021): as long as some cluster has no member with a candidate of no loss outside
// it, the least loss of those is charged to all of them. The seed decides in which order clusters are made small; minus
// infinity if no network is allowed.
Bound dual_ascent(const Candidates& candidates, std::uint64_t seed);

// A strong component of the graph of all arcs that some candidate has, with candidates of its own: the arcs from other
// components close no cycle, so that components do not need to know of each other.
struct Part {
    std::vector<int> variables;     // of the whole table, ascending
    std::vector<std::size_t> rows;  // of the whole table, for each row of the part
    Candidates candidates;
};

// The parts of the rows that are kept. A row whose parents within the part include those of a better one is left out.
std::vector<Part> split(const Candidates& candidates, const std::vector<char>& keep);

}  // namespace veridag
