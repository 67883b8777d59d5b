#include "graph/matrix.hpp"

#include <algorithm>
#include <utility>

namespace veridag {

std::vector<int> Matrix::parents_of(int j) const {
    std::vector<int> found;
    for (int i = 0; i < n_; ++i) {
        if (has(i, j)) found.push_back(i);
    }
    return found;
}

MixedGraph::MixedGraph(Matrix matrix) : matrix_(std::move(matrix)), adjacent_(at(size())) {
    for (int i = 0; i < size(); ++i) {
        matrix_.for_each_in_row(i, [&](int j) {
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
