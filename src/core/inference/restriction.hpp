// A junction tree where some variables are observed: what is left of its cliques, whatever the states are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "inference/axes.hpp"
#include "inference/junction_tree.hpp"

namespace veridag::inference {

// How large the tables over the variables that are not observed are.
struct TreeSize {
    double entries = 0.0;  // of all
    double largest = 0.0;
    int clique = -1;  // the largest one
};

// `is_free` has an entry for each variable.
TreeSize size_of(const JunctionTree& tree, const std::vector<char>& is_free);

// The largest table, and all of a tree, may have so many entries.
struct Limits {
    double largest;
    double entries;
};

// The tables that some evidence leaves are too large.
class TreeTooLarge : public std::runtime_error {
   public:
    TreeTooLarge(TreeSize size_, std::vector<int> variables_)
        : std::runtime_error("the tables of the junction tree are too large"),
          size(size_),
          variables(std::move(variables_)) {}
    TreeSize size;
    std::vector<int> variables;  // of the largest table
};

// Throws TreeTooLarge if the tables over the free variables are larger than that.
void refuse_large(const JunctionTree& tree, const std::vector<char>& is_free, Limits limits);

// A table over some variables of a part, and where its entries are in the part's own.
struct View {
    int source;  // a family, or the part that sends a message
    std::size_t first, last;
};

// A clique without its observed variables; the first axes are those of the message to the parent.
struct Part {
    int clique;  // its number, by which random streams are told apart
    int parent;  // a later part; -1 at a root
    std::vector<int> variables;
    std::size_t shared;   // variables of the message to the parent
    std::size_t message;  // entries of that
    std::size_t rest;     // entries of the table for each of these
    std::vector<View> families, children;
};

class Restriction {
   public:
    Restriction(const JunctionTree& tree, std::vector<char> is_free);

    const JunctionTree& tree() const { return *tree_; }
    bool is_free(int v) const { return is_free_[static_cast<std::size_t>(v)] != 0; }
    const std::vector<Part>& parts() const { return parts_; }
    const std::vector<int>& known_families() const { return known_families_; }  // those without a free variable
    std::size_t entries() const { return entries_; }                            // of all parts
    std::size_t largest() const { return largest_; }

    // The part in which a clique is, with those that have nothing of their own merged into their parents.
    int part_of(int clique) const { return part_of_[static_cast<std::size_t>(clique)]; }

    std::span<const Axis> axes(const View& view) const {
        return std::span(axes_).subspan(view.first, view.last - view.first);
    }

    // The axes of a table over `variables` as seen from one with these strides for the variables of its scope.
    std::vector<Axis> axes(std::span<const int> variables, std::span<const int> scope,
                           std::span<const std::size_t> strides) const;

   private:
    View add_view(int source, const Part& part, std::span<const int> scope, std::span<const std::size_t> strides);

    const JunctionTree* tree_;
    std::vector<char> is_free_;
    std::vector<Part> parts_;
    std::vector<int> part_of_, known_families_;
    std::vector<Axis> axes_;
    std::size_t entries_ = 0, largest_ = 0;
};

}  // namespace veridag::inference
