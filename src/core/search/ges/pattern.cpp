#include "search/ges/pattern.hpp"

#include <algorithm>
#include <iterator>

namespace veridag::ges_search {
namespace {

void keep(Set& set, int v, bool is_member) {
    auto place = std::lower_bound(set.begin(), set.end(), v);
    bool is_there = place != set.end() && *place == v;
    if (is_member && !is_there) set.insert(place, v);
    if (!is_member && is_there) set.erase(place);
}

}  // namespace

Pattern::Pattern(const Matrix& completed) : Pattern(completed.size()) {
    for (int i = 0; i < size(); ++i) {
        for (int j = 0; j < i; ++j) {
            if (completed.joined(i, j)) put(i, j, completed.has(i, j), completed.has(j, i));
        }
    }
}

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

bool Pattern::is_clique(const Set& set) const {
    for (std::size_t i = 0; i < set.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (!joined(set[i], set[j])) return false;
        }
    }
    return true;
}

void Pattern::put(int i, int j, bool forward, bool backward) {
    matrix_.set(i, j, forward);
    matrix_.set(j, i, backward);
    relist(i, j);
    relist(j, i);
}

void Pattern::relist(int v, int u) {
    keep(adjacent_[at(v)], u, joined(u, v));
    keep(parents_[at(v)], u, has_arc(u, v));
    keep(neighbours_[at(v)], u, has_edge(u, v));
    keep(after_[at(v)], u, has(v, u));
    keep(before_[at(v)], u, has(u, v));
}

Set Pattern::component(int v) const {
    seen_.resize(at(size()), 0);
    Set found{v};
    seen_[at(v)] = 1;
    for (std::size_t k = 0; k < found.size(); ++k) {
        for (int u : neighbours(found[k])) {
            if (!seen_[at(u)]) found.push_back(u);
            seen_[at(u)] = 1;
        }
    }
    for (int u : found) seen_[at(u)] = 0;
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace veridag::ges_search
