#include "scores/criterion.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "check.hpp"

using namespace veridag;

namespace {

constexpr int n = 400;

// Counts the families that it scores.
class CountingScorer : public LocalScorer {
   public:
    explicit CountingScorer(int& scored) : scored_(scored) {}

    double local(int child, std::span<const int> parents) override {
        ++scored_;
        double sum = child;
        for (int p : parents) sum = 3.0 * sum + p;
        return sum;
    }

   private:
    int& scored_;
};

std::vector<int> all_but(int child) {
    std::vector<int> others(n);
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + child);
    return others;
}

}  // namespace

TEST(a_later_search_finds_the_sweeps_of_an_earlier_one) {
    int scored = 0;
    BatchScorer batch(n, [&] { return std::make_unique<CountingScorer>(scored); });
    ScoreCache cache;
    std::vector<int> parents{3, 200}, candidates = all_but(7);
    std::vector<double> first(candidates.size()), second(candidates.size());
    Criterion earlier(batch, {}, 1, &cache);
    earlier.toggled(7, parents, candidates, first.data());
    CHECK_EQUAL(scored, n - 1);
    Criterion later(batch, {}, 1, &cache);
    later.toggled(7, parents, candidates, second.data());
    CHECK_EQUAL(scored, n - 1);
    CHECK_EQUAL(first, second);
    CHECK_EQUAL(later.calls(), n - 1);
    CHECK_EQUAL(later.distinct_calls(), 0);
    for (std::size_t i : {std::size_t{0}, std::size_t{5}, std::size_t{300}}) {
        std::vector<int> family = parents;
        if (candidates[i] == 3 || candidates[i] == 200) continue;
        family.insert(std::lower_bound(family.begin(), family.end(), candidates[i]), candidates[i]);
        CHECK_EQUAL(first[i], CountingScorer(scored).local(7, family));
    }
}

TEST(of_a_sweep_only_what_is_not_known_is_scored) {
    int scored = 0;
    BatchScorer batch(n, [&] { return std::make_unique<CountingScorer>(scored); });
    Criterion criterion(batch, {}, 1);
    std::vector<int> all = all_but(0), some(all.begin(), all.begin() + 300), few{1, 2, 399};
    std::vector<double> scores(all.size());
    criterion.toggled(0, {}, some, scores.data());
    CHECK_EQUAL(scored, 300);
    criterion.toggled(0, {}, few, scores.data());
    CHECK_EQUAL(scored, 301);
    CHECK_EQUAL(scores[2], 399.0);
    criterion.toggled(0, {}, all, scores.data());
    for (std::size_t i = 0; i < all.size(); ++i) CHECK_EQUAL(scores[i], static_cast<double>(all[i]));
    CHECK_EQUAL(scored, 400);
}
