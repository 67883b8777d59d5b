// Adjacency matrices as the rest of the core sees them: row-major bytes, a[i * n + j] != 0 means i -> j, and a pair with
// both is joined by an undirected edge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace veridag {

using Byte = std::uint8_t;
using Matrix = std::vector<Byte>;

// A square 0/1 matrix together with the lists that make walks over sparse graphs cheap.
struct MixedGraph {
    int n = 0;
    Matrix a;
    std::vector<std::vector<int>> adjacent;  // joined in any way, ascending

    MixedGraph(int size, const Byte* entries);

    bool arc(int i, int j) const { return a[at(i, j)] && !a[at(j, i)]; }
    bool edge(int i, int j) const { return a[at(i, j)] && a[at(j, i)]; }
    bool joined(int i, int j) const { return a[at(i, j)] || a[at(j, i)]; }
    void orient(int i, int j) {
        a[at(i, j)] = 1;
        a[at(j, i)] = 0;
    }

   private:
    std::size_t at(int i, int j) const { return static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j); }
};

}  // namespace veridag
