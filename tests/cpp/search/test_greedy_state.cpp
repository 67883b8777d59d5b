// The bookkeeping of a greedy search, against all moves looked at one by one.
#include <algorithm>
#include <cmath>
#include <deque>
#include <tuple>

#include "check.hpp"
#include "random.hpp"
#include "search/greedy/greedy.hpp"
#include "search/greedy/state.hpp"

using namespace veridag;

namespace {

// Any number for a family, coarse enough that many moves tie, and mostly falling with the number of parents.
class CoarseScorer : public LocalScorer {
   public:
    explicit CoarseScorer(std::uint64_t seed) : seed_(seed) {}

    double local(int child, std::span<const int> parents) override {
        std::uint64_t hash = mix(seed_ ^ static_cast<std::uint64_t>(child));
        for (int p : parents) hash = mix(hash ^ static_cast<std::uint64_t>(p + 1000));
        return -std::floor(12.0 * static_cast<double>(hash >> 11) * 0x1.0p-53) -
               2.0 * static_cast<double>(parents.size());
    }

   private:
    std::uint64_t seed_;
};

bool leads(const Matrix& dag, int u, int v) {
    for (int w = 0; w < dag.size(); ++w) {
        if (dag.has(u, w) && (w == v || leads(dag, w, v))) return true;
    }
    return false;
}

class NaiveSearch {
   public:
    NaiveSearch(std::uint64_t seed, const Constraints& constraints)
        : dag(constraints.variables()), scorer_(seed), constraints_(constraints) {}

    Matrix dag;

    // The best of all moves that are allowed and lead to no graph in `tabu`; of several the first.
    Move best_move(const std::deque<Matrix>& tabu) {
        Move best;
        for (int u = 0; u < dag.size(); ++u) {
            for (int v = 0; v < dag.size(); ++v) {
                for (MoveKind kind : {MoveKind::add, MoveKind::remove, MoveKind::reverse}) {
                    Matrix after = dag;
                    if (u == v || !change(after, kind, u, v)) continue;
                    if (std::find(tabu.begin(), tabu.end(), after) != tabu.end()) continue;
                    double gain = local(after, u) + local(after, v) - local(dag, u) - local(dag, v);
                    if (gain > best.gain) best = {kind, u, v, gain};
                }
            }
        }
        return best;
    }

    bool change(Matrix& graph, MoveKind kind, int u, int v) const {
        bool is_there = graph.has(u, v);
        if (is_there == (kind == MoveKind::add)) return false;
        if (is_there && constraints_.is_required(u, v)) return false;
        if (is_there) graph.clear(u, v);
        if (kind == MoveKind::remove) return true;
        if (kind == MoveKind::reverse) std::swap(u, v);
        if (constraints_.is_forbidden(u, v) || leads(graph, v, u)) return false;
        if (static_cast<int>(graph.parents_of(v).size()) >= constraints_.limit(v)) return false;
        graph.set(u, v);
        return true;
    }

   private:
    double local(const Matrix& graph, int v) { return scorer_.local(v, graph.parents_of(v)); }

    CoarseScorer scorer_;
    const Constraints& constraints_;
};

Constraints random_constraints(int n, std::uint64_t seed) {
    Constraints constraints(n, 3);
    Stream random(seed, 1, 0);
    for (int u = 0; u < n; ++u) {
        for (int v = 0; v < n; ++v) {
            if (u != v && random.uniform() < 0.1) constraints.forbidden.set(u, v);
        }
    }
    constraints.forbidden.clear(0, 1);
    constraints.required.set(0, 1);
    return constraints;
}

std::vector<std::vector<int>> parents_of(const Matrix& dag) {
    std::vector<std::vector<int>> parents;
    for (int v = 0; v < dag.size(); ++v) parents.push_back(dag.parents_of(v));
    return parents;
}

// No arc gains anything.
class CostlyArcs : public LocalScorer {
   public:
    static constexpr int n = 200;

    double local(int child, std::span<const int> parents) override {
        double sum = 0.0;
        for (int p : parents) sum -= 1.0 + 0.001 * ((p + child) % n);
        return sum;
    }
};

bool never(double) { return false; }

const TieRule first_by_index;

// Makes the best moves, each to a graph not visited before, and compares them. With several `threads`, rows are shared.
void compare(int n, std::uint64_t seed, int steps, bool uphill, int threads) {
    Constraints constraints = random_constraints(n, seed);
    NaiveSearch naive(seed, constraints);
    naive.dag = constraints.required;
    BatchScorer batch(n, [seed] { return std::make_unique<CoarseScorer>(seed); });
    Criterion criterion(batch, {}, threads);
    PossibleParents possible(constraints);
    State state(criterion, possible, parents_of(naive.dag), first_by_index, uphill, never);
    std::deque<Matrix> visited;
    Visited hashes;
    for (int step = 0; step < steps; ++step) {
        visited.push_back(naive.dag);
        hashes.push_back(state.hash());
        Move expected = naive.best_move(visited), found = state.best_move(hashes, 1e-6);
        if (uphill && expected.gain <= 0.0) {
            CHECK(!found.exists() || found.gain <= 0.0);
            return;
        }
        CHECK_EQUAL(
            std::tuple(found.from, found.to, found.kind) == std::tuple(expected.from, expected.to, expected.kind),
            true);
        CHECK_NEAR(found.gain, expected.gain, 1e-9);
        naive.change(naive.dag, expected.kind, expected.from, expected.to);
        state.apply(found);
        CHECK_EQUAL(state.parents(), parents_of(naive.dag));
    }
}

}  // namespace

TEST(each_move_is_the_first_of_the_best_ones) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) compare(8, seed, 60, false, 1);
}

TEST(hill_climbing_ends_where_no_move_gains_anything) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) compare(9, seed, 1000, true, 1);
}

TEST(a_search_that_keeps_few_of_the_arcs_makes_the_same_moves) {
    compare(135, 1, 30, false, 1);
    compare(135, 2, 30, true, 2);
}

// Tabu search by its definition: to the best structure that is not among those visited last, until too many steps in a
// row have failed to reach a new best.
TEST(tabu_search_visits_the_structures_of_the_definition_and_returns_the_best) {
    constexpr int n = 6;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        GreedySettings settings{.tabu = 1 + static_cast<int>(seed % 5), .max_tabu = 1 + static_cast<int>(seed % 4)};
        Constraints constraints = random_constraints(n, seed);
        NaiveSearch naive(seed, constraints);
        naive.dag = constraints.required;
        Matrix best = naive.dag;
        double score = 0.0, highest = 0.0;
        std::deque<Matrix> visited;
        std::int64_t steps = 0;
        for (int failures = 0; failures <= settings.max_tabu; ++steps) {
            visited.push_back(naive.dag);
            if (visited.size() > at(settings.tabu)) visited.pop_front();
            Move move = naive.best_move(visited);
            if (!move.exists() || (move.gain <= 0.0 && failures == settings.max_tabu)) break;
            naive.change(naive.dag, move.kind, move.from, move.to);
            score += move.gain;
            ++failures;
            if (score <= highest) continue;
            highest = score;
            best = naive.dag;
            failures = 0;
        }
        BatchScorer batch(n, [seed] { return std::make_unique<CoarseScorer>(seed); });
        Criterion criterion(batch, {}, 1);
        Progress silent;
        GreedyResult found = greedy(criterion, constraints, constraints.required, settings, silent);
        CHECK_EQUAL(found.dag, best);
        CHECK_EQUAL(found.steps, steps);
    }
}

TEST(an_arc_that_is_gone_frees_reversals_below_it) {
    // The path 0 -> 1 -> 2 -> 3 -> 4 keeps 0 -> 4 from being turned.
    using Parents = std::vector<int>;
    const std::vector<Parents> start{{}, {0}, {1}, {2}, {0, 3}};
    class Scorer : public LocalScorer {
       public:
        explicit Scorer(const std::vector<Parents>& start) : start_(start) {}
        double local(int child, std::span<const int> span) override {
            Parents parents(span.begin(), span.end());
            if (parents == start_[at(child)]) return 0.0;
            if (child == 0 && parents == Parents{4}) return 10.0;
            if (child == 4 && parents == Parents{3}) return -1.0;
            return parents.empty() && child == 2 ? 5.0 : parents.empty() && child == 1 ? 3.0 : -20.0;
        }

       private:
        const std::vector<Parents>& start_;
    };
    BatchScorer batch(5, [&] { return std::make_unique<Scorer>(start); });
    Criterion criterion(batch, {}, 1);
    Constraints constraints(5);
    PossibleParents possible(constraints);
    State state(criterion, possible, start, first_by_index, false, never);
    Move first = state.best_move({}, 1e-9);
    CHECK(first.kind == MoveKind::remove && first.from == 1 && first.to == 2);
    state.apply(first);
    Move second = state.best_move({}, 1e-9);
    CHECK(second.kind == MoveKind::reverse && second.from == 0 && second.to == 4);
    CHECK_NEAR(second.gain, 9.0, 1e-9);
}

TEST(arcs_that_were_not_kept_are_found_once_all_others_are_ruled_out) {
    constexpr int n = CostlyArcs::n;
    BatchScorer batch(n, [] { return std::make_unique<CostlyArcs>(); });
    Criterion criterion(batch, {}, 1);
    Constraints constraints(n);
    // On a path through all variables every arc backwards is ruled out, whatever it would gain.
    std::vector<std::vector<int>> path(n);
    for (int v = 1; v < n; ++v) {
        constraints.required.set(v - 1, v);
        path[at(v)] = {v - 1};
    }
    PossibleParents possible(constraints);
    State state(criterion, possible, path, first_by_index, false, never);
    double best = minus_infinity;
    int from = -1, to = -1;
    for (int u = 0; u < n; ++u) {
        for (int v = u + 2; v < n; ++v) {
            double gain = -1.0 - 0.001 * ((u + v) % n);
            if (gain > best + 1e-9) std::tie(best, from, to) = std::tuple(gain, u, v);
        }
    }
    Move move = state.best_move({}, 1e-9);
    CHECK_EQUAL(move.from, from);
    CHECK_EQUAL(move.to, to);
    CHECK_NEAR(move.gain, best, 1e-9);
}

TEST(the_largest_bounds_are_visited_first_and_no_others) {
    Bounds bounds(11);
    for (int i = 0; i < 11; ++i) bounds.set(i, (i * 7) % 11);
    bounds.set(4, minus_infinity);
    bounds.set(9, 20.0);
    std::vector<int> seen;
    bounds.visit_largest([] { return 6.0; }, [&](int i) { seen.push_back(i); });
    CHECK(std::is_sorted(seen.begin(), seen.end(), [&](int a, int b) { return bounds.of(a) > bounds.of(b); }));
    for (int i = 0; i < 11; ++i) {
        bool is_large = bounds.of(i) >= 6.0;
        CHECK_EQUAL(std::find(seen.begin(), seen.end(), i) != seen.end(), is_large);
    }
}

// A search that is stopped while a restart begins had read gains that were never computed.
TEST(a_state_that_was_told_to_give_up_knows_no_moves) {
    int n = 6;
    BatchScorer batch(n, [] { return std::make_unique<CoarseScorer>(3); });
    Criterion criterion(batch, {}, 1);
    Constraints constraints(n);
    PossibleParents possible(constraints);
    std::vector<std::vector<int>> path(at(n));
    for (int v = 1; v < n; ++v) path[at(v)] = {v - 1};
    State state(criterion, possible, path, first_by_index, false, [](double) { return true; });
    Stream random(1, 1, 0);
    for (int i = 0; i < 500; ++i) CHECK(!state.random_move(random).exists());
    CHECK(!state.best_move({}, 1e-9).exists());
    CHECK(state.parents() == path);
}
