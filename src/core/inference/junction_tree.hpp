// The junction tree of a discrete network: cliques of its triangulated moral graph, joined so that the cliques that
// hold a variable are connected (Lauritzen and Spiegelhalter 1988). It knows the structure alone; numbers come later.
#pragma once

#include <cstddef>
#include <vector>

namespace veridag::inference {

struct Clique {
    std::vector<int> variables;  // those that are in the parent as well come first
    std::size_t shared = 0;      // how many do
    int parent = -1;             // a later clique; -1 for a root
    double entries = 1.0;
};

// A conditional probability table, with an axis for each parent and the child's own last, row after row.
struct Family {
    std::vector<int> scope;            // the parents, then the child
    std::vector<std::size_t> strides;  // of each in the table
    std::size_t entries = 1;
    int clique = 0;  // one that holds the scope
};

class JunctionTree {
   public:
    // Each of the scopes in `together` lies within a clique, as every family does. Without `thorough` fewer orders of
    // elimination are tried. Throws std::invalid_argument if a parent is no variable.
    JunctionTree(std::vector<int> arities, const std::vector<std::vector<int>>& parents,
                 std::vector<std::vector<int>> together = {}, bool thorough = true);

    int variables() const { return static_cast<int>(arities_.size()); }
    const std::vector<int>& arities() const { return arities_; }
    // Children come before parents. Of a forest each tree has a root.
    const std::vector<Clique>& cliques() const { return cliques_; }
    const std::vector<Family>& families() const { return families_; }
    double entries() const { return entries_; }  // of all cliques

    // The smallest clique that holds all of these variables; -1 if there is none.
    int covering(const std::vector<int>& scope) const;

   private:
    std::vector<int> arities_;
    std::vector<Clique> cliques_;
    std::vector<Family> families_;
    std::vector<std::vector<int>> holding_;  // the cliques of each variable
    double entries_ = 0.0;
};

}  // namespace veridag::inference
