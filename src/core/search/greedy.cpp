#include "search/greedy.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <tuple>

#include "bit_set.hpp"
#include "index.hpp"
#include "random.hpp"

namespace veridag {
namespace {

// The current DAG with all that choosing the next move needs: local scores, what toggling each arc would gain, and
// ancestors.
class State {
   public:
    State(Criterion& criterion, const Constraints& constraints, const Matrix& start)
        : criterion_(criterion),
          constraints_(constraints),
          n_(criterion.variables()),
          words_(words_for(n_)),
          parents_(at(n_)),
          local_(at(n_)),
          gains_(at(n_) * at(n_), minus_infinity),
          best_addition_(at(n_), minus_infinity),
          ancestors_(at(n_) * words_) {
        Stream random(0x61726373ULL, 0, 0);
        for (std::size_t k = 0; k < at(n_) * at(n_); ++k) arc_hash_.push_back(random.bits());
        for (int v = 0; v < n_; ++v) {
            parents_[at(v)] = start.parents_of(v);
            for (int u : parents_[at(v)]) hash_ ^= arc_hash(u, v);
        }
        for (int v = 0; v < n_; ++v) rescore(v);
        find_ancestors();
    }

    int size() const { return n_; }
    std::uint64_t hash() const { return hash_; }

    double score() const {
        double sum = 0.0;
        for (double value : local_) sum += value;
        return sum;
    }

    Matrix dag() const {
        Matrix dag(n_);
        for (int v = 0; v < n_; ++v) {
            for (int u : parents_[at(v)]) dag.set(u, v);
        }
        return dag;
    }

    // The best valid move that leads to no structure in `tabu`; those within `tolerance` of it tie, and the first by
    // from, to and kind is taken.
    Move best_move(const std::deque<std::uint64_t>& tabu, double tolerance) const {
        double most = minus_infinity;
        visit_moves([&] { return most; },
                    [&](const Move& move) {
                        if (move.gain > most && !is_tabu(move, tabu)) most = move.gain;
                    });
        Move best;
        if (most == minus_infinity) return best;
        visit_moves([&] { return most - tolerance; },
                    [&](const Move& move) {
                        if (move.gain < most - tolerance || is_tabu(move, tabu)) return;
                        auto order = [](const Move& m) { return std::tuple(m.from, m.to, m.kind); };
                        if (!best.exists() || order(move) < order(best)) best = move;
                    });
        return best;
    }

    void apply(const Move& move) {
        hash_ = hash_after(move);
        if (move.kind != MoveKind::add) {
            std::erase(parents_[at(move.to)], move.from);
        } else {
            insert(parents_[at(move.to)], move.from);
        }
        if (move.kind == MoveKind::reverse) {
            insert(parents_[at(move.from)], move.to);
            rescore(move.from);
        }
        rescore(move.to);
        if (move.kind == MoveKind::add) {
            add_ancestors(move.from, move.to);
        } else {
            find_ancestors();
        }
    }

    // The move between two variables that exists, if any: what is there is taken away or turned, what is not is added.
    Move random_move(Stream& random) const {
        Move move;
        int u = static_cast<int>(random.uniform() * n_), v = static_cast<int>(random.uniform() * n_);
        bool turn = random.uniform() < 0.5;
        if (u == v) return move;
        if (!has(u, v)) {
            if (!has(v, u) && can_add(u, v)) move = {MoveKind::add, u, v, gain(u, v)};
        } else if (turn) {
            if (can_reverse(u, v)) move = {MoveKind::reverse, u, v, gain(u, v) + gain(v, u)};
        } else if (can_remove(u, v)) {
            move = {MoveKind::remove, u, v, gain(u, v)};
        }
        return move.gain == minus_infinity ? Move{} : move;
    }

   private:
    // Calls act on every valid move whose gain is above what `bound` says; the bound may rise on the way.
    template <class Bound, class Act>
    void visit_moves(Bound bound, Act act) const {
        for (int v = 0; v < n_; ++v) {
            for (int u : parents_[at(v)]) {
                if (can_remove(u, v)) act(Move{MoveKind::remove, u, v, gain(u, v)});
                if (gain(u, v) + gain(v, u) >= bound() && can_reverse(u, v))
                    act(Move{MoveKind::reverse, u, v, gain(u, v) + gain(v, u)});
            }
        }
        for (int v = 0; v < n_; ++v) {
            if (best_addition_[at(v)] < bound() || best_addition_[at(v)] == minus_infinity) continue;
            const double* row = gains_.data() + at(v, 0, n_);
            for (int u = 0; u < n_; ++u) {
                if (row[u] >= bound() && row[u] > minus_infinity && !has(u, v) && can_add(u, v))
                    act(Move{MoveKind::add, u, v, row[u]});
            }
        }
    }

    double gain(int from, int to) const { return gains_[at(to, from, n_)]; }
    bool has(int from, int to) const {
        return std::binary_search(parents_[at(to)].begin(), parents_[at(to)].end(), from);
    }
    bool is_ancestor(int u, int v) const { return has_bit(ancestors(v), u); }
    const Word* ancestors(int v) const { return ancestors_.data() + at(v) * words_; }
    std::uint64_t arc_hash(int from, int to) const { return arc_hash_[at(from, to, n_)]; }

    bool can_remove(int from, int to) const { return !constraints_.is_required(from, to); }

    // Assumes that the arc is not there. Room and prohibition show in the gain, which is minus infinity then.
    bool can_add(int from, int to) const {
        return gain(from, to) > minus_infinity && !is_ancestor(to, from) && !has(to, from);
    }

    bool can_reverse(int from, int to) const {
        if (!can_remove(from, to) || gain(to, from) == minus_infinity) return false;
        const auto& others = parents_[at(to)];
        return std::none_of(others.begin(), others.end(), [&](int w) { return w != from && is_ancestor(from, w); });
    }

    std::uint64_t hash_after(const Move& move) const {
        std::uint64_t hash = hash_ ^ arc_hash(move.from, move.to);
        return move.kind == MoveKind::reverse ? hash ^ arc_hash(move.to, move.from) : hash;
    }

    bool is_tabu(const Move& move, const std::deque<std::uint64_t>& tabu) const {
        return !tabu.empty() && std::find(tabu.begin(), tabu.end(), hash_after(move)) != tabu.end();
    }

    static void insert(std::vector<int>& sorted, int value) {
        sorted.insert(std::lower_bound(sorted.begin(), sorted.end(), value), value);
    }

    void rescore(int v) {
        auto& parents = parents_[at(v)];
        local_[at(v)] = criterion_.local(v, parents);
        candidates_.clear();
        bool has_room = static_cast<int>(parents.size()) < constraints_.limit(v);
        for (int u = 0; u < n_; ++u) {
            if (u != v && (has(u, v) || (has_room && !constraints_.is_forbidden(u, v)))) candidates_.push_back(u);
        }
        toggled_.resize(candidates_.size());
        criterion_.toggled(v, parents, candidates_, toggled_.data());
        double* row = gains_.data() + at(v, 0, n_);
        std::fill(row, row + n_, minus_infinity);
        best_addition_[at(v)] = minus_infinity;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            double gained = toggled_[i] == minus_infinity ? minus_infinity : toggled_[i] - local_[at(v)];
            row[candidates_[i]] = gained;
            if (!has(candidates_[i], v)) best_addition_[at(v)] = std::max(best_addition_[at(v)], gained);
        }
    }

    // Of a parent by its child, the parent included.
    void inherit_ancestors(int parent, int child) {
        Word* own = ancestors_.data() + at(child) * words_;
        for (std::size_t k = 0; k < words_; ++k) own[k] |= ancestors(parent)[k];
        set_bit(own, parent);
    }

    void add_ancestors(int from, int to) {
        for (int w = 0; w < n_; ++w) {
            if (w != to && !is_ancestor(to, w)) continue;
            inherit_ancestors(from, w);
        }
    }

    void find_ancestors() {
        std::fill(ancestors_.begin(), ancestors_.end(), Word{0});
        std::vector<int> waiting(at(n_)), order;
        std::vector<std::vector<int>> children(at(n_));
        for (int v = 0; v < n_; ++v) {
            waiting[at(v)] = static_cast<int>(parents_[at(v)].size());
            if (waiting[at(v)] == 0) order.push_back(v);
            for (int u : parents_[at(v)]) children[at(u)].push_back(v);
        }
        for (std::size_t i = 0; i < order.size(); ++i) {
            int u = order[i];
            for (int v : children[at(u)]) {
                inherit_ancestors(u, v);
                if (--waiting[at(v)] == 0) order.push_back(v);
            }
        }
    }

    Criterion& criterion_;
    const Constraints& constraints_;
    int n_;
    std::size_t words_;
    std::vector<std::vector<int>> parents_;
    std::vector<double> local_;
    std::vector<double>
        gains_;  // [to, from]: what adding or taking away the arc would gain; minus infinity if it may not be
    std::vector<double> best_addition_;  // the most that an arc to this variable could gain, cycles not considered
    Bits ancestors_;                     // a row a variable
    std::vector<std::uint64_t> arc_hash_;
    std::uint64_t hash_ = 0;
    std::vector<int> candidates_;
    std::vector<double> toggled_;
};

class Search {
   public:
    Search(Criterion& criterion, const Constraints& constraints, const GreedySettings& settings, Progress& progress)
        : criterion_(criterion), constraints_(constraints), settings_(settings), progress_(progress) {}

    GreedyResult run(const Matrix& start) {
        climb(State(criterion_, constraints_, start));
        Stream random(settings_.seed, 1, 0);
        for (int r = 0; r < settings_.restarts && !is_over(); ++r) {
            State state(criterion_, constraints_, result_.dag);
            perturb(state, random);
            climb(std::move(state));
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

    void keep_if_best(const State& state) {
        bool is_best = result_.dag.size() == 0 || state.score() > result_.score + tolerance(result_.score);
        if (!is_best) return;
        result_.dag = state.dag();
        result_.score = state.score();
    }

    void step(State& state, const Move& move) {
        state.apply(move);
        ++result_.steps;
        if (settings_.trace) result_.trace.push_back(move);
    }

    // Steps 2 and 3 of the algorithm: uphill as long as there is an uphill, then for a while to the best structure not
    // visited lately.
    void climb(State state) {
        keep_if_best(state);
        double peak = state.score();
        std::deque<std::uint64_t> visited;
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
    const Constraints& constraints_;
    const GreedySettings& settings_;
    Progress& progress_;
    GreedyResult result_;
};

}  // namespace

GreedyResult greedy(Criterion& criterion, const Constraints& constraints, const Matrix& start,
                    const GreedySettings& settings, Progress& progress) {
    return Search(criterion, constraints, settings, progress).run(start);
}

}  // namespace veridag
