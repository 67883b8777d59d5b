#include "search/order/order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "random.hpp"

namespace veridag {
namespace {

using Mask = std::uint64_t;  // over the candidate parents of one child

constexpr std::size_t max_candidates = 63;
constexpr double max_sets = 2e7;               // over all children: about 2 GB with the criterion's own memory of them
constexpr std::size_t scored_at_a_time = 64;   // between two looks at the reporter
constexpr std::int64_t steps_at_a_time = 1000;
constexpr int calibration_moves = 1000;

std::size_t at(int i) { return static_cast<std::size_t>(i); }
Mask bit(std::size_t i) { return Mask{1} << i; }
Mask lowest(Mask set) { return set & (~set + 1); }

std::string text(auto value) { return std::to_string(value); }

int below(int n, Stream& random) { return static_cast<int>(random.uniform() * n); }

// The parent sets that a child may have, best first; those with minus infinity are left out.
struct Choices {
    std::vector<int> candidates;  // ascending; bit i of a mask stands for candidates[i]
    Mask required = 0;
    std::vector<Mask> sets;
    std::vector<double> scores;

    // The best set whose members are all in `before`; sets.size() if there is none.
    std::size_t first(Mask before) const {
        std::size_t i = 0;
        while (i < sets.size() && (sets[i] & ~before)) ++i;
        return i;
    }

    double best(Mask before) const {
        std::size_t i = first(before);
        return i < sets.size() ? scores[i] : minus_infinity;
    }

    // As the sets are sorted, all that come after one that is negligible are negligible too.
    double average(Mask before) const {
        std::size_t i = first(before);
        if (i == sets.size()) return minus_infinity;
        double largest = scores[i], negligible = largest - 40.0 - std::log(static_cast<double>(sets.size())), sum = 1.0;
        while (++i < sets.size() && scores[i] > negligible) {
            if (!(sets[i] & ~before)) sum += std::exp(scores[i] - largest);
        }
        return largest + std::log(sum);
    }

    Mask mask(std::span<const int> parents) const {
        Mask all = 0;
        for (int u : parents) {
            auto place = std::lower_bound(candidates.begin(), candidates.end(), u);
            all |= bit(static_cast<std::size_t>(place - candidates.begin()));
        }
        return all;
    }

    std::vector<int> members(Mask set) const {
        std::vector<int> parents;
        for (; set; set &= set - 1) parents.push_back(candidates[static_cast<std::size_t>(std::countr_zero(set))]);
        return parents;
    }
};

void validate(const OrderSettings& settings) {
    auto fail = [](const char* what, auto value, const char* remedy) { throw std::invalid_argument(what + text(value) + remedy); };
    if (settings.candidates < 0 || at(settings.candidates) > max_candidates) fail("candidates is ", settings.candidates, ": it must be from 0 to 63");
    if (settings.max_indegree < 0) fail("max_indegree is ", settings.max_indegree, ": it must be 0 or more");
    if (settings.steps < 0) fail("steps is ", settings.steps, ": it must be 0 or more");
    double last = settings.final_temperature, first = settings.initial_temperature;
    if (!(last > 0.0) || !std::isfinite(last)) fail("final_temperature is ", last, ": it must be finite and above 0");
    if (first == 0.0) return;
    if (!(first >= last) || !std::isfinite(first)) {
        fail("initial_temperature is ", first, ": it must be finite and at least final_temperature, or 0 to take one from the data");
    }
}

// Scores the parent sets of every child.
class Preparation {
   public:
    Preparation(Criterion& criterion, const Constraints& constraints, const OrderSettings& settings, const Matrix* start, Reporter& reporter)
        : criterion_(criterion),
          constraints_(constraints),
          settings_(settings),
          start_(start),
          reporter_(reporter),
          n_(criterion.variables()),
          max_indegree_(std::min(settings.max_indegree, constraints.max_indegree)),
          choices_(at(n_)) {}

    // If the reporter stops the work, children keep the sets scored so far and at least the one they had in the beginning.
    std::vector<Choices> choices() {
        score_initial_sets();
        for (int v = 0; v < n_; ++v) choose_candidates(v);
        check_size();
        for (int v = 0; v < n_; ++v) score_sets(v);
        return std::move(choices_);
    }

   private:
    bool stop() { return reporter_.stop(0, initial_score_); }

    bool allowed(int u, int v) const { return u != v && !constraints_.is_forbidden(u, v, n_); }
    bool in_start(int u, int v) const { return start_ && (*start_)[at(u) * at(n_) + at(v)]; }

    // The parents of v in the start if the constraints allow them, otherwise the required ones.
    void score_initial_sets() {
        for (int v = 0; v < n_; ++v) {
            std::vector<int> required, started;
            bool keeps_required = true, keeps_allowed = true;
            for (int u = 0; u < n_; ++u) {
                if (constraints_.is_required(u, v, n_)) {
                    if (!allowed(u, v)) throw std::invalid_argument("the arc from variable " + text(u) + " to variable " + text(v) + " is required and forbidden, or from a variable to itself: drop it");
                    required.push_back(u);
                    keeps_required &= in_start(u, v);
                }
                if (in_start(u, v)) {
                    started.push_back(u);
                    keeps_allowed &= allowed(u, v);
                }
            }
            if (static_cast<int>(required.size()) > max_indegree_) {
                throw std::invalid_argument("max_indegree is " + text(max_indegree_) + " and variable " + text(v) + " has " + text(required.size()) + " required parents: raise it");
            }
            bool keep = start_ && keeps_required && keeps_allowed && static_cast<int>(started.size()) <= max_indegree_;
            required_.push_back(required);
            initial_.push_back(keep ? started : required);
            initial_scores_.push_back(criterion_.local(v, initial_.back()));
            initial_score_ += initial_scores_.back();
        }
    }

    // Required parents, those in the start, and the best ones alone. The gain of u is local(v | u) - local(v | nothing), and the
    // latter is the same for all.
    void choose_candidates(int v) {
        std::vector<int> chosen = initial_[at(v)], others;
        for (int u = 0; u < n_; ++u) {
            if (!allowed(u, v)) continue;
            others.push_back(u);
            if (in_start(u, v) || constraints_.is_required(u, v, n_)) chosen.push_back(u);
        }
        // Where every set is decided already there is nothing to rank.
        if (static_cast<int>(required_[at(v)].size()) < max_indegree_) {
            std::vector<double> alone(others.size());
            for (std::size_t from = 0; from < others.size() && !stop(); from += scored_at_a_time) {
                std::size_t count = std::min(scored_at_a_time, others.size() - from);
                criterion_.toggled(v, {}, std::span(others).subspan(from, count), alone.data() + from);
            }
            if (!stop()) {
                std::vector<std::size_t> ranked(others.size());
                std::iota(ranked.begin(), ranked.end(), std::size_t{0});
                std::stable_sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) { return alone[a] > alone[b]; });
                ranked.resize(std::min(ranked.size(), at(settings_.candidates)));
                for (std::size_t i : ranked) chosen.push_back(others[i]);
            }
        }
        std::sort(chosen.begin(), chosen.end());
        chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
        if (chosen.size() > max_candidates) {
            throw std::invalid_argument("candidates is " + text(settings_.candidates) + " and variable " + text(v) + " has " + text(chosen.size()) + " with those required and in the start: lower it, 63 are possible");
        }
        choices_[at(v)].candidates = std::move(chosen);
        choices_[at(v)].required = choices_[at(v)].mask(required_[at(v)]);
    }

    void check_size() const {
        double total = 0.0;
        for (int v = 0; v < n_; ++v) {
            double others = static_cast<double>(choices_[at(v)].candidates.size() - required_[at(v)].size());
            double ways = 1.0, sets = 1.0;
            for (int k = 1; k <= max_indegree_ - static_cast<int>(required_[at(v)].size()) && k <= others; ++k) {
                ways *= (others - k + 1) / k;
                sets += ways;
            }
            total += sets;
            if (total > max_sets) {
                throw std::invalid_argument("candidates is " + text(settings_.candidates) + " and max_indegree " + text(max_indegree_) + ": with variable " + text(v) + ", which has " +
                                            text(choices_[at(v)].candidates.size()) + " candidates, there are more than 20 million parent sets; lower either");
            }
        }
    }

    struct Scored {
        Mask set;
        double score;
    };

    // Sets by size, each from the one without its last member.
    void score_sets(int v) {
        Choices& choices = choices_[at(v)];
        std::size_t spare = at(max_indegree_) - required_[at(v)].size();
        Mask others = (bit(choices.candidates.size()) - 1) & ~choices.required;
        std::unordered_map<Mask, double> best_within;  // of a set and all its subsets
        std::vector<Scored> kept;
        auto add = [&](Mask set, double score) {
            double below_it = minus_infinity;
            for (Mask rest = set & others; rest; rest &= rest - 1) below_it = std::max(below_it, best_within.at(set ^ lowest(rest)));
            // A set that is no better than a subset is never needed for the best: the subset fits wherever the set does.
            bool better = below_it == minus_infinity || score > below_it + tie * std::abs(below_it);
            best_within[set] = better ? score : below_it;
            if (score > minus_infinity && (better || settings_.average)) kept.push_back({set, score});
        };
        if (!stop()) add(choices.required, criterion_.local(v, required_[at(v)]));
        std::vector<Mask> smaller{choices.required}, larger;
        std::vector<double> scores;
        for (std::size_t size = 0; size < spare && !smaller.empty(); ++size) {
            larger.clear();
            for (Mask base : smaller) {
                Mask present = base & others;
                Mask later = present ? others & ~(std::bit_floor(present) | (std::bit_floor(present) - 1)) : others;
                if (!later) continue;
                if (stop()) break;
                std::vector<int> added = choices.members(later);
                scores.resize(added.size());
                criterion_.toggled(v, choices.members(base), added, scores.data());
                for (std::size_t i = 0; later; later &= later - 1, ++i) {
                    larger.push_back(base | lowest(later));
                    add(larger.back(), scores[i]);
                }
            }
            if (stop()) break;
            smaller.swap(larger);
        }
        if (stop()) keep_initial(v, kept);
        std::sort(kept.begin(), kept.end(), [](const Scored& a, const Scored& b) {
            if (a.score != b.score) return a.score > b.score;
            int in_a = std::popcount(a.set), in_b = std::popcount(b.set);
            return in_a != in_b ? in_a < in_b : a.set < b.set;
        });
        for (const Scored& one : kept) {
            choices.sets.push_back(one.set);
            choices.scores.push_back(one.score);
        }
    }

    void keep_initial(int v, std::vector<Scored>& kept) const {
        Mask initial = choices_[at(v)].mask(initial_[at(v)]);
        bool there = std::any_of(kept.begin(), kept.end(), [&](const Scored& one) { return one.set == initial; });
        if (!there && initial_scores_[at(v)] > minus_infinity) kept.push_back({initial, initial_scores_[at(v)]});
    }

    Criterion& criterion_;
    const Constraints& constraints_;
    const OrderSettings& settings_;
    const Matrix* start_;
    Reporter& reporter_;
    int n_, max_indegree_;
    std::vector<std::vector<int>> required_, initial_;
    std::vector<double> initial_scores_;
    double initial_score_ = 0.0;
    std::vector<Choices> choices_;
};

// A random order compatible with the required arcs and the start: of the variables without a predecessor left, any one comes next.
std::vector<int> starting_order(int n, const Constraints& constraints, const Matrix* start, Stream& random) {
    std::vector<std::vector<int>> after(at(n));
    std::vector<int> waiting_for(at(n), 0), ready, order;
    for (int u = 0; u < n; ++u) {
        for (int v = 0; v < n; ++v) {
            if (!constraints.is_required(u, v, n) && !(start && (*start)[at(u) * at(n) + at(v)])) continue;
            after[at(u)].push_back(v);
            ++waiting_for[at(v)];
        }
    }
    for (int v = 0; v < n; ++v) {
        if (waiting_for[at(v)] == 0) ready.push_back(v);
    }
    while (!ready.empty()) {
        std::swap(ready[at(below(static_cast<int>(ready.size()), random))], ready.back());
        int u = ready.back();
        ready.pop_back();
        order.push_back(u);
        for (int v : after[at(u)]) {
            if (--waiting_for[at(v)] == 0) ready.push_back(v);
        }
    }
    if (order.size() < at(n)) throw std::invalid_argument("the required arcs, with those of the start, have a cycle: drop one of them");
    return order;
}

// The score of an order. Children without any set (by the prior, or as all their families are singular) are counted apart, so that
// orders that have the same of them can still be compared, and fewer is better.
struct Total {
    int impossible = 0;
    double sum = 0.0;

    void add(double value) {
        if (value == minus_infinity) ++impossible;
        else sum += value;
    }
    void subtract(double value) {
        if (value == minus_infinity) --impossible;
        else sum -= value;
    }
    double score() const { return impossible ? minus_infinity : sum; }
    bool better_than(const Total& other) const {
        return impossible != other.impossible ? impossible < other.impossible : sum > other.sum + tie * std::abs(other.sum);
    }
};

// Positions in the order: either the two variables swap, or the one at `from` goes to `to` and those in between make room.
struct Move {
    bool swap;
    int from, to;
};

Move random_move(int n, Stream& random) {
    double kind = random.uniform();
    if (kind < 0.5) {
        int i = below(n - 1, random);
        return {true, i, i + 1};
    }
    int i = below(n, random), j = below(n - 1, random);
    if (j >= i) ++j;
    return kind < 0.625 ? Move{true, std::min(i, j), std::max(i, j)} : Move{false, i, j};
}

// An order with the score of every child in it.
class Walk {
   public:
    Walk(const std::vector<Choices>& choices, bool average)
        : choices_(choices), average_(average), n_(static_cast<int>(choices.size())), bits_(at(n_) * at(n_), 0), before_(at(n_)), values_(at(n_)) {
        for (int v = 0; v < n_; ++v) {
            const std::vector<int>& candidates = choices_[at(v)].candidates;
            for (std::size_t i = 0; i < candidates.size(); ++i) bits_[at(v) * at(n_) + at(candidates[i])] = bit(i);
        }
    }

    void set(std::vector<int> order) {
        order_ = std::move(order);
        std::fill(before_.begin(), before_.end(), 0);
        for (int i = 0; i < n_; ++i) {
            for (int j = 0; j < i; ++j) before_[at(order_[at(i)])] |= as_parent(order_[at(j)], order_[at(i)]);
        }
        for (int v = 0; v < n_; ++v) values_[at(v)] = value(v, before_[at(v)]);
        sum_anew();
    }

    const std::vector<int>& order() const { return order_; }
    const Total& total() const { return total_; }

    // Takes away the rounding that many differences add up to.
    void sum_anew() {
        total_ = {};
        for (double value : values_) total_.add(value);
    }

    // What the move adds to the total; nothing if it puts a required parent after its child.
    std::optional<Total> propose(Move move) {
        changes_.clear();
        Total change;
        bool possible = move.swap ? propose_swap(move.from, move.to, change) : propose_insertion(move.from, move.to, change);
        if (!possible) return std::nullopt;
        return change;
    }

    // Makes the move proposed last.
    void make(Move move, const Total& change) {
        for (const Change& one : changes_) {
            before_[at(one.child)] = one.before;
            values_[at(one.child)] = one.value;
        }
        total_.impossible += change.impossible;
        total_.sum += change.sum;
        auto place = [&](int i) { return order_.begin() + i; };
        if (move.swap) std::iter_swap(place(move.from), place(move.to));
        else if (move.from < move.to) std::rotate(place(move.from), place(move.from) + 1, place(move.to) + 1);
        else std::rotate(place(move.to), place(move.from), place(move.from) + 1);
    }

    // The best place for the variable at `from`, or `from` if none gains.
    int best_place(int from) const {
        int x = order_[at(from)], best = from;
        Total highest = total_;
        for (int direction : {-1, 1}) {
            Total others = total_;
            others.subtract(values_[at(x)]);
            Mask before = before_[at(x)];
            for (int to = from + direction; to >= 0 && to < n_; to += direction) {
                int w = order_[at(to)];
                // x passes w: to the left w comes to have x before it, to the right it no longer has.
                Mask w_before = before_[at(w)] ^ as_parent(x, w);
                before ^= as_parent(w, x);
                if (misses_required(w, w_before) || misses_required(x, before)) break;
                others.subtract(values_[at(w)]);
                others.add(value(w, w_before));
                Total moved = others;
                moved.add(value(x, before));
                if (!moved.better_than(highest)) continue;
                highest = moved;
                best = to;
            }
        }
        return best;
    }

    // The best DAG given the order. A child without any set is left with its required parents.
    Matrix dag() const {
        Matrix arcs(at(n_) * at(n_), 0);
        for (int v = 0; v < n_; ++v) {
            const Choices& choices = choices_[at(v)];
            std::size_t i = choices.first(before_[at(v)]);
            for (int u : choices.members(i < choices.sets.size() ? choices.sets[i] : choices.required)) arcs[at(u) * at(n_) + at(v)] = 1;
        }
        return arcs;
    }

   private:
    struct Change {
        int child;
        Mask before;
        double value;
    };

    Mask as_parent(int u, int v) const { return bits_[at(v) * at(n_) + at(u)]; }
    bool misses_required(int v, Mask before) const { return choices_[at(v)].required & ~before; }
    double value(int v, Mask before) const { return average_ ? choices_[at(v)].average(before) : choices_[at(v)].best(before); }

    bool change_child(int v, Mask before, Total& change) {
        if (before == before_[at(v)]) return true;
        if (misses_required(v, before)) return false;
        double changed = value(v, before);
        change.subtract(values_[at(v)]);
        change.add(changed);
        changes_.push_back({v, before, changed});
        return true;
    }

    bool propose_swap(int i, int j, Total& change) {
        int x = order_[at(i)], y = order_[at(j)];
        Mask passed_by_x = as_parent(y, x), passed_by_y = as_parent(x, y);
        for (int k = i + 1; k < j; ++k) {
            int w = order_[at(k)];
            passed_by_x |= as_parent(w, x);
            passed_by_y |= as_parent(w, y);
            if (!change_child(w, (before_[at(w)] & ~as_parent(x, w)) | as_parent(y, w), change)) return false;
        }
        return change_child(x, before_[at(x)] | passed_by_x, change) && change_child(y, before_[at(y)] & ~passed_by_y, change);
    }

    bool propose_insertion(int from, int to, Total& change) {
        int x = order_[at(from)], direction = from < to ? 1 : -1;
        Mask passed = 0;
        for (int k = from; k != to;) {
            k += direction;
            int w = order_[at(k)];
            passed |= as_parent(w, x);
            if (!change_child(w, before_[at(w)] ^ as_parent(x, w), change)) return false;
        }
        return change_child(x, before_[at(x)] ^ passed, change);
    }

    const std::vector<Choices>& choices_;
    bool average_;
    int n_;
    std::vector<Mask> bits_;  // [v, u]: the bit of u among the candidates of v, 0 if it is none
    std::vector<int> order_;
    std::vector<Mask> before_;     // which candidates come before their child
    std::vector<double> values_;   // the children's terms of the total
    Total total_;
    std::vector<Change> changes_;  // of the move proposed last
};

// The mean loss of random moves that lose.
double typical_loss(Walk& walk, int n, Stream& random) {
    double sum = 0.0;
    int losses = 0;
    for (int k = 0; k < calibration_moves; ++k) {
        std::optional<Total> change = walk.propose(random_move(n, random));
        if (!change || change->impossible != 0 || !(change->sum < 0.0)) continue;
        sum -= change->sum;
        ++losses;
    }
    return losses ? sum / losses : 0.0;
}

bool accept(const Total& change, double temperature, Stream& random) {
    if (change.impossible != 0) return change.impossible < 0;
    return change.sum >= 0.0 || random.uniform() < std::exp(change.sum / temperature);
}

// Leaves the walk at the best order seen; returns the number of steps made.
std::int64_t anneal(Walk& walk, int n, const OrderSettings& settings, double temperature, Stream& random, Reporter& reporter) {
    double cooling = settings.steps > 1 ? std::pow(settings.final_temperature / temperature, 1.0 / static_cast<double>(settings.steps - 1)) : 1.0;
    std::vector<int> best_order = walk.order();
    Total best = walk.total();
    std::int64_t step = 0;
    for (; step < settings.steps; ++step, temperature *= cooling) {
        if (step % steps_at_a_time == 0) {
            if (reporter.stop(step, best.score())) break;
            walk.sum_anew();
        }
        Move move = random_move(n, random);
        std::optional<Total> change = walk.propose(move);
        if (!change || !accept(*change, temperature, random)) continue;
        walk.make(move, *change);
        if (!walk.total().better_than(best)) continue;
        best = walk.total();
        best_order = walk.order();
    }
    walk.set(std::move(best_order));
    return step;
}

void descend(Walk& walk, std::int64_t steps, Reporter& reporter) {
    // Variables in the order's own order rather than by index, each once a round even if others move.
    for (bool gained = true; gained;) {
        gained = false;
        for (int x : std::vector<int>(walk.order())) {
            if (reporter.stop(steps, walk.total().score())) return;
            int from = static_cast<int>(std::find(walk.order().begin(), walk.order().end(), x) - walk.order().begin());
            int to = walk.best_place(from);
            if (to == from) continue;
            Move move{false, from, to};
            walk.make(move, *walk.propose(move));
            walk.sum_anew();
            gained = true;
        }
    }
}

double score_of(Criterion& criterion, const Matrix& dag) {
    int n = criterion.variables();
    double sum = 0.0;
    for (int v = 0; v < n; ++v) {
        std::vector<int> parents;
        for (int u = 0; u < n; ++u) {
            if (dag[at(u) * at(n) + at(v)]) parents.push_back(u);
        }
        sum += criterion.local(v, parents);
    }
    return sum;
}

}  // namespace

OrderResult anneal_orders(Criterion& criterion, const Constraints& constraints, const OrderSettings& settings, const Matrix* start, Reporter& reporter) {
    validate(settings);
    int n = criterion.variables();
    Stream random(settings.seed, 0, 0);
    std::vector<int> order = starting_order(n, constraints, start, random);
    std::vector<Choices> choices = Preparation(criterion, constraints, settings, start, reporter).choices();
    Walk walk(choices, settings.average);
    walk.set(std::move(order));
    OrderResult result{};
    if (n > 1 && settings.steps > 0 && !reporter.stopped()) {
        double temperature = settings.initial_temperature;
        if (temperature == 0.0) temperature = std::max(settings.final_temperature, typical_loss(walk, n, random));
        result.initial_temperature = temperature;
        result.steps = anneal(walk, n, settings, temperature, random, reporter);
    }
    if (!reporter.stopped()) descend(walk, result.steps, reporter);
    result.dag = walk.dag();
    result.order = walk.order();
    result.score = score_of(criterion, result.dag);
    result.interrupted = reporter.stopped();
    return result;
}

double order_score(Criterion& criterion, const Constraints& constraints, const OrderSettings& settings, std::span<const int> order) {
    validate(settings);
    Reporter nobody{Report{}};
    std::vector<Choices> choices = Preparation(criterion, constraints, settings, nullptr, nobody).choices();
    Walk walk(choices, settings.average);
    walk.set({order.begin(), order.end()});
    return walk.total().score();
}

}  // namespace veridag
