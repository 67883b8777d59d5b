#include "scores/criterion.hpp"

#include <algorithm>
#include <limits>
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

TEST(a_family_has_the_same_prior_alone_and_among_candidates) {
    class Zero : public LocalScorer {
        double local(int, std::span<const int>) override { return 0.0; }
    };
    BatchScorer batch(4, [] { return std::make_unique<Zero>(); });
    std::vector<double> size{0.0, -1.0, -3.0, -7.0}, arc(16);
    for (std::size_t k = 0; k < arc.size(); ++k) arc[k] = 0.1 * static_cast<double>(k);
    PriorTerms prior{4, size.data(), arc.data(), true};
    Criterion together(batch, prior, 1), alone(batch, prior, 1);
    std::vector<int> parents{0}, candidates{0, 2, 3};
    std::vector<double> found(3);
    together.toggled(1, parents, candidates, found.data());
    CHECK_NEAR(found[0], 0.0, 1e-12);
    CHECK_NEAR(found[1], -3.0 + 0.1 * (1 + 9), 1e-12);
    CHECK_NEAR(found[2], -3.0 + 0.1 * (1 + 13), 1e-12);
    std::vector<int> both{0, 3};
    CHECK_EQUAL(found[2], alone.local(1, both));
}

TEST(a_score_without_bound_rules_a_family_out) {
    class Unbounded : public LocalScorer {
        double local(int, std::span<const int> parents) override {
            return parents.empty() ? 0.0 : std::numeric_limits<double>::infinity();
        }
    };
    BatchScorer batch(2, [] { return std::make_unique<Unbounded>(); });
    Criterion criterion(batch, {}, 1);
    std::vector<int> parents{0};
    CHECK_EQUAL(criterion.local(1, {}), 0.0);
    CHECK_EQUAL(criterion.local(1, parents), minus_infinity);
}
