#include "inference/restriction.hpp"

#include <algorithm>

#include "index.hpp"

namespace veridag::inference {

TreeSize size_of(const JunctionTree& tree, const std::vector<char>& is_free) {
    TreeSize size;
    for (std::size_t c = 0; c < tree.cliques().size(); ++c) {
        double entries = 1.0;
        for (int v : tree.cliques()[c].variables) {
            if (is_free[at(v)]) entries *= tree.arities()[at(v)];
        }
        size.entries += entries;
        if (entries > size.largest) {
            size.largest = entries;
            size.clique = static_cast<int>(c);
        }
    }
    return size;
}

void refuse_large(const JunctionTree& tree, const std::vector<char>& is_free, Limits limits) {
    TreeSize size = size_of(tree, is_free);
    if (size.largest <= limits.largest && size.entries <= limits.entries) return;
    std::vector<int> variables;
    for (int v : tree.cliques()[at(size.clique)].variables) {
        if (is_free[at(v)]) variables.push_back(v);
    }
    std::sort(variables.begin(), variables.end());
    throw TreeTooLarge(size, std::move(variables));
}

Restriction::Restriction(const JunctionTree& tree, std::vector<char> is_free)
    : tree_(&tree), is_free_(std::move(is_free)), part_of_(tree.cliques().size(), -1) {
    const std::vector<Clique>& cliques = tree.cliques();
    // From the roots on, so that a clique knows what has become of its parent.
    for (std::size_t c = cliques.size(); c-- > 0;) {
        const Clique& clique = cliques[c];
        int parent = clique.parent < 0 ? -1 : part_of_[at(clique.parent)];
        Part part{static_cast<int>(c), parent, {}, 0, 1, 1, {}, {}};
        for (std::size_t k = 0; k < clique.variables.size(); ++k) {
            int v = clique.variables[k];
            if (!is_free_[at(v)]) continue;
            part.variables.push_back(v);
            bool is_shared = k < clique.shared;
            part.shared += is_shared;
            (is_shared ? part.message : part.rest) *= at(tree.arities()[at(v)]);
        }
        if (parent >= 0 && part.shared == part.variables.size()) {
            part_of_[c] = parent;
            continue;
        }
        part_of_[c] = static_cast<int>(parts_.size());
        parts_.push_back(std::move(part));
    }
    int last = static_cast<int>(parts_.size()) - 1;
    std::reverse(parts_.begin(), parts_.end());
    for (int& p : part_of_) p = last - p;
    for (Part& part : parts_) {
        if (part.parent >= 0) part.parent = last - part.parent;
        std::size_t entries = part.message * part.rest;
        entries_ += entries;
        largest_ = std::max(largest_, entries);
    }
    for (std::size_t v = 0; v < tree.families().size(); ++v) {
        const Family& family = tree.families()[v];
        int source = static_cast<int>(v);
        if (std::none_of(family.scope.begin(), family.scope.end(), [&](int u) { return is_free_[at(u)] != 0; })) {
            known_families_.push_back(source);
            continue;
        }
        Part& part = parts_[at(part_of_[at(family.clique)])];
        part.families.push_back(add_view(source, part, family.scope, family.strides));
    }
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const Part& part = parts_[p];
        if (part.parent < 0) continue;
        std::span<const int> scope = std::span(part.variables).first(part.shared);
        std::vector<std::size_t> strides(part.shared);
        for (std::size_t k = part.shared, stride = 1; k-- > 0;) {
            strides[k] = stride;
            stride *= at(tree.arities()[at(scope[k])]);
        }
        Part& parent = parts_[at(part.parent)];
        parent.children.push_back(add_view(static_cast<int>(p), parent, scope, strides));
    }
}

std::vector<Axis> Restriction::axes(std::span<const int> variables, std::span<const int> scope,
                                    std::span<const std::size_t> strides) const {
    std::vector<Axis> found;
    for (int v : variables) {
        Axis axis{at(tree_->arities()[at(v)]), 0};
        for (std::size_t k = 0; k < scope.size(); ++k) {
            if (scope[k] == v) axis.stride = strides[k];
        }
        // Neighbours that are one stretch of the other table become one axis.
        if (!found.empty() && found.back().stride == axis.stride * axis.size)
            found.back() = {found.back().size * axis.size, axis.stride};
        else
            found.push_back(axis);
    }
    return found;
}

View Restriction::add_view(int source, const Part& part, std::span<const int> scope,
                           std::span<const std::size_t> strides) {
    std::vector<Axis> own = axes(part.variables, scope, strides);
    View view{source, axes_.size(), axes_.size() + own.size()};
    axes_.insert(axes_.end(), own.begin(), own.end());
    return view;
}

}  // namespace veridag::inference
