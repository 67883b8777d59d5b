// Adjacency matrices: an entry [i, j] means i -> j, and a pair with both is joined by an undirected edge.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "index.hpp"

namespace veridag {

using Byte = std::uint8_t;

// A square matrix of 0 and 1, row after row.
class Matrix {
   public:
    Matrix() = default;
    explicit Matrix(int size) : n_(size), entries_(at(size) * at(size), 0) {}
    Matrix(int size, const Byte* entries) : n_(size), entries_(entries, entries + at(size) * at(size)) {}

    int size() const { return n_; }
    std::span<const Byte> entries() const { return entries_; }
    std::span<const Byte> row(int i) const { return entries().subspan(at(i, 0, n_), at(n_)); }

    bool has(int i, int j) const { return entries_[at(i, j, n_)]; }
    void set(int i, int j, bool value = true) { entries_[at(i, j, n_)] = value; }
    void clear(int i, int j) { entries_[at(i, j, n_)] = 0; }

    bool has_arc(int i, int j) const { return has(i, j) && !has(j, i); }
    bool has_edge(int i, int j) const { return has(i, j) && has(j, i); }
    bool joined(int i, int j) const { return has(i, j) || has(j, i); }

    // Puts i -> j in the place of whatever joins the two.
    void orient(int i, int j) {
        set(i, j);
        clear(j, i);
    }
    void join(int i, int j) {
        set(i, j);
        set(j, i);
    }
    void disconnect(int i, int j) {
        clear(i, j);
        clear(j, i);
    }

    // Calls visit(j) for every entry [i, j], ascending.
    template <class Visit>
    void for_each_in_row(int i, Visit visit) const;
    // All i with an entry [i, j], ascending: the parents of j in a DAG.
    std::vector<int> parents_of(int j) const;

    auto operator<=>(const Matrix&) const = default;

   private:
    int n_ = 0;
    std::vector<Byte> entries_;
};

// Nearly all entries of a sparse graph are zero, so eight are looked at together.
template <class Visit>
void Matrix::for_each_in_row(int i, Visit visit) const {
    std::span<const Byte> own = row(i);
    std::size_t k = 0;
    for (std::uint64_t eight; k + sizeof eight <= own.size(); k += sizeof eight) {
        std::memcpy(&eight, own.data() + k, sizeof eight);
        if (eight == 0) continue;
        for (std::size_t j = k; j < k + sizeof eight; ++j) {
            if (own[j]) visit(static_cast<int>(j));
        }
    }
    for (; k < own.size(); ++k) {
        if (own[k]) visit(static_cast<int>(k));
    }
}

// A matrix together with the lists that make walks over sparse graphs cheap.
class MixedGraph {
   public:
    explicit MixedGraph(Matrix matrix);

    int size() const { return matrix_.size(); }
    const Matrix& matrix() const& { return matrix_; }
    Matrix matrix() && { return std::move(matrix_); }
    // Those joined to i in any way, ascending.
    const std::vector<int>& adjacent(int i) const { return adjacent_[at(i)]; }

    bool has(int i, int j) const { return matrix_.has(i, j); }
    bool has_arc(int i, int j) const { return matrix_.has_arc(i, j); }
    bool has_edge(int i, int j) const { return matrix_.has_edge(i, j); }
    bool joined(int i, int j) const { return matrix_.joined(i, j); }
    // Directs an edge that is there.
    void orient(int i, int j) { matrix_.orient(i, j); }

   private:
    Matrix matrix_;
    std::vector<std::vector<int>> adjacent_;
};

}  // namespace veridag
