#include <algorithm>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "exact/candidates.hpp"
#include "exact/rounding.hpp"
#include "random.hpp"

using namespace veridag;

namespace {

// Every variable may have none, each, or each two of the others as parents, with random scores.
Candidates random_candidates(int n, std::uint64_t seed) {
    Stream random(seed, 5, 5);
    std::vector<std::int64_t> offsets{0}, parent_offsets{0};
    std::vector<double> scores;
    std::vector<std::int32_t> parents;
    for (int v = 0; v < n; ++v) {
        double score = 0.0;
        for (int a = 0; a < n; ++a) {
            for (int b = a; b < n; ++b) {
                if (a == v || b == v) continue;
                scores.push_back(score -= random.uniform());
                parents.push_back(a);
                if (b != a) parents.push_back(b);
                parent_offsets.push_back(static_cast<std::int64_t>(parents.size()));
            }
        }
        scores.push_back(score - 1.0);
        parent_offsets.push_back(static_cast<std::int64_t>(parents.size()));
        offsets.push_back(static_cast<std::int64_t>(scores.size()));
    }
    return Candidates(n, offsets, scores, parent_offsets, parents);
}

// The best row of each variable among those before it in a random order.
std::vector<std::size_t> random_choice(const Candidates& candidates, Stream& random) {
    int n = candidates.variables();
    std::vector<int> order;
    for (int v = 0; v < n; ++v)
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(random.uniform() * (v + 1.0)), v);
    std::vector<std::size_t> choice(static_cast<std::size_t>(n));
    Bits before(candidates.words(), 0);
    for (int v : order) {
        choice[static_cast<std::size_t>(v)] = candidates.best_within(v, before.data());
        set_bit(before.data(), v);
    }
    return choice;
}

bool is_permutation_of_all(std::vector<int> order, int n) {
    std::sort(order.begin(), order.end());
    for (int v = 0; v < n; ++v) {
        if (order.size() != static_cast<std::size_t>(n) || order[static_cast<std::size_t>(v)] != v) return false;
    }
    return true;
}

}  // namespace

TEST(an_acyclic_choice_comes_out_in_a_topological_order) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Candidates candidates = random_candidates(7, seed);
        Stream random(seed, 6, 6);
        std::vector<std::size_t> choice = random_choice(candidates, random);
        std::vector<double> x(candidates.rows(), 0.0);
        for (std::size_t row : choice) x[row] = 1.0;
        for (double share : {0.5, 1.0}) {
            Bits before(candidates.words(), 0);
            std::vector<int> order = order_by_weight(candidates, x, share);
            CHECK(is_permutation_of_all(order, 7));
            for (int v : order) {
                CHECK(candidates.within(choice[static_cast<std::size_t>(v)], before.data()));
                set_bit(before.data(), v);
            }
        }
    }
}

TEST(any_weights_give_an_order) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Candidates candidates = random_candidates(6, seed);
        Stream random(seed, 8, 8);
        std::vector<double> x(candidates.rows());
        for (double& weight : x) weight = random.uniform() < 0.7 ? 0.0 : random.uniform();
        for (double share : {0.0, 0.5, 1.0}) CHECK(is_permutation_of_all(order_by_weight(candidates, x, share), 6));
        CHECK(is_permutation_of_all(order_by_weight(candidates, std::vector<double>(x.size(), 0.0), 1.0), 6));
    }
}

// Two variables want each other as parents, with half of the weight each; whoever loses less without goes first.
TEST(of_variables_that_wait_for_each_other_the_one_that_loses_less_is_first) {
    std::vector<std::int64_t> offsets{0, 2, 4}, parent_offsets{0, 1, 1, 2, 2};
    std::vector<std::int32_t> parents{1, 0};
    Candidates candidates(2, offsets, std::vector<double>{-1.0, -9.0, -1.0, -3.0}, parent_offsets, parents);
    std::vector<double> x{0.5, 0.5, 0.5, 0.5};
    CHECK((order_by_weight(candidates, x, 0.5) == std::vector<int>{1, 0}));
    x = {0.4, 0.6, 0.5, 0.5};
    CHECK((order_by_weight(candidates, x, 0.5) == std::vector<int>{1, 0}));
    CHECK((order_by_weight(candidates, x, 1.0) == std::vector<int>{0, 1}));
}
