#include "graph/matrix.hpp"

#include <algorithm>
#include <cstring>

namespace veridag {
namespace {

// Calls visit(k) for every entry that is not zero. Nearly all of a sparse graph's are, so eight are looked at together.
template <class Visit>
void for_each_entry(const Byte* entries, std::size_t count, Visit&& visit) {
    std::size_t k = 0;
    for (std::uint64_t eight; k + sizeof eight <= count; k += sizeof eight) {
        std::memcpy(&eight, entries + k, sizeof eight);
        if (eight == 0) continue;
        for (std::size_t i = k; i < k + sizeof eight; ++i) {
            if (entries[i]) visit(i);
        }
    }
    for (; k < count; ++k) {
        if (entries[k]) visit(k);
    }
}

}  // namespace

MixedGraph::MixedGraph(int size, const Byte* entries)
    : n(size), a(entries, entries + static_cast<std::size_t>(n) * static_cast<std::size_t>(n)), adjacent(static_cast<std::size_t>(n)) {
    auto width = static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < width; ++i) {
        for_each_entry(entries + i * width, width, [&](std::size_t j) {
            adjacent[i].push_back(static_cast<int>(j));
            adjacent[j].push_back(static_cast<int>(i));
        });
    }
    for (auto& own : adjacent) {
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
    }
}

}  // namespace veridag
