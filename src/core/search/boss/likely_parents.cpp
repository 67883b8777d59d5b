#include "search/boss/likely_parents.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "index.hpp"
#include "search/boss/grow_shrink_tree.hpp"
#include "search/sets.hpp"

namespace veridag::boss_search {
namespace {

constexpr std::size_t partners = 8;  // of the best parents alone, beside which others are tried

class Ranking {
   public:
    Ranking(Criterion& criterion, const Constraints& constraints, int child)
        : criterion_(criterion), child_(child), required_(constraints.required.parents_of(child)) {
        for (int u = 0; u < criterion.variables(); ++u) {
            if (u != child && !constraints.is_forbidden(u, child) && !contains(required_, u)) others_.push_back(u);
        }
        room_ = constraints.limit(child) - static_cast<int>(required_.size());
        alone_ = beside(required_);
    }

    std::vector<int> by_score_alone() const { return best_first(alone_); }

    std::vector<int> by_gain_beside_the_best() const {
        std::vector<double> gains(others_.size(), minus_infinity);
        if (room_ < 2) return {};
        std::vector<int> best = by_score_alone();
        best.resize(std::min(best.size(), partners));
        for (int w : best) raise(gains, with(required_, w));
        return best_first(gains);
    }

    std::vector<int> by_gain_beside(const Set& parents) const {
        std::vector<double> gains(others_.size(), minus_infinity);
        if (static_cast<int>(parents.size() - required_.size()) < room_) raise(gains, parents);
        for (int w : minus(parents, required_)) raise(gains, without(parents, w));
        return best_first(gains);
    }

   private:
    // The scores with these parents and each of the others; minus infinity for those that are among them.
    std::vector<double> beside(const Set& parents) const {
        std::vector<int> additions = minus(others_, parents);
        std::vector<double> scores(additions.size()), all(others_.size(), minus_infinity);
        criterion_.toggled(child_, parents, additions, scores.data());
        for (std::size_t i = 0, k = 0; i < others_.size() && k < additions.size(); ++i) {
            if (others_[i] == additions[k]) all[i] = scores[k++];
        }
        return all;
    }

    // To what each gains beside these parents, over them and over its score alone, if that is more.
    void raise(std::vector<double>& gains, const Set& parents) const {
        double now = criterion_.local(child_, parents);
        std::vector<double> scores = beside(parents);
        for (std::size_t i = 0; i < scores.size(); ++i) {
            double reference = std::max(now, alone_[i]);
            if (scores[i] == minus_infinity || reference == minus_infinity) continue;
            double unit = tolerance(reference);  // differences smaller than that are rounding
            gains[i] = std::max(gains[i], unit * std::round((scores[i] - reference) / unit));
        }
    }

    std::vector<int> best_first(const std::vector<double>& values) const {
        std::vector<int> variables;
        for (std::size_t i : ranked(values)) variables.push_back(others_[i]);
        return variables;
    }

    Criterion& criterion_;
    int child_, room_;
    Set required_, others_;
    std::vector<double> alone_;
};

}  // namespace

std::vector<int> likely_parents(Criterion& criterion, const Constraints& constraints, int child,
                                const ParentSets& network, const ParentSets& found) {
    std::vector<int> likely, children;
    std::vector<char> known(network.size(), 0);
    known[at(child)] = 1;
    auto add = [&](int u) {
        if (known[at(u)] || constraints.is_forbidden(u, child)) return;
        known[at(u)] = 1;
        likely.push_back(u);
    };
    for (int w = 0; w < criterion.variables(); ++w) {
        if (contains(network[at(w)], child)) children.push_back(w);
    }
    for (int u : network[at(child)]) add(u);
    for (int w : children) add(w);
    for (int w : children) {
        for (int u : network[at(w)]) add(u);
    }
    std::vector<double> often(network.size(), 0.0);
    for (const std::vector<int>& set : found) {
        for (int u : set) often[at(u)] += 1.0;
    }
    std::vector<int> by_number;
    for (std::size_t i : ranked(often)) {
        if (often[i] > 0.0) by_number.push_back(static_cast<int>(i));
    }
    Ranking ranking(criterion, constraints, child);
    const std::vector<std::vector<int>> rankings{by_number, ranking.by_score_alone(), ranking.by_gain_beside_the_best(),
                                                 ranking.by_gain_beside(network[at(child)])};
    for (std::size_t i = 0; i < network.size(); ++i) {
        for (const std::vector<int>& one : rankings) {
            if (i < one.size()) add(one[i]);
        }
    }
    return likely;
}

}  // namespace veridag::boss_search
