#include "exact/dynamic_programming.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "check.hpp"
#include "exact/best_parents.hpp"
#include "exact/order_bounds.hpp"
#include "random.hpp"

using namespace veridag;

namespace {

constexpr Word one = 1;

std::size_t up_to(Stream& random, int most) { return static_cast<std::size_t>(random.uniform() * (most + 1)); }

// Random candidates with scores that are small integers, so that many tie; some variables lack the empty set.
Candidates random_candidates(int n, std::uint64_t seed, int sets, double without_empty) {
    Stream random(seed, 7, 0);
    std::vector<std::int64_t> offsets{0}, parent_offsets{0};
    std::vector<double> scores;
    std::vector<std::int32_t> parents;
    for (int v = 0; v < n; ++v) {
        std::vector<std::pair<double, Word>> own;
        if (v == 0 || random.uniform() >= without_empty) own.emplace_back(-20.0, 0);
        for (int k = 0; k < sets; ++k) {
            Word set = 0;
            for (std::size_t members = 1 + up_to(random, 3); members > 0; --members) set |= one << up_to(random, n - 1);
            set &= ~(one << v) & ((one << n) - 1);
            own.emplace_back(-20.0 + 2.0 * std::popcount(set) + static_cast<double>(up_to(random, 4)), set);
        }
        std::stable_sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        for (const auto& [score, set] : own) {
            scores.push_back(score);
            for (int u = 0; u < n; ++u) {
                if (set >> u & 1) parents.push_back(u);
            }
            parent_offsets.push_back(static_cast<std::int64_t>(parents.size()));
        }
        offsets.push_back(static_cast<std::int64_t>(scores.size()));
    }
    return Candidates(n, offsets, scores, parent_offsets, parents);
}

// The best score of every set of variables placed first, by the recursion alone.
std::vector<double> best_of_sets(const Candidates& candidates) {
    std::vector<double> best(std::size_t{1} << candidates.variables(), minus_infinity);
    best[0] = 0.0;
    for (Word set = 1; set < best.size(); ++set) {
        for (int v = 0; v < candidates.variables(); ++v) {
            Word others = set & ~(one << v);
            if (others == set) continue;
            std::size_t row = candidates.best_within(v, &others);
            if (row != candidates.end(v)) best[set] = std::max(best[set], best[others] + candidates.score(row));
        }
    }
    return best;
}

// The best score of all other variables, once a set is placed.
std::vector<double> best_of_rest(const Candidates& candidates) {
    Word all = (one << candidates.variables()) - 1;
    std::vector<double> best(all + 1, minus_infinity);
    best[all] = 0.0;
    for (Word set = all; set-- > 0;) {
        for (int v = 0; v < candidates.variables(); ++v) {
            if (set >> v & 1) continue;
            std::size_t row = candidates.best_within(v, &set);
            if (row != candidates.end(v)) best[set] = std::max(best[set], best[set | one << v] + candidates.score(row));
        }
    }
    return best;
}

double score_of(const Candidates& candidates, const std::vector<std::size_t>& choice) {
    return std::accumulate(choice.begin(), choice.end(), 0.0,
                           [&](double sum, std::size_t row) { return sum + candidates.score(row); });
}

std::vector<int> turned_order(int n) {
    std::vector<int> order(at(n));
    for (int p = 0; p < n; ++p) order[at(p)] = n - 1 - p;
    return order;
}

}  // namespace

TEST(the_best_candidates_within_all_sets_of_a_block_are_those_within_each) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        for (int low : {1, 2, 3, 5, 9}) {
            int n = 9;
            Candidates candidates = random_candidates(n, seed, 15, 0.3);
            BestParents parents(candidates, turned_order(n), low);
            std::vector<BestParents::Rank> ranks(std::size_t{1} << low);
            for (int place = 0; place < n; ++place) {
                CHECK(parents.can_fill(place));
                for (Word high = 0; high < one << n; high += one << low) {
                    parents.fill(place, high, ranks.data());
                    for (Word set = 0; set < ranks.size(); ++set)
                        CHECK(static_cast<std::size_t>(ranks[set]) == parents.best(place, high | set));
                }
            }
        }
    }
}

TEST(no_way_to_go_on_is_better_than_the_bound_says) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        int n = 9, low = 4;
        Candidates candidates = random_candidates(n, seed, 12, 0.2);
        std::vector<double> rest = best_of_rest(candidates);
        BestParents parents(candidates, turned_order(n), low);
        OrderBounds bounds(candidates, parents, 3, 3, 2);
        OrderBounds::Block block(bounds);
        for (Word high = 0; high < one << n; high += one << low) {
            block.set(high);
            for (std::uint32_t set = 0; set < 1U << low; ++set) {
                Word variables = 0;
                for (int p = 0; p < n; ++p) {
                    if ((high | set) >> p & 1) variables |= one << parents.order()[at(p)];
                }
                CHECK(block.left(set, minus_infinity) >= rest[variables] - 1e-9);
            }
        }
        block.set(0);
        CHECK(block.left(0, minus_infinity) <= dual_ascent(candidates, 0).score + 1e-9);
    }
}

TEST(dynamic_programming_over_many_blocks_finds_what_the_recursion_finds) {
    int none = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        int n = 13 + static_cast<int>(seed % 3);
        bool scarce = seed >= 6;  // so that some have no network at all
        Candidates candidates = random_candidates(n, seed, scarce ? 2 : 10, scarce ? 0.9 : 0.0);
        double best = best_of_sets(candidates).back();
        none += best == minus_infinity;
        for (double known : {minus_infinity, best - 3.0, best - 1e-6}) {
            Progress nobody;
            ExactResult found = solve_dp(candidates, {.known = known}, nobody);
            CHECK(found.finished && found.choice.empty() == (best == minus_infinity));
            CHECK(found.score == best);
            if (found.choice.empty()) continue;
            CHECK(candidates.acyclic(found.choice) && score_of(candidates, found.choice) == best);
            CHECK(found.bound >= best);
        }
        Progress nobody;
        ExactResult better = solve_dp(candidates, {.known = best}, nobody);
        CHECK(better.finished && better.choice.empty());
    }
    CHECK(none > 0 && none < 6);
}

TEST(dynamic_programming_gives_the_same_network_whatever_the_number_of_threads) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        Candidates candidates = random_candidates(16, seed, 12, 0.0);
        Progress nobody;
        ExactResult one_thread = solve_dp(candidates, {.threads = 1}, nobody);
        ExactResult three = solve_dp(candidates, {.threads = 3}, nobody);
        CHECK(one_thread.choice == three.choice && one_thread.steps == three.steps);
        CHECK(one_thread.share == three.share && one_thread.score == three.score);
    }
}

TEST(dynamic_programming_keeps_fewer_sets_the_better_the_network_that_is_known) {
    Candidates candidates = random_candidates(16, 3, 12, 0.0);
    Progress nobody;
    double best = best_of_sets(candidates).back();
    ExactResult all = solve_dp(candidates, {}, nobody), some = solve_dp(candidates, {.known = best - 4.0}, nobody),
                few = solve_dp(candidates, {.known = best - 0.5}, nobody);
    CHECK(all.steps == 1 << 16 && all.share == 1.0);
    CHECK(some.steps < all.steps && few.steps < some.steps);
}

TEST(dynamic_programming_gives_up_with_a_bound_that_holds) {
    Candidates candidates = random_candidates(16, 5, 12, 0.0);
    Progress nobody;
    double best = best_of_sets(candidates).back();
    for (std::int64_t most : {1, 5000, 20000, 60000}) {
        for (int threads : {1, 2}) {
            ExactResult found = solve_dp(candidates, {.threads = threads, .most_steps = most}, nobody);
            CHECK(found.gave_up && !found.finished && found.choice.empty());
            CHECK(found.bound >= best && found.steps <= most);
        }
    }
    CHECK(solve_dp(candidates, {.most_bytes = 1000}, nobody).gave_up);
    Progress stops([](std::int64_t, double, double) { return true; });
    ExactResult stopped = solve_dp(candidates, {}, stops);
    CHECK(!stopped.finished && !stopped.gave_up);
}
