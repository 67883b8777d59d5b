#include "search/boss/grow_shrink_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/sets.hpp"

namespace veridag::boss_search {

double tolerance(double score) { return tie * std::max(1.0, std::abs(score)); }

bool is_better(double score, double other) {
    return score > minus_infinity && (other == minus_infinity || score > other + tolerance(other));
}

std::vector<std::size_t> ranked(std::span<const double> scores) {
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
    // Neighbours in this ranking that differ by rounding alone belong together.
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
        for (last = first + 1; last < order.size(); ++last) {
            double higher = scores[order[last - 1]], lower = scores[order[last]];
            if (lower != higher && !(higher - lower <= tolerance(higher))) break;
        }
        std::sort(order.begin() + static_cast<std::ptrdiff_t>(first),
                  order.begin() + static_cast<std::ptrdiff_t>(last));
    }
    return order;
}

GrowShrinkTree::GrowShrinkTree(Criterion& criterion, const Constraints& constraints, int child)
    : criterion_(criterion),
      constraints_(constraints),
      child_(child),
      required_(constraints.required.parents_of(child)) {
    double score = criterion_.local(child_, required_);
    nodes_.push_back({.score = score, .traced = true, .shrunk_score = score, .shrunk = required_});
}

std::size_t GrowShrinkTree::trace(const Word* before) {
    std::size_t node = root;
    path_ = required_;
    while (true) {
        if (!nodes_[node].grown) grow(node);
        std::vector<Branch>& branches = nodes_[node].branches;
        auto taken = std::find_if(branches.begin(), branches.end(),
                                  [&](const Branch& branch) { return has_bit(before, branch.variable); });
        if (taken == branches.end()) break;
        path_.insert(std::lower_bound(path_.begin(), path_.end(), taken->variable), taken->variable);
        if (taken->node == root) {
            taken->node = nodes_.size();
            node = taken->node;
            nodes_.push_back({.score = taken->score});
        } else {
            node = taken->node;
        }
    }
    if (!nodes_[node].traced) shrink(node);
    return node;
}

void GrowShrinkTree::grow(std::size_t node) {
    nodes_[node].grown = true;
    if (static_cast<int>(path_.size()) >= constraints_.limit(child_)) return;
    candidates_.clear();
    for (int u = 0; u < criterion_.variables(); ++u) {
        if (u != child_ && !constraints_.is_forbidden(u, child_) && !contains(path_, u)) candidates_.push_back(u);
    }
    scores_.resize(candidates_.size());
    criterion_.toggled(child_, path_, candidates_, scores_.data());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        if (!is_better(scores_[i], nodes_[node].score)) continue;
        candidates_[kept] = candidates_[i];
        scores_[kept++] = scores_[i];
    }
    for (std::size_t i : ranked(std::span(scores_).first(kept)))
        nodes_[node].branches.push_back({candidates_[i], scores_[i], root});
}

void GrowShrinkTree::shrink(std::size_t node) {
    std::vector<int> parents = path_;
    double score = nodes_[node].score;
    while (parents.size() > required_.size()) {
        candidates_.clear();
        for (int u : parents) {
            if (!contains(required_, u)) candidates_.push_back(u);
        }
        scores_.resize(candidates_.size());
        criterion_.toggled(child_, parents, candidates_, scores_.data());
        std::size_t best = ranked(scores_).front();
        if (!is_better(scores_[best], score)) break;
        score = scores_[best];
        std::erase(parents, candidates_[best]);
    }
    nodes_[node].traced = true;
    nodes_[node].shrunk_score = score;
    nodes_[node].shrunk = std::move(parents);
}

std::vector<std::vector<int>> GrowShrinkTree::found() const {
    std::vector<std::vector<int>> sets;
    for (const Node& node : nodes_) {
        if (node.traced && node.shrunk_score > minus_infinity) sets.push_back(node.shrunk);
    }
    std::sort(sets.begin(), sets.end());
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    return sets;
}

}  // namespace veridag::boss_search
