#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "check.hpp"
#include "posterior/partition/chain.hpp"
#include "posterior/partition/family_weights.hpp"
#include "posterior/partition/sampler.hpp"

using namespace veridag;
using namespace veridag::partition;

namespace {

constexpr double none = -std::numeric_limits<double>::infinity();

// All sets of the other variables, of at most `most` members or within the candidates, with random scores.
ScoredSets random_sets(int n, int child, const std::vector<int>& candidates, int most, double spread, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(-1000.0, spread);
    Word inside = 0;
    for (int c : candidates) inside |= Word{1} << c;
    ScoredSets sets;
    for (Word set = 0; set < Word{1} << n; ++set) {
        if (set >> child & 1 || (std::popcount(set) > most && (set & ~inside) != 0)) continue;
        sets.sets.push_back(set);
        sets.scores.push_back(normal(random));
    }
    return sets;
}

std::vector<FamilyWeights> random_families(int n, int candidates, int most, double spread, unsigned seed) {
    std::vector<FamilyWeights> families;
    for (int v = 0; v < n; ++v) {
        std::vector<int> chosen;
        for (int u = n - 1; u >= 0 && chosen.size() < static_cast<std::size_t>(candidates); --u) {
            if (u != v) chosen.push_back(u);
        }
        families.emplace_back(1, chosen, random_sets(n, v, chosen, most, spread, seed + static_cast<unsigned>(v)));
    }
    return families;
}

double naive_log_sum(const FamilyWeights& family, Word before, const Word* last) {
    double highest = none, total = 0.0;
    for (std::size_t i = 0; i < family.size(); ++i) {
        Word set = *family.set(i);
        if ((set & ~before) != 0 || (last && (set & *last) == 0)) continue;
        if (highest == none) highest = family.score(i);
        total += std::exp(family.score(i) - highest);
    }
    return total > 0.0 ? highest + std::log(total) : none;
}

// All ordered partitions, as the part of each variable, and the logarithms of their weights by enumeration.
std::map<std::vector<std::int32_t>, double> all_partitions(const std::vector<FamilyWeights>& families) {
    auto n = families.size();
    std::map<std::vector<std::int32_t>, double> all;
    std::vector<std::int32_t> part_of(n, 0);
    std::function<void(std::size_t)> fill = [&](std::size_t v) {
        if (v < n) {
            for (part_of[v] = 0; part_of[v] < static_cast<std::int32_t>(n); ++part_of[v]) fill(v + 1);
            return;
        }
        std::int32_t parts = 1 + *std::max_element(part_of.begin(), part_of.end());
        std::vector<Word> members(static_cast<std::size_t>(parts), 0);
        for (std::size_t u = 0; u < n; ++u) members[static_cast<std::size_t>(part_of[u])] |= Word{1} << u;
        if (std::find(members.begin(), members.end(), Word{0}) != members.end()) return;
        double weight = 0.0;
        for (std::size_t u = 0; u < n; ++u) {
            Word before = 0;
            for (std::size_t w = 0; w < n; ++w) before |= part_of[w] < part_of[u] ? Word{1} << w : 0;
            const Word* last = part_of[u] > 0 ? &members[static_cast<std::size_t>(part_of[u] - 1)] : nullptr;
            weight += naive_log_sum(families[u], before, last);
        }
        all[part_of] = weight;
    };
    fill(0);
    return all;
}

// The total variation between the stationary distribution of a chain and where its steps lead.
double distance(const std::vector<FamilyWeights>& families, double power, int steps, std::uint64_t seed,
                const std::function<void(Chain&, Stream&)>& move) {
    auto weights = all_partitions(families);
    double highest = none, total = 0.0;
    for (auto& [where, weight] : weights) highest = std::max(highest, weight);
    for (auto& [where, weight] : weights) total += weight = std::exp(power * (weight - highest));
    Chain chain(families, power);
    chain.set(
        std::max_element(weights.begin(), weights.end(), [](auto& a, auto& b) { return a.second < b.second; })->first);
    Stream random(seed, 0, 0);
    std::map<std::vector<std::int32_t>, int> visits;
    std::vector<std::int32_t> where(families.size());
    for (int step = 0; step < steps; ++step) {
        move(chain, random);
        chain.get(where);
        ++visits[where];
    }
    double apart = 0.0;
    for (auto& [there, weight] : weights) apart += std::abs(weight / total - 1.0 * visits[there] / steps) / 2.0;
    return apart;
}

}  // namespace

TEST(interval_sums_are_those_of_the_definition) {
    for (double spread : {0.5, 5.0, 40.0, 300.0}) {
        FamilyWeights family(1, {0, 2, 3, 6, 7}, random_sets(9, 4, {0, 2, 3, 6, 7}, 2, spread, 3));
        std::mt19937 random(7);
        for (int k = 0; k < 400; ++k) {
            Word before = random() % 512 & ~Word{16}, last = before & random() & random();
            CHECK_NEAR(family.log_sum(&before, nullptr), naive_log_sum(family, before, nullptr), 1e-5);
            CHECK_NEAR(family.log_sum(&before, &last), naive_log_sum(family, before, &last), 1e-5);
            Bound bound = family.bound(&before, &last);
            CHECK(bound.high >= naive_log_sum(family, before, &last) - 1e-5);
            if (bound.exact) CHECK_EQUAL(bound.high, family.log_sum(&before, &last));
        }
    }
}

TEST(values_around_a_variable_bound_its_interval_sums) {
    FamilyWeights family(1, {0, 2, 3, 6, 7}, random_sets(9, 4, {0, 2, 3, 6, 7}, 2, 6.0, 5));
    std::mt19937 random(8);
    for (int k = 0; k < 400; ++k) {
        int v = static_cast<int>(random() % 9);
        if (v == 4) continue;
        Word one = Word{1} << v, before = random() % 512 & ~Word{16} & ~one, last = before & random();
        Word with = before | one, joint = last | one;
        Around around = family.around(&before, &last, v);
        double exact[] = {family.log_sum(&before, &last), family.log_sum(&with, &joint), family.log_sum(&with, &one),
                          family.log_sum(&with, &last)};
        for (int where = later; where <= earlier; ++where) {
            CHECK(around.at[where].high >= exact[where] - 1e-5);
            if (around.at[where].exact) CHECK_NEAR(around.at[where].high, exact[where], 1e-12);
        }
    }
}

TEST(sets_are_drawn_by_their_weights) {
    for (double spread : {1.0, 300.0}) {
        FamilyWeights family(1, {0, 1, 2}, random_sets(6, 5, {0, 1, 2}, 2, spread, 4));
        Word before = 0b11011, last = 0b10010;
        double log_sum = family.log_sum(&before, &last);
        std::vector<double> share(family.size(), 0.0);
        for (int k = 0; k < 20000; ++k) share[family.draw(&before, &last, log_sum, (k + 0.5) / 20000)] += 1.0 / 20000;
        for (std::size_t i = 0; i < family.size(); ++i) {
            Word set = *family.set(i);
            bool allowed = (set & ~before) == 0 && (set & last) != 0;
            CHECK_NEAR(share[i], allowed ? std::exp(family.score(i) - log_sum) : 0.0, 2e-4);
        }
    }
}

TEST(of_two_chains_the_colder_one_gets_the_better_partition) {
    std::vector<FamilyWeights> families = random_families(4, 3, 3, 200.0, 13);
    auto all = all_partitions(families);
    auto by_weight = [](const auto& a, const auto& b) { return a.second < b.second; };
    auto worst = std::min_element(all.begin(), all.end(), by_weight);
    auto best = std::max_element(all.begin(), all.end(), by_weight);
    CHECK(best->second - worst->second > 200.0);
    Chain cold(families, 1.0), hot(families, 0.5);
    Stream random(1, 0, 0);
    cold.set(worst->first);
    hot.set(best->first);
    CHECK(Chain::exchange(cold, hot, random));
    CHECK_NEAR(cold.log_weight(), best->second, 1e-6);
    CHECK_NEAR(hot.log_weight(), worst->second, 1e-6);
    CHECK(!Chain::exchange(cold, hot, random));
}

TEST(every_move_leaves_the_distribution_of_partitions_as_it_is) {
    // Sets outside the candidates, and one temperature that is not 1.
    std::vector<FamilyWeights> families = random_families(4, 2, 2, 1.0, 11);
    for (double power : {1.0, 0.5}) {
        CHECK(distance(families, power, 120000, 1, [](Chain& c, Stream& r) { c.relocate(r); }) < 0.02);
        CHECK(distance(families, power, 120000, 2, [](Chain& c, Stream& r) {
                  if (r.uniform() < 0.5) {
                      c.split_or_merge(r);
                  } else {
                      c.swap(r);
                  }
              }) < 0.02);
        // It connects only partitions of DAGs with an arc, hence a few other moves.
        CHECK(distance(families, power, 120000, 3, [](Chain& c, Stream& r) {
                  if (r.uniform() < 0.1) {
                      c.relocate(r);
                  } else {
                      c.reverse(r);
                  }
              }) < 0.02);
        // It changes only DAGs in which the parents of the block are candidates, hence many other moves.
        CHECK(distance(families, power, 240000, 4, [](Chain& c, Stream& r) {
                  if (r.uniform() < 0.5) {
                      c.relocate(r);
                  } else {
                      c.resample(r);
                  }
              }) < 0.02);
    }
    // Where all variables are candidates, it connects all partitions.
    std::vector<FamilyWeights> all = random_families(4, 3, 3, 1.0, 12);
    for (double power : {1.0, 0.5})
        CHECK(distance(all, power, 120000, 5, [](Chain& c, Stream& r) { c.resample(r); }) < 0.02);
}

TEST(sums_and_draws_within_the_candidates_are_those_of_the_definition) {
    std::vector<int> candidates{0, 2, 3, 6, 7};
    for (double spread : {0.5, 40.0, 900.0}) {
        FamilyWeights family(1, candidates, random_sets(9, 4, candidates, 2, spread, 3));
        Word inside = 0;
        for (int c : candidates) inside |= Word{1} << c;
        std::mt19937 random(9);
        for (int k = 0; k < 200; ++k) {
            Word before = random() & inside, last = before & random();
            std::size_t x = family.project(&before), wanted = family.project(&last);
            double all = naive_log_sum(family, before, nullptr), met = naive_log_sum(family, before, &last);
            double best = family.score(0);
            CHECK_NEAR(best + family.log_sum_inside(x, nullptr), all, 1e-5);
            CHECK_NEAR(best + family.log_sum_inside(x, &wanted), met, 1e-5);
            if (last == 0) continue;
            std::vector<double> share(family.size(), 0.0);
            for (int u = 0; u < 1000; ++u) {
                std::size_t drawn = family.draw_inside(x, &wanted, met - best, (u + 0.5) / 1000);
                share[drawn] += 1.0 / 1000;
            }
            for (std::size_t i = 0; i < family.size(); ++i) {
                bool allowed = (*family.set(i) & ~before) == 0 && (*family.set(i) & last) != 0;
                CHECK_NEAR(share[i], allowed ? std::exp(family.score(i) - met) : 0.0, 2e-3);
            }
        }
    }
}

TEST(values_are_those_of_the_partition_after_any_moves) {
    std::vector<FamilyWeights> families = random_families(7, 3, 2, 4.0, 20);
    Chain chain(families, 1.0), fresh(families, 1.0);
    Stream random(5, 0, 0);
    std::vector<std::int32_t> where{0, 0, 0, 0, 0, 0, 0};
    chain.set(where);
    for (int k = 0; k < 2000; ++k) {
        chain.step(random);
        chain.get(where);
        fresh.set(where);
        CHECK_NEAR(chain.log_weight(), fresh.log_weight(), 1e-4);
    }
}

TEST(draws_are_the_same_whatever_the_threads_and_the_calls) {
    std::vector<FamilyWeights> families = random_families(6, 3, 1, 3.0, 30);
    Settings settings{{1.0, 0.6}, 2, 9};
    Places start(3 * 2 * 6, 0);
    Progress nobody;
    Places one = start, two = start;
    Drawn whole = draw(families, settings, one, 3, 0, 20, 1, nobody);
    Drawn first = draw(families, settings, two, 3, 0, 7, 3, nobody);
    Drawn second = draw(families, settings, two, 3, 7, 13, 2, nobody);
    CHECK_EQUAL(one, two);
    for (std::size_t chain = 0; chain < 3; ++chain) {
        for (std::size_t i = 0; i < 20; ++i) {
            double other = i < 7 ? first.scores[chain * 7 + i] : second.scores[chain * 13 + i - 7];
            CHECK_EQUAL(whole.scores[chain * 20 + i], other);
        }
    }
    CHECK(whole.exchanges[0] > 0);
}

TEST(many_variables_need_more_words) {
    // The same sets, with variables 0 to 4 or 60 to 64.
    int n = 65;
    std::vector<FamilyWeights> wide;
    std::vector<FamilyWeights> narrow = random_families(5, 2, 2, 2.0, 40);
    for (int v = 0; v < n; ++v) {
        ScoredSets sets;
        std::vector<int> candidates;
        if (v < 60) {
            sets = {{0.0}, {0, 0}};
        } else {
            const FamilyWeights& same = narrow[static_cast<std::size_t>(v - 60)];
            for (std::size_t i = 0; i < same.size(); ++i) {
                sets.scores.push_back(same.score(i));
                sets.sets.push_back(*same.set(i) << 60);
                sets.sets.push_back(*same.set(i) >> 4);
            }
            for (int u = 4; u >= 0 && candidates.size() < 2; --u) {
                if (u != v - 60) candidates.push_back(u + 60);
            }
        }
        wide.emplace_back(2, candidates, sets);
    }
    for (Word before = 0; before < 32; ++before) {
        for (Word last = before; last != 0; last = (last - 1) & before) {
            Word b[] = {before << 60, before >> 4}, l[] = {last << 60, last >> 4};
            for (std::size_t v = 0; v < 5; ++v) {
                if (before >> v & 1) continue;
                CHECK_NEAR(wide[60 + v].log_sum(b, l), narrow[v].log_sum(&before, &last), 1e-5);
            }
        }
    }
    Chain chain(wide, 1.0);
    chain.set(std::vector<std::int32_t>(65, 0));
    Stream random(6, 0, 0);
    std::vector<std::int32_t> where(65);
    for (int k = 0; k < 200; ++k) {
        chain.step(random);
        chain.get(where);
        for (int v = 0; v < 60; ++v) CHECK_EQUAL(where[static_cast<std::size_t>(v)], 0);
    }
}
