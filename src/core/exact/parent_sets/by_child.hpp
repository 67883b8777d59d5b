// Sets of families whose rows depend on the child: see scores/by_child.hpp. What is cached of a set is what each scorer
// caches of it, one after the other: the set may be the parents of a child of any of them.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "exact/parent_sets/set_scores.hpp"
#include "index.hpp"

namespace veridag {

class ByChildSetScorer : public SetScorer {
   public:
    ByChildSetScorer(std::vector<std::unique_ptr<SetScorer>> scorers, std::vector<int> which)
        : scorers_(std::move(scorers)), which_(std::move(which)) {
        for (auto& scorer : scorers_) first_.push_back(first_.back() + scorer->width());
    }

    std::size_t width() const override { return first_.back(); }
    std::size_t sets_a_task() const override { return scorers_.front()->sets_a_task(); }

    void take(std::span<const int> set, std::size_t company) override {
        set_.assign(set.begin(), set.end());
        for (auto& scorer : scorers_) scorer->take(set, company);
    }

    void values(double* out) override {
        for (std::size_t k = 0; k < scorers_.size(); ++k) scorers_[k]->values(out + first_[k]);
    }

    double local(std::size_t child, const double* parents) override {
        std::size_t k = of(set_[child]);
        return scorers_[k]->local(child, own(parents, k));
    }

    double bound(std::size_t child, const double* parents, std::size_t more, double most_likely) override {
        std::size_t k = of(set_[child]);
        return scorers_[k]->bound(child, own(parents, k), more, most_likely);
    }

    double most_likely(int child, std::span<const int> allowed) override {
        return scorers_[of(child)]->most_likely(child, allowed);
    }

    double gain_of_removal(std::span<const int> set, std::size_t child, std::size_t removed, const double* parents,
                           const double* rest) override {
        std::size_t k = of(set[child]);
        return scorers_[k]->gain_of_removal(set, child, removed, own(parents, k), own(rest, k));
    }

    double rounding(double score) const override {
        double most = 0.0;
        for (const auto& scorer : scorers_) most = std::max(most, scorer->rounding(score));
        return most;
    }

   private:
    std::size_t of(int child) const { return at(which_[at(child)]); }
    const double* own(const double* cached, std::size_t k) const { return cached ? cached + first_[k] : nullptr; }

    std::vector<std::unique_ptr<SetScorer>> scorers_;
    std::vector<int> which_;
    std::vector<std::size_t> first_{0};  // where what each caches begins
    std::vector<int> set_;
};

}  // namespace veridag
