#include "sampling/weighting.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "check.hpp"

using veridag::block_rows;
using veridag::Configurations;
using veridag::LikelihoodWeighting;
using veridag::WeightedNode;
using veridag::WeightedSums;

namespace {

constexpr std::size_t rows = 5 * block_rows + 100;

// A with two states -> X, normal with mean 0 or 2, and A -> B with three states.
struct Net {
    std::vector<double> a{0.25, 0.75}, b{0.5, 0.5, 0.0, 0.1, 0.2, 0.7};
    std::vector<double> x{0.0, 1.0, 2.0, 0.5};  // intercept and standard deviation for each state of A

    LikelihoodWeighting weighting(std::optional<double> of_b, std::optional<double> of_x,
                                  std::uint64_t seed = 1) const {
        Configurations of_a{{0}, {1}, 2};
        std::vector<WeightedNode> nodes{
            {{}, 2, {}, a.data(), 0, {}}, {of_a, 3, {}, b.data(), 1, of_b}, {of_a, 0, {}, x.data(), 2, of_x}};
        return LikelihoodWeighting(std::move(nodes), {0, 2, 1}, {{0}, {0, 1}}, {2}, seed);
    }
};

double density(double x, double mean, double sd) {
    double distance = (x - mean) / sd;
    return std::exp(-0.5 * distance * distance) / (sd * std::sqrt(2.0 * std::numbers::pi));
}

void check_equal(const WeightedSums& one, const WeightedSums& other) {
    CHECK_EQUAL(one.rows, other.rows);
    CHECK_EQUAL(one.log_scale, other.log_scale);
    CHECK_EQUAL(one.total, other.total);
    CHECK_EQUAL(one.cells, other.cells);
    CHECK_EQUAL(one.cell_squares, other.cell_squares);
    CHECK_EQUAL(one.moments[0].mean, other.moments[0].mean);
    CHECK_EQUAL(one.moments[0].squares_second, other.moments[0].squares_second);
}

}  // namespace

TEST(weighted_sums_do_not_depend_on_threads_or_on_how_rows_are_split_into_calls) {
    Net net;
    LikelihoodWeighting one = net.weighting(1.0, {}), threads = net.weighting(1.0, {}), calls = net.weighting(1.0, {});
    one.add(rows, 1);
    threads.add(rows, 4);
    calls.add(2 * block_rows, 1);
    calls.add(rows - 2 * block_rows, 2);
    check_equal(one.sums(), threads.sums());
    check_equal(one.sums(), calls.sums());
    CHECK_THROWS(calls.add(1, 1), std::invalid_argument);  // the last block was not full
}

TEST(without_evidence_every_row_weighs_one) {
    Net net;
    LikelihoodWeighting drawn = net.weighting({}, {});
    drawn.add(rows, 1);
    const WeightedSums& sums = drawn.sums();
    CHECK_EQUAL(sums.total, static_cast<double>(rows));
    CHECK_EQUAL(sums.squares, static_cast<double>(rows));
    CHECK_EQUAL(sums.cells, sums.cell_squares);
    CHECK_NEAR(sums.cells[1] / sums.total, 0.75, 0.02);
    CHECK_EQUAL(sums.cells[2 + 2], 0.0);  // of probability zero
    CHECK_NEAR(sums.moments[0].mean, 1.5, 0.05);
    CHECK_NEAR(sums.moments[0].spread / sums.total, 0.25 * 1.0 + 0.75 * 0.25 + 0.75, 0.05);
}

TEST(evidence_weighs_by_its_probability_and_density) {
    Net net;
    LikelihoodWeighting plain = net.weighting({}, {}), weighted = net.weighting(2.0, 1.25);
    plain.add(rows, 1);
    weighted.add(rows, 1);
    const WeightedSums& sums = weighted.sums();
    double ones = plain.sums().cells[1];  // the same draws of A
    double expected = ones * 0.7 * density(1.25, 2.0, 0.5);
    CHECK_EQUAL(sums.cells[0], 0.0);  // B = 2 is impossible with A = 0
    CHECK_NEAR(sums.total * std::exp(sums.log_scale), expected, 1e-9 * expected);
    CHECK_EQUAL(sums.moments[0].mean, 1.25);
    LikelihoodWeighting likely = net.weighting(1.0, 1.25);
    likely.add(rows, 1);
    double zeros = static_cast<double>(rows) - ones;
    double weights[] = {0.5 * density(1.25, 0.0, 1.0), 0.2 * density(1.25, 2.0, 0.5)};
    double total = zeros * weights[0] + ones * weights[1];
    CHECK_NEAR(likely.sums().cells[0] / likely.sums().total, zeros * weights[0] / total, 1e-12);
    double squares = zeros * weights[0] * weights[0] + ones * weights[1] * weights[1];
    CHECK_NEAR(likely.sums().total * likely.sums().total / likely.sums().squares, total * total / squares, 1e-6);
}

TEST(impossible_evidence_leaves_no_weight) {
    Net net;
    net.a = {1.0, 0.0};
    LikelihoodWeighting drawn = net.weighting(2.0, {});
    drawn.add(rows, 2);
    CHECK_EQUAL(drawn.sums().rows, rows);
    CHECK_EQUAL(drawn.sums().total, 0.0);
    CHECK_THROWS(net.weighting(3.0, {}), std::invalid_argument);
}

TEST(sums_of_any_scale_add_up_around_a_common_mean) {
    WeightedSums one, other;
    one.log_scale = -1000.0;  // two rows of this weight at 1 and 3
    one.total = one.squares = 2.0;
    one.rows = 2;
    one.cells = one.cell_squares = {2.0};
    one.moments = {{2.0, 2.0, 0.0, 2.0}};
    other.log_scale = -1000.0 + std::log(2.0);  // one row of twice the weight at 8
    other.total = other.squares = 1.0;
    other.rows = 1;
    other.cells = other.cell_squares = {1.0};
    other.moments = {{8.0, 0.0, 0.0, 0.0}};
    one.add(other);
    CHECK_NEAR(one.total, 2.0, 1e-12);
    CHECK_NEAR(one.squares, 1.5, 1e-12);
    CHECK_NEAR(one.cells[0], 2.0, 1e-12);
    CHECK_NEAR(one.moments[0].mean, 5.0, 1e-12);
    CHECK_NEAR(one.moments[0].spread, 0.5 * (16.0 + 4.0) + 9.0, 1e-11);
    CHECK_NEAR(one.moments[0].squares_second, 0.25 * (16.0 + 4.0) + 9.0, 1e-11);
    WeightedSums nothing;
    nothing.rows = 5;
    one.add(nothing);
    CHECK_EQUAL(one.rows, std::size_t{8});
    CHECK_NEAR(one.total, 2.0, 1e-12);
}
