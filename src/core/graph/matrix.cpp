#include "graph/matrix.hpp"

#include <algorithm>

namespace veridag {

MixedGraph::MixedGraph(int size, const Byte* entries)
    : n(size),
      a(entries, entries + static_cast<std::size_t>(size) * static_cast<std::size_t>(size)),
      adjacent(static_cast<std::size_t>(size)) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            if (!a[at(i, j)]) continue;
            adjacent[static_cast<std::size_t>(i)].push_back(j);
            adjacent[static_cast<std::size_t>(j)].push_back(i);
        }
    }
    for (auto& list : adjacent) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
}

}  // namespace veridag
