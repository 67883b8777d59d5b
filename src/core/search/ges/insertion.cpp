#include <algorithm>
#include <iterator>
#include <span>

#include "search/ges/cliques.hpp"
#include "search/ges/operators.hpp"

namespace veridag::ges_search {
namespace {

// So many families are scored between two looks at the progress.
constexpr std::size_t batch = 2048;

// With more variables, the scores of a target are computed again when it is looked at again: to keep those of all pairs
// would take gigabytes.
constexpr int most_with_rows = 2048;

}  // namespace

Insertion::Insertion(State& state) : Kind(state), rows_(at(g.size())) {}

// NA_YX and T together are a clique C of neighbours of y, and T is what of C is not joined to x.
std::vector<Operator> Insertion::operators(int y, double least) {
    std::vector<Operator> found;
    Wanted wanted;
    want(y, sources(y), wanted, least, found);
    add(y, wanted, least, found);
    return found;
}

bool Insertion::is_open(Operator& op) {
    if (s.constraints.bans(op.x, op.y)) {
        // A parent of x that is not joined to y compels x -> y, and so does one of y that is not joined to x. It saves
        // carrying out an operator only to find that.
        if (!g.joins_all(op.y, g.parents(op.x)) || !g.joins_all(op.x, g.parents(op.y))) return false;
    }
    return !leads(op, united(g.joined_to(op.x, g.neighbours(op.y)), op.set));
}

void Insertion::apply(const Operator& op) {
    s.here.insert(op.x, op.y, united(g.joined_to(op.x, g.neighbours(op.y)), op.set));
}

Set Insertion::sources(int y) const {
    Set found;
    auto next = g.adjacent(y).begin(), end = g.adjacent(y).end();
    for (int x = 0; x < g.size(); ++x) {
        if (next != end && *next == x) {
            ++next;
            continue;
        }
        if (x == y || (s.constraints.bans(x, y) && s.constraints.bans(y, x))) continue;
        if (s.barred != std::pair(x, y)) found.push_back(x);
    }
    return found;
}

// Most sources are joined to no neighbour of y, and share their cliques.
void Insertion::want(int y, const Set& sources, Wanted& wanted, double least, std::vector<Operator>& found) {
    const Set& neighbours = g.neighbours(y);
    int room = s.constraints.max_indegree() - 1 - static_cast<int>(g.parents(y).size());
    if (room < 0) return;
    Set close, shared;
    for (int u : neighbours) close.insert(close.end(), g.adjacent(u).begin(), g.adjacent(u).end());
    std::sort(close.begin(), close.end());
    auto all = all_cliques(g, neighbours, room);
    for (int x : sources) {
        if (all && !contains(close, x)) {
            shared.push_back(x);
            continue;
        }
        Set common = g.joined_to(x, neighbours), pool;
        if (static_cast<int>(common.size()) > room || !g.is_clique(common)) continue;
        for (int t : neighbours) {
            if (!contains(common, t) && g.joins_all(t, common)) pool.push_back(t);
        }
        auto cliques = all_cliques(g, pool, room - static_cast<int>(common.size()));
        if (!cliques) {
            grow(x, y, common, pool, least, found);
            continue;
        }
        for (const Set& t : *cliques) {
            if (is_allowed(x, y, t)) wanted[united(common, t)].push_back(x);
        }
    }
    if (!all || shared.empty()) return;
    for (const Set& t : *all) {
        Set& xs = wanted[t];
        Set allowed;
        std::copy_if(shared.begin(), shared.end(), std::back_inserter(allowed),
                     [&](int x) { return is_allowed(x, y, t); });
        xs = united(xs, allowed);
    }
}

void Insertion::add(int y, const Wanted& wanted, double least, std::vector<Operator>& found) {
    Rows rows;
    for (const auto& [clique, xs] : wanted) {
        if (xs.empty()) continue;
        Set base = united(g.parents(y), clique);
        Row& row = rows[base];
        if (auto known = rows_[at(y)].find(base); known != rows_[at(y)].end()) row = std::move(known->second);
        complete(row, y, base, xs);
        if (s.progress.stopped()) return;
        std::size_t k = 0;
        for (int x : xs) {
            while (row.with[k].first < x) ++k;
            double gain = s.gain(row.with[k].second, row.alone);
            if (gain > least) found.push_back({gain, x, y, g.apart_from(x, clique)});
        }
    }
    if (g.size() <= most_with_rows) rows_[at(y)] = std::move(rows);
}

void Insertion::grow(int x, int y, const Set& common, const Set& pool, double least, std::vector<Operator>& found) {
    int room = s.constraints.max_indegree() - 1 - static_cast<int>(g.parents(y).size() + common.size());
    auto gain = [&](const Set& t) {
        if (!is_allowed(x, y, t)) return minus_infinity;
        Set base = united(g.parents(y), united(common, t));
        return s.gain(s.local(y, with(base, x)), s.local(y, base));
    };
    climb_cliques(g, pool, {}, room, s.tolerance(), gain, [&](const Set& t, double gained) {
        if (gained > least) found.push_back({gained, x, y, t});
    });
}

void Insertion::complete(Row& row, int y, const Set& base, const Set& xs) {
    Set missing;
    std::size_t k = 0;
    for (int x : xs) {
        while (k < row.with.size() && row.with[k].first < x) ++k;
        if (k == row.with.size() || row.with[k].first != x) missing.push_back(x);
    }
    if (row.with.empty()) row.alone = s.local(y, base);
    if (missing.empty()) return;
    std::size_t known = row.with.size();
    for (std::size_t first = 0; first < missing.size() && !s.stop(); first += batch) {
        std::span<const int> some(missing.data() + first, std::min(batch, missing.size() - first));
        scores_.resize(some.size());
        s.criterion.toggled(y, base, some, scores_.data());
        for (std::size_t i = 0; i < some.size(); ++i) row.with.emplace_back(some[i], scores_[i]);
    }
    std::inplace_merge(row.with.begin(), row.with.begin() + static_cast<std::ptrdiff_t>(known), row.with.end());
}

// Every t in T and x are the ends of a v-structure at y.
bool Insertion::is_allowed(int x, int y, const Set& t) const {
    if (s.constraints.empty() || t.empty()) return true;
    return !s.constraints.bans(x, y) &&
           std::none_of(t.begin(), t.end(), [&](int v) { return s.constraints.bans(v, y); });
}

}  // namespace veridag::ges_search
