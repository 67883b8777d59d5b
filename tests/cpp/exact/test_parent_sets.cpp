#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "check.hpp"
#include "exact/parent_sets/bounds.hpp"
#include "exact/parent_sets/enumerate.hpp"
#include "exact/parent_sets/ranks.hpp"
#include "exact/parent_sets/set_counter.hpp"
#include "exact/parent_sets/set_list.hpp"
#include "scores/discrete.hpp"

using namespace veridag;

namespace {

std::vector<std::vector<int>> subsets(int n, std::size_t size, int from = 0) {
    if (size == 0) return {{}};
    std::vector<std::vector<int>> all;
    for (int first = from; first < n; ++first) {
        for (std::vector<int> rest : subsets(n, size - 1, first + 1)) {
            rest.insert(rest.begin(), first);
            all.push_back(std::move(rest));
        }
    }
    return all;
}

struct Sample {
    std::vector<int> arities;
    std::vector<std::vector<std::uint8_t>> columns;
    std::vector<std::int64_t> weights;

    Sample(std::vector<int> r, std::size_t rows, unsigned seed) : arities(std::move(r)), columns(arities.size()) {
        std::mt19937 random(seed);
        std::geometric_distribution<int> skewed(0.4);
        for (std::size_t v = 0; v < arities.size(); ++v) {
            for (std::size_t i = 0; i < rows; ++i) {
                bool copies = v > 0 && random() % 2 == 0;
                columns[v].push_back(
                    static_cast<std::uint8_t>((copies ? columns[v - 1][i] : skewed(random)) % arities[v]));
            }
        }
        for (std::size_t i = 0; i < rows; ++i) weights.push_back(static_cast<std::int64_t>(random() % 3));
    }

    Table table(bool weighted) const {
        std::vector<StateArray> states;
        for (const auto& column : columns) states.emplace_back(column.data());
        return Table(std::move(states), arities, columns[0].size(), weighted ? weights.data() : nullptr);
    }
};

// Sum of squares, and how many there are, of the counts of joint states.
std::pair<double, std::size_t> by_hand(const Sample& data, const std::vector<int>& set, bool weighted) {
    std::map<std::vector<int>, std::int64_t> counts;
    for (std::size_t i = 0; i < data.columns[0].size(); ++i) {
        std::vector<int> key;
        for (int v : set) key.push_back(data.columns[static_cast<std::size_t>(v)][i]);
        counts[key] += weighted ? data.weights[i] : 1;
    }
    double sum = 0.0;
    std::size_t occurring = 0;
    for (const auto& [key, n] : counts) {
        sum += static_cast<double>(n) * static_cast<double>(n);
        occurring += n > 0;
    }
    return {sum, occurring};
}

ParentSets enumerate(const Sample& data, const Table& table, const std::string& score, bool bounded, int limit,
                     int threads = 1) {
    auto n = static_cast<int>(data.arities.size());
    ParentSetProblem problem{[&table, score] {
                                 std::vector<double> numbers(
                                     score == "bic" || score == "bdeu" || score == "bds" ? 1 : 0,
                                     score == "bic" ? 0.0 : 1.0);
                                 return make_discrete_set_scorer(table, score, numbers);
                             },
                             {},
                             Constraints(n, limit),
                             bounded,
                             1e9,
                             threads};
    Progress silent;
    return enumerate_parent_sets(problem, silent);
}

// Of the child 0, for every score, every parent set and every superset.
void check_bounds(const Sample& data) {
    Table table = data.table(false);
    for (const std::string score : {"loglik", "aic", "bic", "k2", "jeffreys", "bdeu", "bds", "fnml", "qnml"}) {
        std::vector<double> numbers(score == "bic" || score == "bdeu" || score == "bds" ? 1 : 0,
                                    score == "bic" ? 0.0 : 1.0);
        auto scorer = make_discrete_set_scorer(table, score, numbers);
        auto reference = make_discrete_score(score, numbers, 6);
        Counter counter(table);
        Functions functions;
        auto cached = [&](const std::vector<int>& set) {
            std::vector<double> values(scorer->width());
            scorer->take(set, 1);
            scorer->values(values.data());
            return values;
        };
        std::vector<int> others{1, 2, 3, 4, 5};
        double most = scorer->most_likely(0, others);
        for (std::size_t size = 0; size < 5; ++size) {
            for (std::vector<int> parents : subsets(5, size)) {
                for (int& p : parents) ++p;
                std::vector<double> values = cached(parents);
                std::vector<int> family = parents;
                family.insert(family.begin(), 0);
                scorer->take(family, 1);
                double local = scorer->local(0, values.data());
                CHECK_NEAR(local, reference->local(counter.family(0, parents), functions), 1e-9);
                for (std::size_t more = 1; more <= 5 - size; ++more) {
                    double bound = scorer->bound(0, values.data(), more, most);
                    for (std::vector<int> larger : subsets(5, size + more)) {
                        for (int& p : larger) ++p;
                        if (!std::includes(larger.begin(), larger.end(), parents.begin(), parents.end())) continue;
                        CHECK(reference->local(counter.family(0, larger), functions) <= bound + 1e-9);
                    }
                }
                for (std::size_t removed = 1; removed < family.size(); ++removed) {
                    std::vector<int> rest = parents;
                    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(removed - 1));
                    double gain = scorer->gain_of_removal(family, 0, removed, values.data(), cached(rest).data());
                    for (std::size_t more = 0; more <= 5 - size; ++more) {
                        for (std::vector<int> larger : subsets(5, size + more)) {
                            for (int& p : larger) ++p;
                            if (!std::includes(larger.begin(), larger.end(), parents.begin(), parents.end())) continue;
                            std::vector<int> without = larger;
                            std::erase(without, family[removed]);
                            double difference = reference->local(counter.family(0, without), functions) -
                                                reference->local(counter.family(0, larger), functions);
                            CHECK(difference >= gain - 1e-9);
                        }
                    }
                    scorer->take(family, 1);
                }
            }
        }
    }
}

}  // namespace

TEST(ranks_number_the_sets_of_a_size) {
    Ranks ranks(9);
    ranks.have_size(5);
    for (std::size_t size : {0UL, 1UL, 3UL, 5UL}) {
        std::set<Rank> seen;
        std::vector<Rank> in_order;
        for (const auto& set : subsets(9, size)) {
            seen.insert(ranks.of(set));
            in_order.push_back(ranks.of(set));
        }
        CHECK_EQUAL(static_cast<double>(seen.size()), ranks.possible(size));
        CHECK_EQUAL(*seen.rbegin(), seen.size() - 1);
        CHECK(std::is_sorted(in_order.rbegin(), in_order.rend()));
    }
    CHECK_EQUAL(ranks.possible(10), 0.0);
}

TEST(ranks_of_subsets_are_those_of_the_sets_without) {
    Ranks ranks(8);
    ranks.have_size(6);
    SubsetRanks subset;
    for (std::size_t size : {1UL, 2UL, 5UL}) {
        for (const auto& set : subsets(8, size)) {
            subset.take(set, ranks);
            CHECK_EQUAL(subset.whole(), ranks.of(set));
            for (std::size_t i = 0; i < size; ++i) {
                std::vector<int> one = set;
                one.erase(one.begin() + static_cast<std::ptrdiff_t>(i));
                CHECK_EQUAL(subset.without(i), ranks.of(one));
                for (std::size_t j = i + 1; j < size; ++j) {
                    std::vector<int> two = one;
                    two.erase(two.begin() + static_cast<std::ptrdiff_t>(j - 1));
                    CHECK_EQUAL(subset.without(i, j), ranks.of(two));
                }
            }
        }
    }
}

TEST(a_rank_map_remembers_in_an_array_and_by_hashing) {
    for (double expected : {1e6, 0.0}) {
        RankMap map(5000.0, expected, 2);
        CHECK_EQUAL(RankMap::is_dense(5000.0, expected), expected > 0.0);
        CHECK(map.find(17) == nullptr);
        for (Rank rank = 0; rank < 5000; rank += 3) {
            double* values = map.insert(rank);
            values[0] = static_cast<double>(rank);
            values[1] = -1.0;
        }
        *map.insert(3) = 4.0;
        CHECK_EQUAL(map.find(3)[0], 4.0);
        CHECK_EQUAL(map.find(4998)[0], 4998.0);
        CHECK(map.find(4) == nullptr);
        CHECK(RankMap().find(0) == nullptr);
    }
    for (double expected : {1e6, 0.0}) {
        RankSet set(1e7, expected);
        CHECK(set.insert(12345));
        CHECK(!set.insert(12345));
        CHECK(set.insert(12346));
    }
}

TEST(a_list_of_sets_is_put_in_order) {
    for (int variables : {9, 60000}) {  // packed into words, or not
        auto expected = subsets(9, 4);
        auto shuffled = expected;
        shuffled.push_back(expected[5]);
        std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(1));
        SetList list(4);
        for (const auto& set : shuffled) list.push_back(set);
        list.sort(variables);
        list.remove_duplicates();
        CHECK_EQUAL(list.size(), expected.size());
        for (std::size_t i = 0; i < list.size(); ++i) CHECK(std::ranges::equal(list[i], expected[i]));
        CHECK_EQUAL(list.common(0, 1), 3);
    }
    SetList wide(6);
    for (const auto& set : {std::vector<int>{1, 2, 3, 4, 5, 60000}, {0, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 59999}})
        wide.push_back(set);
    wide.sort(65000);
    CHECK(wide[0][0] == 0 && wide[1][5] == 59999 && wide[2][5] == 60000);
}

TEST(sets_counted_in_company_and_alone_have_the_counts_by_hand) {
    for (std::size_t rows : {1UL, 63UL, 65UL, 300UL, 5000UL}) {
        Sample data({2, 3, 4, 2, 1, 5, 20}, rows, static_cast<unsigned>(rows));
        for (bool weighted : {false, true}) {
            Table table = data.table(weighted);
            for (std::size_t company : {1UL, 10UL}) {
                SetCounter counter(table);
                for (std::size_t size : {0UL, 1UL, 2UL, 3UL, 4UL, 7UL, 2UL}) {
                    for (const auto& set : subsets(7, size)) {
                        counter.count(set, company);
                        auto [sum, occurring] = by_hand(data, set, weighted);
                        CHECK_EQUAL(
                            counter.sum([](Count n) { return static_cast<double>(n) * static_cast<double>(n); }), sum);
                        CHECK_EQUAL(counter.occurring(), occurring);
                    }
                }
            }
        }
    }
}

TEST(bounds_hold_for_every_superset) {
    for (std::size_t rows : {200UL, 40UL, 12UL, 5UL}) {  // with few rows, each alone in its cell, bounds are met
        check_bounds(Sample({2, 3, 2, 4, 2, 3}, rows, 5));
        Sample copy({2, 2, 2, 3, 2, 3}, rows, 6);
        copy.columns[0] = copy.columns[1];  // a parent tells all of the child, and the child all of the parent
        check_bounds(copy);
    }
}

TEST(bounds_save_work_and_change_nothing) {
    for (std::size_t rows : {80UL, 1500UL}) {
        Sample data({2, 3, 2, 2, 3, 2, 2, 4, 2, 2}, rows, 9);
        Table table = data.table(false);
        for (const std::string score : {"aic", "bic", "bdeu", "k2", "jeffreys", "fnml"}) {
            ParentSets bounded = enumerate(data, table, score, true, 9),
                       whole = enumerate(data, table, score, false, 9);
            CHECK_EQUAL(whole.scored, 10 * 512);
            if (rows == 80) CHECK(bounded.scored < whole.scored);  // cells are soon empty, and bounds tight
            CHECK_EQUAL(bounded.offsets, whole.offsets);
            CHECK_EQUAL(bounded.parents, whole.parents);
            ParentSets threads = enumerate(data, table, score, true, 9, 3);
            CHECK_EQUAL(threads.scores, bounded.scores);
            CHECK_EQUAL(threads.parents, bounded.parents);
        }
    }
}

TEST(a_set_that_a_subset_ties_with_is_left_out) {
    Sample data({3, 3, 2}, 500, 4);
    data.columns[1] = data.columns[0];  // says nothing more, so that the log-likelihood of both is that of either
    Table table = data.table(false);
    for (bool bounded : {false, true}) {
        ParentSets found = enumerate(data, table, "loglik", bounded, 2);
        std::multiset<std::vector<int>> sets;
        for (auto i = static_cast<std::size_t>(found.offsets[2]); i < static_cast<std::size_t>(found.offsets[3]); ++i)
            sets.emplace(found.parents.begin() + found.parent_offsets[i],
                         found.parents.begin() + found.parent_offsets[i + 1]);
        CHECK(sets == (std::multiset<std::vector<int>>{{}, {0}, {1}}));
    }
}

TEST(dominated_sets_are_kept_if_they_are_asked_for) {
    Sample data({2, 3, 2, 2, 3}, 100, 9);
    Table table = data.table(false);
    std::vector<double> gamma{0.0};
    ParentSetProblem problem{
        [&] { return make_discrete_set_scorer(table, "bic", gamma); }, {}, Constraints(5, 4), false, 1e9, 1, true};
    Progress silent;
    ParentSets all = enumerate_parent_sets(problem, silent);
    CHECK_EQUAL(all.offsets, std::vector<std::int64_t>{0, 16, 32, 48, 64, 80});
    for (std::size_t i = 1; i < 80; ++i) CHECK(i % 16 == 0 || all.scores[i] <= all.scores[i - 1]);
    problem.bounded = true;
    CHECK_THROWS(enumerate_parent_sets(problem, silent), std::invalid_argument);
}

TEST(a_memory_limit_is_kept) {
    Sample data({2, 3, 2, 2, 3, 2, 2, 4, 2, 2}, 400, 9);
    Table table = data.table(false);
    std::vector<double> none;
    ParentSetProblem problem{
        [&] { return make_discrete_set_scorer(table, "k2", none); }, {}, Constraints(10, 9), false, 20000.0, 1};
    Progress silent;
    CHECK_THROWS(enumerate_parent_sets(problem, silent), TooManyParentSets);
}
