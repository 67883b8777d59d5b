#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "random.hpp"
#include "sampling/sample.hpp"

using veridag::Configurations;  // named in braces: GCC 12 destroys what is in nameless ones twice if memory runs out
using veridag::DiscreteNode;
using veridag::GaussianNode;
using veridag::Node;

namespace {

constexpr std::size_t rows = 3 * veridag::block_rows + 17;

// A with 2 states, B with 300 (so of two bytes), C with 3 given A and B.
struct Discrete {
    std::vector<double> a{0.25, 0.75}, b = std::vector<double>(300, 1.0 / 300),
                                       c = std::vector<double>(2 * 300 * 3, 0.0);
    std::vector<std::uint8_t> a_out = std::vector<std::uint8_t>(rows), c_out = std::vector<std::uint8_t>(rows);
    std::vector<std::uint16_t> b_out = std::vector<std::uint16_t>(rows);

    Discrete() {
        for (std::size_t row = 0; row < 600; ++row) c[row * 3 + row % 3] = 1.0;  // C is a function of its parents
    }

    void draw(std::size_t n, std::uint64_t seed, int threads) {
        std::vector<Node> nodes{DiscreteNode{{}, 2, a.data(), a_out.data()},
                                DiscreteNode{{}, 300, b.data(), b_out.data()},
                                DiscreteNode{Configurations{{0, 1}, {300, 1}, 600}, 3, c.data(), c_out.data()}};
        veridag::sample(nodes, {1, 0, 2}, n, seed, threads);
    }
};

}  // namespace

TEST(uniform_numbers_lie_in_the_unit_interval_and_streams_differ) {
    veridag::Stream one(1, 0, 0), again(1, 0, 0), other_block(1, 1, 0), other_variable(1, 0, 1), other_seed(2, 0, 0);
    double sum = 0.0;
    for (int i = 0; i < 100000; ++i) {
        double u = one.uniform();
        CHECK(u >= 0.0 && u < 1.0);
        CHECK_EQUAL(u, again.uniform());
        sum += u;
    }
    CHECK_NEAR(sum / 100000, 0.5, 0.005);
    auto first = veridag::Stream(1, 0, 0).bits();
    CHECK(first != other_block.bits() && first != other_variable.bits() && first != other_seed.bits());
}

TEST(variables_without_a_common_cause_are_independent) {
    Discrete net;
    net.draw(rows, 5, 1);
    double both = 0.0, share_of_a = 0.0, low_b = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
        both += net.a_out[i] == 0 && net.b_out[i] < 150;
        share_of_a += net.a_out[i] == 0;
        low_b += net.b_out[i] < 150;
    }
    auto n = static_cast<double>(rows);
    CHECK_NEAR(both / n, share_of_a / n * low_b / n, 0.03);
}

TEST(states_follow_their_parents_in_wide_and_narrow_columns) {
    Discrete net;
    net.draw(rows, 3, 1);
    std::size_t ones = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        CHECK(net.b_out[i] < 300);
        CHECK_EQUAL(net.c_out[i], (300U * net.a_out[i] + net.b_out[i]) % 3);
        ones += net.a_out[i];
    }
    CHECK_NEAR(static_cast<double>(ones) / static_cast<double>(rows), 0.75, 0.02);
}

TEST(rows_do_not_depend_on_threads_and_a_short_sample_starts_a_long_one) {
    Discrete one, three, brief;
    one.draw(rows, 9, 1);
    three.draw(rows, 9, 3);
    brief.draw(veridag::block_rows + 5, 9, 2);
    CHECK(one.a_out == three.a_out && one.b_out == three.b_out && one.c_out == three.c_out);
    for (std::size_t i = 0; i < veridag::block_rows + 5; ++i) CHECK_EQUAL(one.b_out[i], brief.b_out[i]);
}

TEST(an_impossible_state_is_never_drawn) {
    std::vector<double> p{0.0, 0.1, 0.2, 0.7 - 1e-9, 0.0, 0.0};
    std::vector<std::uint8_t> out(rows);
    std::vector<Node> nodes{DiscreteNode{{}, 6, p.data(), out.data()}};
    veridag::sample(nodes, {0}, rows, 4, 1);
    for (std::uint8_t state : out) CHECK(state >= 1 && state <= 3);
    p.assign(6, 0.0);
    CHECK_THROWS(veridag::sample(nodes, {0}, rows, 4, 1), std::invalid_argument);
}

TEST(gaussian_children_follow_their_regression) {
    std::vector<double> x(rows), y(rows), of_x{1.0, 3.0}, of_y{-1.0, 2.0, 0.0};
    std::vector<Node> nodes{GaussianNode{{}, {}, of_x.data(), x.data()}, GaussianNode{{}, {0}, of_y.data(), y.data()}};
    veridag::sample(nodes, {0, 1}, rows, 5, 2);
    double mean = 0.0, square = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
        CHECK_EQUAL(y[i], -1.0 + 2.0 * x[i]);
        mean += x[i] / static_cast<double>(rows);
        square += (x[i] - 1.0) * (x[i] - 1.0) / static_cast<double>(rows);
    }
    CHECK_NEAR(mean, 1.0, 0.15);
    CHECK_NEAR(square, 9.0, 0.5);
}

TEST(discrete_parents_choose_the_regression_on_the_continuous_ones) {
    // y given a (2 states) and c (3 states): without noise, so that every row tells its regression
    Discrete net;
    net.draw(rows, 6, 1);
    std::vector<double> x(rows), y(rows), of_x{0.0, 1.0}, of_y;
    for (int row = 0; row < 6; ++row) of_y.insert(of_y.end(), {10.0 * row, 1.0 + row, 0.0});
    std::vector<std::uint8_t> a(rows), c(rows);
    std::vector<Node> nodes{DiscreteNode{{}, 2, net.a.data(), a.data()}, GaussianNode{{}, {}, of_x.data(), x.data()},
                            GaussianNode{Configurations{{0, 3}, {3, 1}, 6}, {1}, of_y.data(), y.data()},
                            DiscreteNode{Configurations{{0}, {1}, 2}, 3, net.c.data(), c.data()}};
    veridag::sample(nodes, {0, 3, 1, 2}, rows, 6, 3);
    CHECK(a == net.a_out);  // a variable's stream is its own, whatever else is there
    for (std::size_t i = 0; i < rows; ++i) {
        double row = 3.0 * a[i] + c[i];
        CHECK_EQUAL(y[i], 10.0 * row + (1.0 + row) * x[i]);
    }
}

TEST(rows_of_both_kinds_do_not_depend_on_threads_and_a_short_sample_starts_a_long_one) {
    std::vector<double> table{0.3, 0.7}, regressions{-5.0, 0.1, 5.0, 2.0};
    auto draw = [&](std::size_t n, int threads) {
        std::vector<std::uint8_t> a(n);
        std::vector<double> x(n);
        std::vector<Node> nodes{DiscreteNode{{}, 2, table.data(), a.data()},
                                GaussianNode{Configurations{{0}, {1}, 2}, {}, regressions.data(), x.data()}};
        veridag::sample(nodes, {0, 1}, n, 8, threads);
        return x;
    };
    std::vector<double> one = draw(rows, 1), brief = draw(veridag::block_rows + 5, 2);
    CHECK(one == draw(rows, 3));
    CHECK(std::equal(brief.begin(), brief.end(), one.begin()));
    for (double x : one) CHECK(std::abs(x + 5.0) < 1.0 || std::abs(x - 5.0) < 12.0);
}

TEST(no_rows_are_no_problem) {
    Discrete net;
    net.draw(0, 1, 4);
    CHECK_EQUAL(net.a_out[0], 0);
}
