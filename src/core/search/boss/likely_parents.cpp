#include "search/boss/likely_parents.hpp"

#include <algorithm>
#include <cmath>

#include "index.hpp"
#include "search/boss/grow_shrink_tree.hpp"

namespace veridag::boss_search {
namespace {

constexpr std::size_t few_partners = 8;  // the best parents alone, beside which others are tried

std::vector<int> by_number_of_sets(const ParentSets& found, std::size_t variables) {
    std::vector<double> often(variables, 0.0);
    for (const std::vector<int>& set : found) {
        for (int u : set) often[at(u)] += 1.0;
    }
    std::vector<int> by_number;
    for (std::size_t i : ranked(often)) {
        if (often[i] > 0.0) by_number.push_back(static_cast<int>(i));
    }
    return by_number;
}

}  // namespace

LikelyParents::LikelyParents(Criterion& criterion, const Constraints& constraints, int child, bool all_pairs)
    : criterion_(criterion),
      constraints_(constraints),
      child_(child),
      required_(constraints.required.parents_of(child)) {
    for (int u = 0; u < criterion.variables(); ++u) {
        if (u != child && !constraints.is_forbidden(u, child) && !contains(required_, u)) others_.push_back(u);
    }
    room_ = constraints.limit(child) - static_cast<int>(required_.size());
    alone_ = beside(required_);
    by_score_alone_ = best_first(alone_);
    if (room_ < 2) return;
    std::vector<double> gains(others_.size(), minus_infinity);
    std::size_t partners = all_pairs ? others_.size() : std::min(others_.size(), few_partners);
    for (std::size_t i = 0; i < partners; ++i) raise(gains, with(required_, by_score_alone_[i]));
    by_gain_in_pairs_ = best_first(gains);
}

std::vector<double> LikelyParents::beside(const Set& parents) const {
    std::vector<int> additions = minus(others_, parents);
    std::vector<double> scores(additions.size()), all(others_.size(), minus_infinity);
    criterion_.toggled(child_, parents, additions, scores.data());
    for (std::size_t i = 0, k = 0; i < others_.size() && k < additions.size(); ++i) {
        if (others_[i] == additions[k]) all[i] = scores[k++];
    }
    return all;
}

void LikelyParents::raise(std::vector<double>& gains, const Set& parents) const {
    double now = criterion_.local(child_, parents);
    std::vector<double> scores = beside(parents);
    for (std::size_t i = 0; i < scores.size(); ++i) {
        double reference = std::max(now, alone_[i]);
        if (scores[i] == minus_infinity || reference == minus_infinity) continue;
        double unit = tolerance(reference);  // differences smaller than that are rounding
        gains[i] = std::max(gains[i], unit * std::round((scores[i] - reference) / unit));
    }
}

std::vector<int> LikelyParents::by_gain_beside(const Set& parents) const {
    std::vector<double> gains(others_.size(), minus_infinity);
    if (static_cast<int>(parents.size() - required_.size()) < room_) raise(gains, parents);
    for (int w : minus(parents, required_)) raise(gains, without(parents, w));
    return best_first(gains);
}

std::vector<int> LikelyParents::best_first(const std::vector<double>& values) const {
    std::vector<int> variables;
    for (std::size_t i : ranked(values)) variables.push_back(others_[i]);
    return variables;
}

std::vector<int> LikelyParents::near(const ParentSets& network, const ParentSets& found) const {
    std::vector<int> likely, children;
    std::vector<char> known(network.size(), 0);
    known[at(child_)] = 1;
    auto add = [&](int u) {
        if (known[at(u)] || constraints_.is_forbidden(u, child_)) return;
        known[at(u)] = 1;
        likely.push_back(u);
    };
    for (int w = 0; w < criterion_.variables(); ++w) {
        if (contains(network[at(w)], child_)) children.push_back(w);
    }
    for (int u : network[at(child_)]) add(u);
    for (int w : children) add(w);
    for (int w : children) {
        for (int u : network[at(w)]) add(u);
    }
    const std::vector<std::vector<int>> rankings{by_number_of_sets(found, network.size()), by_score_alone_,
                                                 by_gain_in_pairs_, by_gain_beside(network[at(child_)])};
    for (std::size_t i = 0; i < network.size(); ++i) {
        for (const std::vector<int>& one : rankings) {
            if (i < one.size()) add(one[i]);
        }
    }
    return likely;
}

}  // namespace veridag::boss_search
