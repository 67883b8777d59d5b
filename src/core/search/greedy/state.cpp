#include "search/greedy/state.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "index.hpp"

namespace veridag {
namespace {

// Up to this many variables all arcs are kept.
constexpr int few_variables = 128;
// Of more, this many to each variable that gain nothing; they are the next best when all others are ruled out.
constexpr std::size_t some_others = 32;

// Families scored at a time, which bounds the memory for them, and the time until a search can be stopped.
constexpr std::size_t families_at_a_time = std::size_t{1} << 18;

std::uint64_t arc_hash(int from, int to) {
    return mix(0x61726373ULL ^ (static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to)));
}

std::size_t place_of(const std::vector<int>& ascending, int value) {
    return static_cast<std::size_t>(std::lower_bound(ascending.begin(), ascending.end(), value) - ascending.begin());
}

template <class Value>
auto iterator_at(std::vector<Value>& values, std::size_t i) {
    return values.begin() + static_cast<std::ptrdiff_t>(i);
}

double gain(double after, double before) { return after == minus_infinity ? minus_infinity : after - before; }

}  // namespace

State::State(Criterion& criterion, const PossibleParents& possible, std::vector<std::vector<int>> parents,
             const TieRule& ties, bool uphill, const std::function<bool(double score)>& stop)
    : criterion_(criterion),
      possible_(possible),
      tie_rule_(ties),
      n_(criterion.variables()),
      floor_(uphill ? 0.0 : minus_infinity),
      dag_(std::move(parents)),
      rows_(at(n_)),
      bounds_(n_) {
    for (int v = 0; v < n_; ++v) {
        Row& row = rows_[at(v)];
        row.local = criterion_.local(v, dag_.parents(v));
        row.turns.assign(dag_.parents(v).size(), minus_infinity);
        row.others = n_ <= few_variables ? at(n_) : uphill ? 0 : some_others;
        for (int u : dag_.parents(v)) hash_ ^= arc_hash(u, v);
    }
    add_up();
    std::vector<int> some;
    for (int v = 0; v < n_; ++v) {
        some.push_back(v);
        if (v + 1 < n_ && some.size() * at(n_) < families_at_a_time) continue;
        if (stop(score_)) return;
        rescore(some);
        some.clear();
    }
    knows_moves_ = true;
}

// ---- the next move

Move State::first_of(const std::vector<Move>& ties) {
    auto rank = [&](int v) { return tie_rule_.ranks.empty() ? v : tie_rule_.ranks[at(v)]; };
    auto earlier = [&](const Move& a, const Move& b) {
        return std::tuple(rank(a.from), rank(a.to), a.kind) < std::tuple(rank(b.from), rank(b.to), b.kind);
    };
    auto first = std::min_element(ties.begin(), ties.end(), earlier);
    if (first == ties.end()) return Move{};
    if (first->kind != MoveKind::add) return *first;
    auto back = std::find_if(ties.begin(), ties.end(), [&](const Move& move) {
        return move.kind == MoveKind::add && move.from == first->to && move.to == first->from;
    });
    if (back == ties.end()) return *first;
    ++tied_arcs_;
    if (!tie_rule_.look_ahead) return *first;
    double there = worth_of_others(*first), here = worth_of_others(*back);
    return here > there + tie * std::max(1.0, std::abs(score_)) ? *back : *first;
}

// How much more other parents are worth once the arc is there.
double State::worth_of_others(const Move& addition) {
    int v = addition.to;
    std::vector<int> parents = dag_.parents(v), others;
    std::size_t with_it = parents.size() + 1;
    std::vector<double> before(at(n_), 0.0);
    for (const Addition& known : rows_[at(v)].additions) before[at(known.from)] = std::max(0.0, known.gain);
    for (int u = 0; u < n_; ++u) {
        bool is_new = u != addition.from && !dag_.has(u, v);
        if (is_new && possible_.can_add(u, v, with_it) && dag_.can_add(u, v)) others.push_back(u);
    }
    if (others.empty()) return 0.0;
    parents.insert(iterator_at(parents, place_of(parents, addition.from)), addition.from);
    std::vector<double> after(others.size());
    criterion_.toggled({v, parents, others, after.data()});
    double local = rows_[at(v)].local + addition.gain, worth = 0.0;
    for (std::size_t i = 0; i < others.size(); ++i) {
        double gained = gain(after[i], local);
        if (gained > 0.0) worth += std::max(0.0, gained - before[at(others[i])]);
    }
    return worth;
}

Move State::best_move(const Visited& tabu, double tolerance) {
    if (!knows_moves_) return {};
    double most = minus_infinity;
    auto limit = [&] { return std::max(most - tolerance, floor_); };
    auto take = [&](const Move& move) {
        if (is_tabu(move, tabu)) return;
        most = std::max(most, move.gain);
        ties_.push_back(move);
    };
    ties_.clear();
    bounds_.visit_largest(limit, [&](int v) {
        bounds_.set(v, best_valid(v));
        visit_moves(v, limit, take);
        // What is not kept may gain as much, if what is kept is ruled out or ties with it.
        while (rows_[at(v)].rest > floor_ && rows_[at(v)].rest >= limit()) {
            refill(v);
            std::erase_if(ties_, [&](const Move& move) { return move.to == v; });
            visit_moves(v, limit, take);
        }
    });
    std::erase_if(ties_, [&](const Move& move) { return move.gain < limit(); });
    return first_of(ties_);
}

// Calls act on every valid move that changes the parents of v, keeps an arc between them and gains at least what
// `limit` says; the limit may rise on the way.
template <class Limit, class Act>
void State::visit_moves(int v, Limit limit, Act act) const {
    const auto& parents = dag_.parents(v);
    const Row& row = rows_[at(v)];
    for (std::size_t i = 0; i < parents.size(); ++i) {
        int u = parents[i];
        if (!possible_.can_remove(u, v)) continue;
        if (row.removals[i] > minus_infinity && row.removals[i] >= limit())
            act(Move{MoveKind::remove, u, v, row.removals[i]});
        double turned = row.removals[i] + row.turns[i];
        if (turned > minus_infinity && turned >= limit() && dag_.can_reverse(u, v))
            act(Move{MoveKind::reverse, u, v, turned});
    }
    for (const Addition& addition : row.additions) {
        if (addition.gain < limit()) return;
        if (dag_.can_add(addition.from, v)) act(Move{MoveKind::add, addition.from, v, addition.gain});
    }
}

// No valid move that changes the parents of v gains more.
double State::best_valid(int v) const {
    const Row& row = rows_[at(v)];
    auto valid = std::find_if(row.additions.begin(), row.additions.end(),
                              [&](const Addition& addition) { return dag_.can_add(addition.from, v); });
    double best = valid == row.additions.end() ? row.rest : valid->gain;
    const auto& parents = dag_.parents(v);
    for (std::size_t i = 0; i < parents.size(); ++i) {
        if (!possible_.can_remove(parents[i], v)) continue;
        best = std::max(best, row.removals[i]);
        double turned = row.removals[i] + row.turns[i];
        if (turned > best && dag_.can_reverse(parents[i], v)) best = turned;
    }
    return best;
}

// Valid or not: what is not becomes so when other arcs go.
void State::set_bound(int v) {
    const Row& row = rows_[at(v)];
    double most = row.additions.empty() ? row.rest : row.additions.front().gain;
    for (std::size_t i = 0; i < row.removals.size(); ++i)
        most = std::max({most, row.removals[i], row.removals[i] + row.turns[i]});
    bounds_.set(v, most);
}

// An arc that is gone no longer closes cycles. It did so with arcs to its ancestors, and with the reverse of arcs among
// those that it led to.
void State::loosen_bounds(const Move& move) {
    set_bound(move.from);
    for (int v = 0; v < n_; ++v) {
        if (dag_.is_ancestor(v, move.from)) set_bound(v);
    }
    for (int v : dag_.reachable(move.to)) set_bound(v);
}

Move State::random_move(Stream& random) {
    Move move;
    if (!knows_moves_) return move;
    int u = static_cast<int>(random.uniform() * n_), v = static_cast<int>(random.uniform() * n_);
    bool turned = random.uniform() < 0.5;
    if (u == v) return move;
    if (!dag_.has(u, v)) {
        if (dag_.can_add(u, v)) move = {MoveKind::add, u, v, gain_of_adding(u, v)};
    } else if (possible_.can_remove(u, v)) {
        double removal = rows_[at(v)].removals[place_of(dag_.parents(v), u)];
        if (!turned) {
            move = {MoveKind::remove, u, v, removal};
        } else if (dag_.can_reverse(u, v)) {
            move = {MoveKind::reverse, u, v, removal + turn(u, v)};
        }
    }
    return move.gain == minus_infinity ? Move{} : move;
}

// ---- making it

void State::apply(const Move& move) {
    hash_ = hash_after(move);
    change_arcs(move);
    std::vector<int> changed{move.to};
    if (move.kind == MoveKind::reverse) changed.push_back(move.from);
    for (int v : changed) rows_[at(v)].local = criterion_.local(v, dag_.parents(v));
    rescore(changed);
    if (move.kind != MoveKind::add) loosen_bounds(move);
    add_up();
}

void State::change_arcs(const Move& move) {
    auto& turns = rows_[at(move.to)].turns;
    std::size_t place = place_of(dag_.parents(move.to), move.from);
    if (move.kind == MoveKind::add) {
        turns.insert(iterator_at(turns, place), gain_of_adding(move.to, move.from));
        dag_.add(move.from, move.to);
        return;
    }
    turns.erase(iterator_at(turns, place));
    dag_.remove(move.from, move.to);
    if (move.kind == MoveKind::remove) return;
    dag_.add(move.to, move.from);
    auto& turned = rows_[at(move.from)].turns;
    turned.insert(iterator_at(turned, place_of(dag_.parents(move.from), move.to)), minus_infinity);  // rescored next
}

std::uint64_t State::hash_after(const Move& move) const {
    std::uint64_t hash = hash_ ^ arc_hash(move.from, move.to);
    return move.kind == MoveKind::reverse ? hash ^ arc_hash(move.to, move.from) : hash;
}

bool State::is_tabu(const Move& move, const Visited& tabu) const {
    return !tabu.empty() && std::find(tabu.begin(), tabu.end(), hash_after(move)) != tabu.end();
}

// ---- what moves gain

// Of an arc that is not there.
double State::gain_of_adding(int from, int to) {
    const Row& row = rows_[at(to)];
    for (const Addition& addition : row.additions) {
        if (addition.from == from) return addition.gain;
    }
    if (row.rest == minus_infinity || !possible_.can_add(from, to, dag_.parents(to).size())) return minus_infinity;
    double score = minus_infinity;
    criterion_.toggled({to, dag_.parents(to), {&from, 1}, &score});
    return gain(score, row.local);
}

// What the reverse of an arc that is there would gain, had the arc been removed.
double& State::turn(int from, int to) { return rows_[at(to)].turns[place_of(dag_.parents(to), from)]; }

// What changes to the parents of each variable would gain; their local scores are known.
void State::rescore(const std::vector<int>& variables) {
    candidates_.resize(std::max(candidates_.size(), variables.size()));
    scores_.resize(candidates_.size());
    std::vector<Toggles> toggles;
    for (std::size_t k = 0; k < variables.size(); ++k) {
        int v = variables[k];
        const auto& parents = dag_.parents(v);
        candidates_[k].clear();
        auto next = parents.begin();
        for (int u = 0; u < n_; ++u) {
            bool is_parent = next != parents.end() && *next == u;
            if (is_parent) ++next;
            if (!is_parent && !possible_.can_add(u, v, parents.size())) continue;
            candidates_[k].push_back(u);
            bool no_parents = parents.empty() && dag_.parents(u).empty();
            if (no_parents && (knows_moves_ || u < v) && possible_.can_add(v, u, 0)) ++mirrored_;
        }
        scores_[k].resize(candidates_[k].size());
        toggles.push_back({v, parents, candidates_[k], scores_[k].data()});
    }
    criterion_.toggled(toggles);
    for (std::size_t k = 0; k < variables.size(); ++k) fill_row(variables[k], candidates_[k], scores_[k].data());
}

void State::fill_row(int v, const std::vector<int>& candidates, const double* scores) {
    Row& row = rows_[at(v)];
    const auto& parents = dag_.parents(v);
    row.additions.clear();
    row.removals.clear();
    for (int c : dag_.children(v)) turn(v, c) = minus_infinity;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        int u = candidates[i];
        double gained = gain(scores[i], row.local);
        if (row.removals.size() < parents.size() && parents[row.removals.size()] == u) {
            row.removals.push_back(gained);
        } else if (gained > minus_infinity) {
            row.additions.push_back({gained, u});
        }
    }
    for (int c : dag_.children(v)) {
        std::size_t i = place_of(candidates, c);
        if (i < candidates.size() && candidates[i] == c) turn(v, c) = gain(scores[i], row.local);
        set_bound(c);
    }
    keep_additions(row);
    set_bound(v);
}

void State::keep_additions(Row& row) {
    auto better = [](const Addition& a, const Addition& b) {
        return std::tuple(-a.gain, a.from) < std::tuple(-b.gain, b.from);
    };
    auto& all = row.additions;
    auto helps = [](const Addition& addition) { return addition.gain > 0.0; };
    std::size_t helping = static_cast<std::size_t>(std::partition(all.begin(), all.end(), helps) - all.begin());
    row.rest = minus_infinity;
    if (helping + row.others < all.size()) {
        auto last = iterator_at(all, helping + row.others);
        std::nth_element(iterator_at(all, helping), last, all.end(), better);
        row.rest = last->gain;
        all.erase(last, all.end());
    }
    std::sort(all.begin(), all.end(), better);
    if (all.capacity() > 2 * all.size() + 16) all = std::vector<Addition>(all);  // gives back the memory of the others
}

void State::refill(int v) {
    Row& row = rows_[at(v)];
    row.others = std::max(2 * row.others, some_others);
    rescore({v});
}

void State::add_up() {
    score_ = 0.0;
    for (const Row& row : rows_) score_ += row.local;
}

}  // namespace veridag
