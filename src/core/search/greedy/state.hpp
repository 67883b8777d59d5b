// Where a greedy search is: the DAG, and what each move from it would gain.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "graph/dynamic_dag.hpp"
#include "random.hpp"
#include "scores/criterion.hpp"
#include "search/greedy/bounds.hpp"
#include "search/greedy/move.hpp"
#include "search/greedy/possible_parents.hpp"

namespace veridag {

// The structures visited last, by their hashes.
using Visited = std::deque<std::uint64_t>;

// Which of the moves that tie is made: the first by from, to and kind, `ranks` saying which variables come first; by
// default the order of the variables.
//
// Two variables with the same parents are joined with the same gain in either direction. With `look_ahead`, the arc
// then leads to the one to which it makes other parents worth more. For from -> to, that is the sum over all w of
//     max(0, g(w -> to | from) - max(0, g(w -> to))) if g(w -> to | from) > 0,
// with g what the arc from w would gain after and before the move. It is large where `from` and w are both parents of
// `to`, and zero where they are not.
struct TieRule {
    bool look_ahead = false;
    std::vector<int> ranks;
};

// The memory is that of the arcs worth considering, not of all pairs: of each variable's possible parents those are
// kept that would gain something, and some of the others. If more of these are needed, they are scored again.
class State {
   public:
    // Lists of parents, each ascending, that form no cycle. The rule of ties must outlive the state. With `uphill`,
    // only moves that gain something are wanted. `stop`, given the score, is asked now and then whether to give up;
    // then no more moves are known.
    State(Criterion& criterion, const PossibleParents& possible, std::vector<std::vector<int>> parents,
          const TieRule& ties, bool uphill, const std::function<bool(double score)>& stop);

    std::uint64_t hash() const { return hash_; }
    double score() const { return score_; }
    const std::vector<std::vector<int>>& parents() const { return dag_.all_parents(); }
    // How often an arc was as good in the other direction.
    std::int64_t ties() const { return tied_arcs_; }
    // How many arcs were scored between variables without parents, of which the reverse had been scored: under a
    // score-equivalent score they gain the same.
    std::int64_t mirrored() const { return mirrored_; }

    // The best valid move that leads to no structure in `tabu`, with those within `tolerance` of it tying. Where
    // only moves that gain something are wanted, there may be none.
    Move best_move(const Visited& tabu, double tolerance);
    void apply(const Move& move);
    // The move between two variables that exists, if any: what is there is taken away or turned, what is not is added.
    Move random_move(Stream& random);

   private:
    struct Addition {
        double gain;
        int from;
    };

    // What changes to the parents of one variable would gain; minus infinity is what may not be.
    struct Row {
        double local = minus_infinity;
        std::vector<Addition> additions;  // the best first, whether or not they close a cycle
        std::size_t others = 0;           // how many of them that gain nothing may be kept
        double rest = minus_infinity;     // the most that any would gain that is not kept
        std::vector<double> removals;     // of each parent
        std::vector<double> turns;        // of each parent, what the variable would gain as a parent of it
    };

    Move first_of(const std::vector<Move>& ties);
    double worth_of_others(const Move& addition);

    template <class Limit, class Act>
    void visit_moves(int v, Limit limit, Act act) const;
    double best_valid(int v) const;
    void set_bound(int v);
    void loosen_bounds(const Move& move);

    double gain_of_adding(int from, int to);
    double& turn(int from, int to);
    std::uint64_t hash_after(const Move& move) const;
    bool is_tabu(const Move& move, const Visited& tabu) const;

    void change_arcs(const Move& move);
    void rescore(const std::vector<int>& variables);
    void fill_row(int v, const std::vector<int>& candidates, const double* scores);
    void keep_additions(Row& row);
    void refill(int v);
    void add_up();

    Criterion& criterion_;
    const PossibleParents& possible_;
    const TieRule& tie_rule_;
    int n_;
    double floor_;  // moves that gain less are not wanted
    DynamicDag dag_;
    std::vector<Row> rows_;
    Bounds bounds_;  // the most that a move could gain that changes a variable's parents; it may be less
    std::uint64_t hash_ = 0;
    double score_ = 0.0;
    std::int64_t tied_arcs_ = 0, mirrored_ = 0;
    bool knows_moves_ = false;  // it was not told to give up
    std::vector<Move> ties_;
    // Memory of rescore.
    std::vector<std::vector<int>> candidates_;
    std::vector<std::vector<double>> scores_;
};

}  // namespace veridag
