// The sets that the operators of one pair of variables are tried with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "search/ges/pattern.hpp"
#include "search/sets.hpp"

namespace veridag::ges_search {

// So many cliques are looked at for one pair. Where there are more, a search among them takes the place of trying all:
// their number doubles with each variable that all others are joined to.
constexpr std::size_t most_cliques = 64;

// All cliques in `pool` of at most `limit` members, the empty one first; none if there are more than most_cliques.
std::optional<std::vector<Set>> all_cliques(const Pattern& g, const Set& pool, int limit);

inline void toggle(Set& set, int v) {
    auto place = std::lower_bound(set.begin(), set.end(), v);
    if (place != set.end() && *place == v) {
        set.erase(place);
    } else {
        set.insert(place, v);
    }
}

// Adds or removes one member of a clique in `pool` as long as that raises gain(clique) by more than `tolerance`, the
// best first and of those that tie the first; calls visit(clique, gain) with the first clique and those it moves to.
template <class Gain, class Visit>
void climb_cliques(const Pattern& g, const Set& pool, Set clique, int limit, double tolerance, Gain&& gain,
                   Visit&& visit) {
    double reached = gain(clique);
    while (true) {
        visit(clique, reached);
        int changed = -1;
        double most = reached;
        for (int v : pool) {
            bool is_member = contains(clique, v);
            if (!is_member && (static_cast<int>(clique.size()) >= limit || !g.joins_all(v, clique))) continue;
            toggle(clique, v);
            double gained = gain(clique);
            toggle(clique, v);
            if (!(gained > most + tolerance)) continue;
            most = gained;
            changed = v;
        }
        if (changed < 0) return;
        toggle(clique, changed);
        reached = most;
    }
}

}  // namespace veridag::ges_search
