// Small sets of variables as sorted vectors.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

namespace veridag {

using Set = std::vector<int>;  // ascending

inline bool contains(const Set& set, int v) { return std::binary_search(set.begin(), set.end(), v); }

inline Set united(const Set& a, const Set& b) {
    Set both;
    both.reserve(a.size() + b.size() + 1);
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

inline Set with(Set set, int v) {
    auto place = std::lower_bound(set.begin(), set.end(), v);
    if (place == set.end() || *place != v) set.insert(place, v);
    return set;
}

// Keeps the order, so that it does for vectors that are not sorted as well.
inline std::vector<int> without(std::vector<int> set, int v) {
    std::erase(set, v);
    return set;
}

inline Set minus(const Set& a, const Set& b) {
    Set rest;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
    return rest;
}

}  // namespace veridag
