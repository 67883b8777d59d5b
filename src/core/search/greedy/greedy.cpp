#include "search/greedy/greedy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "index.hpp"
#include "random.hpp"

namespace veridag {
namespace {

using ParentLists = std::vector<std::vector<int>>;

void insert(std::vector<int>& ascending, int value) {
    ascending.insert(std::lower_bound(ascending.begin(), ascending.end(), value), value);
}

void undo(const Move& move, ParentLists& parents) {
    if (move.kind == MoveKind::add) {
        std::erase(parents[at(move.to)], move.from);
        return;
    }
    insert(parents[at(move.to)], move.from);
    if (move.kind == MoveKind::reverse) std::erase(parents[at(move.from)], move.to);
}

class Search {
   public:
    Search(Criterion& criterion, const Constraints& constraints, const GreedySettings& settings, Progress& progress)
        : criterion_(criterion), possible_(constraints), settings_(settings), progress_(progress) {}

    GreedyResult run(const Matrix& start) {
        for (int v = 0; v < start.size(); ++v) best_.push_back(start.parents_of(v));
        climb(state_at_best());
        Stream random(settings_.seed, 1, 0);
        for (int r = 0; r < settings_.restarts && !is_over(); ++r) {
            State state = state_at_best();
            perturb(state, random);
            climb(std::move(state));
        }
        result_.dag = Matrix(start.size());
        for (int v = 0; v < start.size(); ++v) {
            for (int u : best_[at(v)]) result_.dag.set(u, v);
        }
        result_.interrupted = progress_.stopped();
        return std::move(result_);
    }

   private:
    bool is_over() {
        return progress_.stop(result_.steps, result_.score) ||
               (settings_.max_steps >= 0 && result_.steps >= settings_.max_steps);
    }

    static double tolerance(double score) { return tie * std::max(1.0, std::abs(score)); }

    State state_at_best() {
        auto stop = [this](double score) { return progress_.stop(result_.steps, std::max(score, result_.score)); };
        return State(criterion_, possible_, best_, settings_.ties, settings_.max_tabu == 0, stop);
    }

    // The graph itself is not copied at every step: the moves since then lead back to it.
    void keep_if_best(const State& state) {
        if (has_result_ && state.score() <= result_.score + tolerance(result_.score)) return;
        has_result_ = is_new_best_ = true;
        result_.score = state.score();
        since_best_.clear();
    }

    void step(State& state, const Move& move) {
        state.apply(move);
        ++result_.steps;
        since_best_.push_back(move);
        if (settings_.trace) result_.trace.push_back(move);
    }

    void climb(State state) {
        is_new_best_ = false;
        keep_if_best(state);
        go_up_and_on(state);
        result_.ties += state.ties();
        result_.mirrored += state.mirrored();
        if (!is_new_best_) return;
        best_ = state.parents();
        for (; !since_best_.empty(); since_best_.pop_back()) undo(since_best_.back(), best_);
    }

    // Steps 2 and 3 of the algorithm: uphill as long as there is an uphill, then for a while to the best structure not
    // visited lately.
    void go_up_and_on(State& state) {
        double peak = state.score();
        Visited visited;
        for (int failures = 0; !is_over();) {
            if (settings_.tabu > 0) visited.push_back(state.hash());
            if (visited.size() > at(settings_.tabu)) visited.pop_front();
            Move move = state.best_move(visited, tolerance(peak));
            bool can_fail = failures < settings_.max_tabu;
            if (!move.exists() || (move.gain <= tolerance(peak) && !can_fail)) return;
            step(state, move);
            keep_if_best(state);
            bool is_peak = state.score() > peak + tolerance(peak);
            if (is_peak) peak = state.score();
            failures = is_peak ? 0 : failures + 1;
            if (failures > settings_.max_tabu) return;
        }
    }

    void perturb(State& state, Stream& random) {
        int left = settings_.perturb;
        for (int attempts = 100 * settings_.perturb; left > 0 && attempts > 0; --attempts) {
            Move move = state.random_move(random);
            if (!move.exists()) continue;
            step(state, move);
            --left;
        }
    }

    Criterion& criterion_;
    PossibleParents possible_;
    const GreedySettings& settings_;
    Progress& progress_;
    GreedyResult result_;
    ParentLists best_;              // at the end of each climb
    bool has_result_ = false;       // the score is that of a graph
    bool is_new_best_ = false;      // this climb came by a better graph
    std::vector<Move> since_best_;  // the moves from it, if so
};

}  // namespace

GreedyResult greedy(Criterion& criterion, const Constraints& constraints, const Matrix& start,
                    const GreedySettings& settings, Progress& progress) {
    return Search(criterion, constraints, settings, progress).run(start);
}

}  // namespace veridag
