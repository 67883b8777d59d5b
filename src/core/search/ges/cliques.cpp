#include "search/ges/cliques.hpp"

#include <algorithm>

namespace veridag::ges_search {
namespace {

// A quick look: the subsets of one large clique are too many already.
bool has_too_many(const Pattern& g, const Set& pool, int limit) {
    Set clique;
    for (int v : pool) {
        if (static_cast<int>(clique.size()) == limit) break;
        if (g.joins_all(v, clique)) clique.push_back(v);
        if (std::size_t{1} << clique.size() > most_cliques) return true;
    }
    return false;
}

}  // namespace

std::optional<std::vector<Set>> all_cliques(const Pattern& g, const Set& pool, int limit) {
    if (has_too_many(g, pool, limit)) return std::nullopt;
    std::vector<Set> found;
    Set clique;
    auto grow = [&](auto&& self, std::size_t first) -> bool {
        if (found.size() == most_cliques) return false;
        found.push_back(clique);
        if (static_cast<int>(clique.size()) >= limit) return true;
        for (std::size_t k = first; k < pool.size(); ++k) {
            if (!std::all_of(clique.begin(), clique.end(), [&](int c) { return g.joined(c, pool[k]); })) continue;
            clique.push_back(pool[k]);
            bool is_complete = self(self, k + 1);
            clique.pop_back();
            if (!is_complete) return false;
        }
        return true;
    };
    if (limit >= 0 && !grow(grow, 0)) return std::nullopt;
    return found;
}

}  // namespace veridag::ges_search
