#include "graph/dynamic_dag.hpp"

#include <algorithm>

namespace veridag {

DynamicDag::DynamicDag(std::vector<std::vector<int>> parents)
    : words_(words_for(static_cast<int>(parents.size()))),
      parents_(std::move(parents)),
      children_(parents_.size()),
      ancestors_(parents_.size() * words_),
      marked_(parents_.size(), 0),
      gathered_(words_) {
    std::vector<std::size_t> waiting(parents_.size());
    for (int v = 0; v < size(); ++v) {
        waiting[at(v)] = parents_[at(v)].size();
        if (waiting[at(v)] == 0) order_.push_back(v);
        for (int u : parents_[at(v)]) children_[at(u)].push_back(v);
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
        gather_ancestors(order_[i], ancestors_.data() + at(order_[i]) * words_);
        for (int v : children(order_[i])) {
            if (--waiting[at(v)] == 0) order_.push_back(v);
        }
    }
}

bool DynamicDag::has(int from, int to) const {
    const auto& own = parents(to);
    return std::binary_search(own.begin(), own.end(), from);
}

bool DynamicDag::can_reverse(int from, int to) const {
    const auto& others = parents(to);
    return std::none_of(others.begin(), others.end(), [&](int w) { return w != from && is_ancestor(from, w); });
}

// Who has `from` among its ancestors already has those of `from`, and so has whoever comes after it: these are left
// out.
void DynamicDag::add(int from, int to) {
    auto& own = parents_[at(to)];
    own.insert(std::lower_bound(own.begin(), own.end(), from), from);
    children_[at(from)].push_back(to);
    order_.assign(1, to);
    while (!order_.empty()) {
        int w = order_.back();
        order_.pop_back();
        if (is_ancestor(from, w)) continue;
        Word* set = ancestors_.data() + at(w) * words_;
        for (std::size_t k = 0; k < words_; ++k) set[k] |= ancestors(from)[k];
        set_bit(set, from);
        order_.insert(order_.end(), children(w).begin(), children(w).end());
    }
}

void DynamicDag::remove(int from, int to) {
    std::erase(parents_[at(to)], from);
    std::erase(children_[at(from)], to);
    // Only those that can be reached may lose ancestors, and only if one of their parents did.
    for (int w : reachable(to)) {
        const auto& own = parents(w);
        if (w != to && std::none_of(own.begin(), own.end(), [&](int p) { return marked_[at(p)]; })) continue;
        std::fill(gathered_.begin(), gathered_.end(), Word{0});
        gather_ancestors(w, gathered_.data());
        if (std::equal(gathered_.begin(), gathered_.end(), ancestors(w))) continue;
        std::copy(gathered_.begin(), gathered_.end(), ancestors_.begin() + static_cast<std::ptrdiff_t>(at(w) * words_));
        marked_[at(w)] = 1;
    }
    for (int w : order_) marked_[at(w)] = 0;
}

// The reverse of the order in which a depth-first walk leaves the variables.
const std::vector<int>& DynamicDag::reachable(int v) {
    order_.clear();
    path_.assign(1, {v, 0});
    marked_[at(v)] = 1;
    while (!path_.empty()) {
        auto& [w, next] = path_.back();
        if (next == children(w).size()) {
            order_.push_back(w);
            path_.pop_back();
            continue;
        }
        int child = children(w)[next++];
        if (marked_[at(child)]) continue;
        marked_[at(child)] = 1;
        path_.emplace_back(child, 0);
    }
    for (int w : order_) marked_[at(w)] = 0;
    std::reverse(order_.begin(), order_.end());
    return order_;
}

void DynamicDag::gather_ancestors(int v, Word* out) const {
    for (int p : parents(v)) {
        for (std::size_t k = 0; k < words_; ++k) out[k] |= ancestors(p)[k];
        set_bit(out, p);
    }
}

}  // namespace veridag
