#include "search/boss/iterate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

#include "elementary.hpp"
#include "index.hpp"
#include "search/boss/grow_shrink_tree.hpp"
#include "search/sets.hpp"

namespace veridag::boss_search {
namespace {

// A worse order is accepted if it loses less than an exponential variable with this mean. Losses grow with the rows and
// differ between networks, so that searches take turns with means that differ by factors of 4.
constexpr double least_temperature = 1.0, temperature_factor = 4.0;
constexpr int temperatures = 4;

constexpr int most_disturbances = 4;
constexpr std::int64_t looks_a_round = 50;  // that take as long as all else in a round

// Of the variables that may come next always the one with the lowest rank.
std::vector<int> order_by_rank(const ParentSets& families, const Constraints& constraints, std::span<const int> rank) {
    int n = constraints.variables();
    ParentSets children(at(n));
    std::vector<int> waiting(at(n), 0), order;
    using Entry = std::pair<int, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (int v = 0; v < n; ++v) {
        Set parents = constraints.required.parents_of(v);
        if (!families.empty()) parents = united(parents, families[at(v)]);
        for (int u : parents) children[at(u)].push_back(v);
        waiting[at(v)] = static_cast<int>(parents.size());
        if (parents.empty()) ready.emplace(rank[at(v)], v);
    }
    while (!ready.empty()) {
        int u = ready.top().second;
        ready.pop();
        order.push_back(u);
        for (int v : children[at(u)]) {
            if (--waiting[at(v)] == 0) ready.emplace(rank[at(v)], v);
        }
    }
    if (order.size() < at(n))
        throw std::invalid_argument("the required arcs, with those of the start, have a cycle: drop one of them");
    return order;
}

std::vector<int> random_order(const Constraints& constraints, Stream& random) {
    std::vector<int> rank(at(constraints.variables()));
    std::iota(rank.begin(), rank.end(), 0);
    for (int i = constraints.variables() - 1; i > 0; --i)
        std::swap(rank[at(i)], rank[at(static_cast<int>(random.uniform() * (i + 1)))]);
    return order_by_rank({}, constraints, rank);
}

// Until the best order has not changed for a while.
ListOrder improve(ListOrder current, double temperature, std::int64_t patience, Stream& random, Watch& watch) {
    current.climb(watch);
    ListOrder best = current, next = current;
    for (std::int64_t failed = 0; failed < patience && !watch.stop();) {
        next = current;
        int moves = 1 + static_cast<int>(random.uniform() * most_disturbances);
        next.disturb(moves, random);
        next.climb(watch);
        failed += looks_a_round + next.looks() - current.looks();
        double loss = -temperature * elementary::log(1.0 - random.uniform());
        if (is_better(next.score(), best.score())) {
            best = next;
            failed = 0;
        }
        if (!is_better(current.score() - loss, next.score())) std::swap(current, next);
    }
    return best;
}

}  // namespace

std::vector<int> order_of(const ParentSets& families, const Constraints& constraints) {
    std::vector<int> rank(at(constraints.variables()));
    std::iota(rank.begin(), rank.end(), 0);
    return order_by_rank(families, constraints, rank);
}

ListOrder iterate(const ListTable& table, const Constraints& constraints, std::vector<int> order,
                  const BossSettings& settings, Stream& random, Watch& watch) {
    ListOrder best(table, std::move(order));
    for (int r = 0; r < settings.restarts && !watch.stop(); ++r) {
        bool from_best = r == 0 || r % 2 == 1;
        ListOrder first = from_best ? best : ListOrder(table, random_order(constraints, random));
        double temperature = least_temperature;
        for (int step = r / 2 % temperatures; step > 0; --step) temperature *= temperature_factor;
        ListOrder found = improve(std::move(first), temperature, settings.patience * table.variables(), random, watch);
        if (is_better(found.score(), best.score())) best = std::move(found);
    }
    return best;
}

}  // namespace veridag::boss_search
