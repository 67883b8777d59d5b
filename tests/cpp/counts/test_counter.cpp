#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "check.hpp"
#include "counts/counter.hpp"
#include "counts/sweep.hpp"

using veridag::Count;
using veridag::Counter;
using veridag::Table;

namespace {

struct RandomData {
    std::vector<int> arities;
    std::vector<std::vector<std::uint8_t>> narrow;
    std::vector<std::vector<std::uint16_t>> wide;
    std::vector<std::int64_t> weights;
    std::size_t rows;
    mutable std::map<std::pair<std::vector<int>, bool>, std::vector<Count>> counted;
    mutable std::vector<veridag::PackedStates> packed;

    RandomData(std::vector<int> r, std::size_t n, unsigned seed)
        : arities(std::move(r)), narrow(arities.size()), wide(arities.size()), rows(n) {
        std::mt19937 random(seed);
        for (std::size_t v = 0; v < arities.size(); ++v) {
            // Skewed, and the last state of a variable of four or more never occurs.
            std::geometric_distribution<int> skewed(0.4);
            int top = arities[v] >= 4 ? arities[v] - 1 : arities[v];
            for (std::size_t i = 0; i < rows; ++i) {
                int state = skewed(random) % top;
                if (arities[v] <= 256)
                    narrow[v].push_back(static_cast<std::uint8_t>(state));
                else
                    wide[v].push_back(static_cast<std::uint16_t>(state));
            }
        }
        for (std::size_t i = 0; i < rows; ++i) weights.push_back(static_cast<std::int64_t>(random() % 4));
    }

    Table table(bool weighted) const {
        std::vector<veridag::StateArray> columns;
        for (std::size_t v = 0; v < arities.size(); ++v) {
            if (arities[v] <= 256)
                columns.emplace_back(narrow[v].data());
            else
                columns.emplace_back(wide[v].data());
        }
        return Table(std::move(columns), arities, rows, weighted ? weights.data() : nullptr);
    }

    // The same with the states packed into as few bits as they need.
    Table packed_table(bool weighted) const {
        packed.clear();
        std::vector<veridag::StateArray> columns;
        for (std::size_t v = 0; v < arities.size(); ++v) {
            int r = arities[v];
            packed.emplace_back(r <= 2 ? 1 : r <= 4 ? 2 : r <= 16 ? 4 : r <= 256 ? 8 : 16);
            std::size_t half = rows / 2;  // in two pieces, whose border is no block's
            if (r <= 256) {
                packed[v].append(std::span<const std::uint8_t>(narrow[v]).first(half));
                packed[v].append(std::span<const std::uint8_t>(narrow[v]).subspan(half));
            } else {
                packed[v].append(std::span<const std::uint16_t>(wide[v]));
            }
        }
        for (const veridag::PackedStates& states : packed) columns.push_back(states.array());
        return Table(std::move(columns), arities, rows, weighted ? weights.data() : nullptr);
    }

    int state(int v, std::size_t i) const {
        auto k = static_cast<std::size_t>(v);
        return arities[k] <= 256 ? narrow[k][i] : wide[k][i];
    }
};

// Counts that are not zero, sorted.
std::vector<Count> sorted(std::span<const Count> counts) {
    std::vector<Count> kept;
    std::copy_if(counts.begin(), counts.end(), std::back_inserter(kept), [](Count n) { return n != 0; });
    std::sort(kept.begin(), kept.end());
    return kept;
}

// Kept, since every kind of instructions is held against the same counts.
const std::vector<Count>& by_hand(const RandomData& data, const std::vector<int>& variables, bool weighted) {
    auto [place, is_new] = data.counted.try_emplace({variables, weighted});
    if (!is_new) return place->second;
    std::map<std::vector<int>, Count> counts;
    for (std::size_t i = 0; i < data.rows; ++i) {
        std::vector<int> key;
        for (int v : variables) key.push_back(data.state(v, i));
        counts[key] += weighted ? data.weights[i] : 1;
    }
    std::vector<Count> kept;
    for (const auto& [key, n] : counts) kept.push_back(n);
    return place->second = sorted(kept);
}

void check_family(const RandomData& data, Counter& counter, int child, const std::vector<int>& parents, bool weighted) {
    auto found = counter.family(child, parents);
    std::vector<int> all = parents;
    all.push_back(child);
    CHECK_EQUAL(sorted(found.cells), by_hand(data, all, weighted));
    CHECK_EQUAL(sorted(found.configurations), by_hand(data, parents, weighted));
    double q = 1.0;
    for (int p : parents) q *= data.arities[static_cast<std::size_t>(p)];
    CHECK_EQUAL(found.q, q);
    CHECK_EQUAL(found.r, data.arities[static_cast<std::size_t>(child)]);
}

}  // namespace

TEST(every_way_of_counting_agrees_with_counting_by_hand) {
    std::string before = veridag::bit_kernels().name;
    for (std::size_t rows : {1UL, 63UL, 64UL, 65UL, 1000UL, 20000UL}) {
        RandomData data({2, 3, 2, 4, 2, 17, 5, 300, 2, 3}, rows, static_cast<unsigned>(rows));
        for (const char* kernels : {"portable", "popcnt", "avx2", "avx512"}) {
            if (!veridag::use_bit_kernels(kernels)) continue;
            for (bool weighted : {false, true}) {
                Table table = data.table(weighted);
                Counter counter(table);
                for (int child : {0, 3, 5, 7}) {
                    for (const std::vector<int>& parents :
                         {std::vector<int>{},
                          {1},
                          {2, 4},
                          {1, 2, 4, 8},
                          {6},
                          {1, 2, 4, 6, 8, 9},
                          {1, 2, 4, 6, 8, 9, 5 == child ? 0 : 5, 7 == child ? 0 : 7}}) {
                        std::vector<int> used;
                        std::copy_if(parents.begin(), parents.end(), std::back_inserter(used),
                                     [&](int p) { return p != child; });
                        std::sort(used.begin(), used.end());
                        used.erase(std::unique(used.begin(), used.end()), used.end());
                        check_family(data, counter, child, used, weighted);
                    }
                }
            }
        }
    }
    veridag::use_bit_kernels(before.c_str());
}

TEST(many_rows_are_counted_block_by_block_as_few_are) {
    // The last block is not full, nor is its last word.
    RandomData data({2, 3, 4, 2, 5}, 200'003, 8);
    Table table = data.table(false);
    Counter counter(table);
    for (const std::vector<int>& parents : {std::vector<int>{}, {1}, {1, 2}, {1, 2, 3}})
        check_family(data, counter, 0, parents, false);
    std::vector<int> parents{1}, candidates{2, 3, 4};
    veridag::Sweep sweep(table);
    std::size_t seen = 0;
    auto visit = [&](veridag::Tile& tile) {
        for (std::size_t i = 0; i < tile.size(); ++i, ++seen)
            CHECK_EQUAL(sorted(tile.counts(i).cells), by_hand(data, {1, candidates[tile.place(i)], 0}, false));
    };
    CHECK(sweep.run(0, parents, candidates, visit));
    CHECK_EQUAL(seen, candidates.size());
}

TEST(packed_states_are_counted_as_arrays_are) {
    for (std::size_t rows : {1UL, 2047UL, 2048UL, 2049UL, 20000UL}) {
        RandomData data({2, 3, 2, 4, 2, 17, 5, 300, 2, 3}, rows, static_cast<unsigned>(rows));
        for (bool weighted : {false, true}) {
            Table table = data.packed_table(weighted);
            for (int v = 0; v < table.variables(); ++v) {
                for (std::size_t i : {std::size_t{0}, rows / 2, rows - 1})
                    CHECK_EQUAL(veridag::state_at(table.states(v), i), data.state(v, i));
            }
            Counter counter(table);
            for (const std::vector<int>& parents : {std::vector<int>{}, {1}, {2, 4}, {1, 2, 4, 6, 8, 9}, {5, 6, 7}})
                check_family(data, counter, 3, parents, weighted);
        }
    }
    CHECK_THROWS(veridag::PackedStates(3), std::invalid_argument);
    std::vector<std::uint8_t> large{0, 4};
    CHECK_THROWS(veridag::PackedStates(2).append(std::span<const std::uint8_t>(large)), std::invalid_argument);
}

TEST(a_table_of_some_variables_shares_their_bit_rows) {
    RandomData data({2, 3, 4, 5}, 1000, 1);
    Table table = data.table(false);
    const veridag::Word* bits = table.bits(2);
    std::vector<int> chosen{2, 0};
    Table part(table, chosen);
    CHECK_EQUAL(part.variables(), 2);
    CHECK_EQUAL(part.arity(0), 4);
    CHECK_EQUAL(part.mode(1), table.mode(0));
    CHECK_EQUAL(part.bits(0) == bits, true);
    CHECK_EQUAL(part.bits(1) == table.bits(0), true);
    CHECK_EQUAL(part.bits_a_row(), std::size_t{4});
}

TEST(a_family_extended_by_every_candidate_is_counted_as_each_alone) {
    // From a few cells to thousands, so that bits, columns and rows each have their turn; 34 candidates have more bits
    // than four words.
    std::string before = veridag::bit_kernels().name;
    for (std::size_t rows : {1UL, 7UL, 700UL, 20000UL}) {
        std::vector<int> arities(40, 3);
        for (std::size_t v = 10; v < 30; ++v) arities[v] = 16;
        RandomData data(arities, rows, static_cast<unsigned>(rows));
        for (const char* kernels : {"portable", "popcnt", "avx2", "avx512"}) {
            if (!veridag::use_bit_kernels(kernels)) continue;
            Table table = data.table(false);
            veridag::Sweep sweep(table);
            for (std::size_t number : {0UL, 1UL, 3UL, 5UL, 7UL}) {
                std::vector<int> parents(number), candidates;
                for (std::size_t k = 0; k < number; ++k) parents[k] = static_cast<int>(k);
                for (int u = 9; u < 40; ++u) candidates.push_back(u);
                std::size_t seen = 0;
                auto visit = [&](veridag::Tile& tile) {
                    for (std::size_t i = 0; i < tile.size(); ++i) {
                        CHECK_EQUAL(tile.place(i), seen++);
                        veridag::FamilyCounts counts = tile.counts(i);
                        std::vector<int> all = parents;
                        all.push_back(candidates[tile.place(i)]);
                        CHECK_EQUAL(sorted(counts.configurations), by_hand(data, all, false));
                        all.push_back(8);
                        CHECK_EQUAL(sorted(counts.cells), by_hand(data, all, false));
                        double squares = 0.0, cubes = 0.0;
                        for (Count n : counts.cells) squares += static_cast<double>(n * n);
                        for (Count n : counts.configurations) cubes += static_cast<double>(n * n * n);
                        auto square = [](Count n) { return static_cast<double>(n * n); };
                        auto cube = [](Count n) { return static_cast<double>(n * n * n); };
                        CHECK_EQUAL(tile.sum(i, square, cube), squares - cubes);
                    }
                };
                bool side_by_side = sweep.run(8, parents, candidates, visit);
                CHECK_EQUAL(seen, side_by_side ? candidates.size() : 0);
                if (rows == 20000) CHECK_EQUAL(side_by_side, number < 7);
            }
        }
    }
    veridag::use_bit_kernels(before.c_str());
}

TEST(columns_are_counted_alike_by_every_kernel) {
    std::mt19937_64 random(5);
    std::vector<veridag::Word> rows(8 * 3000);
    for (auto& word : rows) word = random() & random();
    std::vector<std::uint32_t> order(3000);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(2999 - i);
    for (const char* kernels : {"portable", "popcnt", "avx2", "avx512"}) {
        const veridag::BitKernels* found = veridag::bit_kernels(kernels);
        if (!found) continue;
        for (std::size_t words : {1UL, 2UL, 3UL, 4UL}) {
            for (std::size_t count : {0UL, 1UL, 7UL, 8UL, 9UL, 2039UL, 2040UL, 3000UL}) {
                std::vector<std::uint32_t> counts(64 * words, 99U), expected(64 * words, 0U);
                for (std::size_t i = 0; i < count; ++i) {
                    for (std::size_t bit = 0; bit < 64 * words; ++bit)
                        expected[bit] += rows[8 * order[i] + 4 + bit / 64] >> (bit % 64) & 1U;
                }
                found->count_columns(rows.data() + 4, 8, words, order.data(), count, counts.data());
                CHECK_EQUAL(counts, expected);
            }
        }
    }
}

TEST(dense_counts_come_in_the_order_of_the_variables) {
    RandomData data({2, 3, 4}, 500, 7);
    Table table = data.table(false);
    Counter counter(table);
    std::vector<int> variables{2, 0, 1};
    auto counts = counter.dense(variables, 1000);
    CHECK_EQUAL(counts.size(), 24);
    std::vector<Count> expected(24, 0);
    for (std::size_t i = 0; i < data.rows; ++i)
        ++expected[static_cast<std::size_t>((data.state(2, i) * 2 + data.state(0, i)) * 3 + data.state(1, i))];
    CHECK(std::equal(counts.begin(), counts.end(), expected.begin()));
    CHECK(counter.dense(variables, 23).empty());
}

TEST(more_cells_than_a_word_can_number_are_counted) {
    // 40 parents of 16 states: 2^160 configurations
    RandomData data(std::vector<int>(41, 16), 300, 3);
    Table table = data.table(false);
    Counter counter(table);
    std::vector<int> parents;
    for (int v = 0; v < 40; ++v) parents.push_back(v);
    check_family(data, counter, 40, parents, false);
}

TEST(a_state_beyond_the_arity_is_refused) {
    std::vector<std::uint8_t> states{0, 1, 2};
    std::vector<veridag::StateArray> columns{states.data()};
    CHECK_THROWS(Table(columns, {2}, 3, nullptr), std::invalid_argument);
}

TEST(no_kernel_overflows_where_all_bits_are_set) {
    constexpr std::size_t words = 32 * 40 + 7, number = 8 * 300 + 5;
    std::vector<veridag::Word> ones(std::max(words, number + 4), ~veridag::Word{0}), stored(words);
    std::vector<std::uint32_t> order(number), columns(64);
    std::iota(order.begin(), order.end(), 0U);
    for (const char* name : {"portable", "popcnt", "avx2", "avx512"}) {
        const veridag::BitKernels* kernels = veridag::bit_kernels(name);
        if (!kernels) continue;
        CHECK_EQUAL(kernels->count_and(ones.data(), ones.data(), words), 64 * words);
        CHECK_EQUAL(kernels->store_and(ones.data(), ones.data(), stored.data(), words), 64 * words);
        kernels->count_columns(ones.data(), 1, 1, order.data(), number, columns.data());
        CHECK_EQUAL(columns, std::vector<std::uint32_t>(64, number));
    }
}

TEST(tables_of_more_cells_than_16_bits_can_number_are_counted) {
    RandomData data({256, 300}, 40000, 3);
    for (std::size_t i = 0; i < data.rows; ++i) {  // so that the last cells occur too
        data.narrow[0][i] = static_cast<std::uint8_t>(7 * i % 255);
        data.wide[1][i] = static_cast<std::uint16_t>(i % 299);
    }
    Table table = data.table(false);
    Counter counter(table);
    std::vector<int> both{0, 1};
    CHECK(!counter.is_sparse(256.0 * 300.0));
    CHECK_EQUAL(sorted(counter.joint(both)), by_hand(data, both, false));
}

TEST(the_logarithm_of_configurations_beyond_a_double_is_known) {
    RandomData data(std::vector<int>(701, 3), 5, 4);
    Table table = data.table(false);
    Counter counter(table);
    std::vector<int> parents(700);
    for (int p = 0; p < 700; ++p) parents[static_cast<std::size_t>(p)] = p;
    veridag::FamilyCounts found = counter.family(700, parents);
    CHECK(std::isinf(found.q));
    CHECK_NEAR(found.log_q, 700.0 * std::log(3.0), 1e-9);
}
