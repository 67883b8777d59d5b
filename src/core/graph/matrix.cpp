#include "graph/matrix.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace veridag {
namespace {

// Calls visit(k) for every entry that is not zero. Nearly all entries of a sparse graph are zero, so eight are looked
// at together.
template <class Visit>
void for_each_entry(std::span<const Byte> entries, Visit&& visit) {
    std::size_t k = 0;
    for (std::uint64_t eight; k + sizeof eight <= entries.size(); k += sizeof eight) {
        std::memcpy(&eight, entries.data() + k, sizeof eight);
        if (eight == 0) continue;
        for (std::size_t i = k; i < k + sizeof eight; ++i) {
            if (entries[i]) visit(static_cast<int>(i));
        }
    }
    for (; k < entries.size(); ++k) {
        if (entries[k]) visit(static_cast<int>(k));
    }
}

}  // namespace

std::vector<int> Matrix::parents_of(int j) const {
    std::vector<int> found;
    for (int i = 0; i < n_; ++i) {
        if (has(i, j)) found.push_back(i);
    }
    return found;
}

MixedGraph::MixedGraph(Matrix matrix) : matrix_(std::move(matrix)), adjacent_(at(size())) {
    for (int i = 0; i < size(); ++i) {
        for_each_entry(matrix_.row(i), [&](int j) {
            adjacent_[at(i)].push_back(j);
            adjacent_[at(j)].push_back(i);
        });
    }
    for (auto& own : adjacent_) {
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
    }
}

}  // namespace veridag
