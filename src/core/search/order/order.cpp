#include "search/order/order.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "elementary.hpp"
#include "index.hpp"
#include "random.hpp"
#include "search/order/choices.hpp"
#include "search/order/walk.hpp"

namespace veridag {
namespace order_search {
namespace {

constexpr std::int64_t steps_at_a_time = 1000;  // between two looks at the progress
constexpr int calibration_moves = 1000;

void validate(const OrderSettings& settings) {
    auto fail = [](const char* what, auto value, const char* remedy) {
        throw std::invalid_argument(what + std::to_string(value) + remedy);
    };
    if (settings.candidates < 0 || settings.candidates > 63)
        fail("candidates is ", settings.candidates, ": it must be from 0 to 63");
    if (settings.steps < 0) fail("steps is ", settings.steps, ": it must be 0 or more");
    double last = settings.final_temperature, first = settings.initial_temperature;
    if (!(last > 0.0) || !std::isfinite(last)) fail("final_temperature is ", last, ": it must be finite and above 0");
    if (first == 0.0) return;
    if (!(first >= last) || !std::isfinite(first)) {
        fail("initial_temperature is ", first,
             ": it must be finite and at least final_temperature, or 0 to take one from the data");
    }
}

// A random order compatible with the required arcs and the start: of the variables without a predecessor left, any one
// comes next.
std::vector<int> starting_order(int n, const Constraints& constraints, const Matrix* start, Stream& random) {
    std::vector<std::vector<int>> after(at(n));
    std::vector<int> waiting_for(at(n), 0), ready, order;
    for (int u = 0; u < n; ++u) {
        for (int v = 0; v < n; ++v) {
            if (!constraints.is_required(u, v) && !(start && start->has(u, v))) continue;
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
    if (order.size() < at(n))
        throw std::invalid_argument("the required arcs, with those of the start, have a cycle: drop one of them");
    return order;
}

// The mean loss of random moves that lose. Orders of the same DAG tie, but for rounding.
double typical_loss(Walk& walk, int n, Stream& random) {
    double sum = 0.0, rounding = tie * std::max(1.0, std::abs(walk.total().sum));
    int losses = 0;
    for (int k = 0; k < calibration_moves; ++k) {
        std::optional<Total> change = walk.propose(random_move(n, random));
        if (!change || change->impossible != 0 || !(change->sum < -rounding)) continue;
        sum -= change->sum;
        ++losses;
    }
    return losses ? sum / losses : 0.0;
}

// A number is drawn in any case: whether a tie is a loss is a matter of rounding, and what follows must not depend on
// it.
bool accept(const Total& change, double temperature, Stream& random) {
    double drawn = random.uniform();
    if (change.impossible != 0) return change.impossible < 0;
    return change.sum >= 0.0 || drawn < elementary::exp(change.sum / temperature);
}

// Leaves the walk at the best order seen; returns the number of steps made.
std::int64_t anneal(Walk& walk, int n, const OrderSettings& settings, double temperature, Stream& random,
                    Progress& progress) {
    double cooling = settings.steps > 1 ? elementary::exp(elementary::log(settings.final_temperature / temperature) /
                                                          static_cast<double>(settings.steps - 1))
                                        : 1.0;
    std::vector<int> best_order = walk.order();
    Total best = walk.total();
    std::int64_t step = 0;
    for (; step < settings.steps; ++step, temperature *= cooling) {
        if (step % steps_at_a_time == 0) {
            if (progress.stop(step, best.score())) break;
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

void descend(Walk& walk, std::int64_t steps, Progress& progress) {
    // Variables in the order's own order rather than by index, each once a round even if others move.
    for (bool gained = true; gained;) {
        gained = false;
        for (int x : std::vector<int>(walk.order())) {
            if (progress.stop(steps, walk.total().score())) return;
            int from = static_cast<int>(std::find(walk.order().begin(), walk.order().end(), x) - walk.order().begin());
            int to = walk.best_place(from);
            if (to == from) continue;
            Move move{false, from, to};
            std::optional<Total> change = walk.propose(move);
            if (!change) continue;
            walk.make(move, *change);
            walk.sum_anew();
            gained = true;
        }
    }
}

}  // namespace
}  // namespace order_search

OrderResult anneal_orders(Criterion& criterion, const Constraints& constraints, const OrderSettings& settings,
                          const Matrix* start, Progress& progress) {
    using namespace order_search;
    validate(settings);
    int n = criterion.variables();
    Stream random(settings.seed, 0, 0);
    std::vector<int> order = starting_order(n, constraints, start, random);
    std::vector<Choices> choices = score_choices(criterion, constraints, settings, start, progress);
    Walk walk(choices, settings.average);
    walk.set(std::move(order));
    OrderResult result{};
    if (n > 1 && settings.steps > 0 && !progress.stopped()) {
        double temperature = settings.initial_temperature;
        if (temperature == 0.0) temperature = std::max(settings.final_temperature, typical_loss(walk, n, random));
        result.initial_temperature = temperature;
        result.steps = anneal(walk, n, settings, temperature, random, progress);
    }
    if (settings.descent && !progress.stopped()) descend(walk, result.steps, progress);
    result.dag = walk.dag();
    result.order = walk.order();
    for (int v = 0; v < n; ++v) result.score += criterion.local(v, result.dag.parents_of(v));
    result.interrupted = progress.stopped();
    return result;
}

double order_score(Criterion& criterion, const Constraints& constraints, const OrderSettings& settings,
                   std::span<const int> order) {
    using namespace order_search;
    validate(settings);
    Progress nobody;
    std::vector<Choices> choices = score_choices(criterion, constraints, settings, nullptr, nobody);
    Walk walk(choices, settings.average);
    walk.set({order.begin(), order.end()});
    return walk.total().score();
}

}  // namespace veridag
