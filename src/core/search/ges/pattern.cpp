#include "search/ges/pattern.hpp"

#include <utility>

namespace veridag::ges_search {

Set Pattern::joined_to(int v, const Set& set) const {
    Set found;
    std::copy_if(set.begin(), set.end(), std::back_inserter(found), [&](int u) { return u != v && joined(u, v); });
    return found;
}

Set Pattern::apart_from(int v, const Set& set) const {
    Set found;
    std::copy_if(set.begin(), set.end(), std::back_inserter(found), [&](int u) { return u != v && !joined(u, v); });
    return found;
}

Set Pattern::become(Matrix next) {
    Set touched;
    for (int i = 0; i < size(); ++i) {
        std::span<const Byte> before = matrix_.row(i), after = next.row(i);
        if (std::equal(before.begin(), before.end(), after.begin())) continue;
        for (int j = 0; j < size(); ++j) {
            if (before[at(j)] == after[at(j)]) continue;
            touched.insert(touched.end(), {i, j});
            adjacent_[at(i)] = with(std::move(adjacent_[at(i)]), j);
            adjacent_[at(j)] = with(std::move(adjacent_[at(j)]), i);
        }
    }
    matrix_ = std::move(next);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (int v : touched) list_surroundings(v);
    return touched;
}

void Pattern::list_surroundings(int v) {
    std::erase_if(adjacent_[at(v)], [&](int u) { return !joined(u, v); });
    parents_[at(v)].clear();
    neighbours_[at(v)].clear();
    for (int u : adjacent_[at(v)]) {
        if (has_arc(u, v)) parents_[at(v)].push_back(u);
        if (has_edge(u, v)) neighbours_[at(v)].push_back(u);
    }
}

}  // namespace veridag::ges_search
