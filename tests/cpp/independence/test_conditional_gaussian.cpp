#include "independence/conditional_gaussian.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "independence/embedded.hpp"

namespace {

using veridag::ChiSquare;
using veridag::ConditionalGaussian;
using veridag::MixedTable;

bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * (1.0 + std::abs(b)); }

// D with states 0 and 1, E with 0 and 1, and continuous Y and W, in this order.
struct Sample {
    std::vector<std::uint8_t> d, e;
    std::vector<double> y, w;

    MixedTable table() const {
        return MixedTable({{true, d.data(), 2, nullptr},
                           {true, e.data(), 2, nullptr},
                           {false, {}, 0, y.data()},
                           {false, {}, 0, w.data()}},
                          d.size(), nullptr);
    }
};

Sample sample() { return {{0, 0, 0, 1, 1, 1}, {0, 1, 0, 1, 0, 1}, {1, 2, 3, 2, 4, 9}, {1, 0, 2, 5, 3, 1}}; }

}  // namespace

// Scatter 2 and 26 in the cells, 41.5 in all.
TEST(a_category_and_a_measurement_are_tested_by_variances) {
    Sample s = sample();
    MixedTable table = s.table();
    ConditionalGaussian ratio(table);
    double expected = 6 * std::log(41.5 / 6) - 3 * std::log(2.0 / 3) - 3 * std::log(26.0 / 3);
    for (auto [x, y] : {std::pair{0, 2}, std::pair{2, 0}}) {
        ChiSquare found = ratio.of(x, y, {});
        CHECK(close(found.statistic, expected));
        CHECK_EQUAL(found.df, 2.0);
    }
}

// Given D, rho is 1/2 where D is 0, and -14 / sqrt(26 * 8) where it is 1.
TEST(two_measurements_are_tested_in_each_stratum) {
    Sample s = sample();
    MixedTable table = s.table();
    ConditionalGaussian ratio(table);
    std::vector<int> given{0};
    ChiSquare found = ratio.of(2, 3, given);
    CHECK(close(found.statistic, -3 * std::log(1 - 0.25) - 3 * std::log(1 - 196.0 / 208)));
    CHECK_EQUAL(found.df, 2.0);
    std::vector<int> both{0, 1};  // cells of one and two rows
    CHECK_EQUAL(ratio.of(2, 3, both).df, 0.0);
    CHECK_EQUAL(ratio.of(2, 3, both).statistic, 0.0);
}

TEST(the_size_of_a_test_is_known_beforehand) {
    Sample s = sample();
    MixedTable table = s.table();
    std::vector<int> d{0}, w{3}, d_and_w{0, 3};
    CHECK_EQUAL(veridag::design(table, 0, 2, {}).plain_df, 2.0);
    CHECK_EQUAL(veridag::design(table, 1, 2, d_and_w).plain_df, 6.0);
    CHECK_EQUAL(veridag::design(table, 1, 2, d_and_w).rows_needed, 12.0);
    CHECK_EQUAL(veridag::design(table, 2, 3, d).plain_df, 2.0);
    CHECK_EQUAL(veridag::design(table, 0, 1, w).plain_df, 3.0);
    CHECK_EQUAL(veridag::design(table, 0, 1, w).rows_needed, 8.0);
}

TEST(a_constant_in_many_rows_of_a_cell_depends_on_it) {
    Sample s;
    for (int i = 0; i < 20; ++i) {
        s.d.push_back(i < 10);
        s.e.push_back(0);
        s.y.push_back(i < 10 ? 0.3 : i * i);
        s.w.push_back(i % 3);
    }
    MixedTable table = s.table();
    ConditionalGaussian ratio(table);
    CHECK_EQUAL(ratio.of(0, 2, {}).statistic, std::numeric_limits<double>::infinity());
    CHECK_EQUAL(ratio.of(1, 2, {}).df, 0.0);  // E is the same everywhere
}

// Blocks of one, two and no columns.
TEST(blocks_are_tested_by_determinants) {
    std::vector<double> scatter{4, 1, 1, 1, 3, 1, 1, 1, 2};
    veridag::EmbeddedRatio ratio({scatter.data(), {0, 1, 3, 3}, 10.0});
    ChiSquare found = ratio.of(0, 1, {});
    CHECK(close(found.statistic, -10 * std::log(17.0 / (4 * 5))));
    CHECK_EQUAL(found.df, 2.0);
    CHECK_EQUAL(ratio.of(0, 2, {}).df, 0.0);
    veridag::EmbeddedRatio few({scatter.data(), {0, 1, 3, 3}, 3.0});
    CHECK_EQUAL(few.of(0, 1, {}).df, 0.0);  // no more observations than columns
}
