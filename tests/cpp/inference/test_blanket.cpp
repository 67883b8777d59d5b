#include <cmath>
#include <limits>

#include "check.hpp"
#include "inference/blanket.hpp"

using namespace veridag::inference;
using veridag::Progress;

namespace {

// A target of two states with a parent of three, in bytes, and a child of two, in shorts, over more rows than a block.
struct Rows {
    static constexpr std::size_t count = 5000;
    std::vector<std::uint8_t> parent;
    std::vector<std::uint16_t> child;
    std::vector<double> own{0.25, 0.75, 0.5, 0.5, 1.0, 0.0};  // parent, target
    std::vector<double> below{0.5, 0.125, 0.5, 0.875};        // child, target
    std::vector<double> log_own, log_below;

    Rows() {
        for (std::size_t i = 0; i < count; ++i) {
            parent.push_back(static_cast<std::uint8_t>(i % 3));
            child.push_back(static_cast<std::uint16_t>(i % 2));
        }
        for (double p : own) log_own.push_back(std::log(p));
        for (double p : below) log_below.push_back(std::log(p));
    }

    std::vector<BlanketFactor> factors() const {
        return {{log_own.data(), {{parent.data(), {0, 2, 4}}}}, {log_below.data(), {{child.data(), {0, 2}}}}};
    }
};

}  // namespace

TEST(blanket_posteriors_are_products_of_tables_whatever_the_threads) {
    Rows rows;
    for (int threads : {1, 3}) {
        Progress progress;
        std::vector<double> p(2 * Rows::count), log_total(Rows::count);
        predict_from_blanket(rows.factors(), 2, Rows::count, threads, progress, p.data(), log_total.data());
        for (std::size_t i = 0; i < Rows::count; ++i) {
            double first = rows.own[i % 3 * 2] * rows.below[i % 2 * 2];
            double second = rows.own[i % 3 * 2 + 1] * rows.below[i % 2 * 2 + 1];
            CHECK(std::abs(p[2 * i] - first / (first + second)) < 1e-14);
            CHECK(std::abs(p[2 * i] + p[2 * i + 1] - 1.0) < 1e-14);
            CHECK(std::abs(log_total[i] - std::log(first + second)) < 1e-14);
        }
    }
}

TEST(blanket_posteriors_of_impossible_rows_are_zero) {
    std::vector<std::uint8_t> parent{0, 1};
    double impossible = -std::numeric_limits<double>::infinity();
    std::vector<double> table{impossible, impossible, 0.0, impossible};
    Progress progress;
    std::vector<double> p(4), log_total(2);
    std::vector<BlanketFactor> factors{{table.data(), {{parent.data(), {0, 2}}}}};
    predict_from_blanket(factors, 2, 2, 1, progress, p.data(), log_total.data());
    CHECK(log_total[0] == impossible);
    CHECK(p[0] == 0.0 && p[1] == 0.0);
    CHECK(log_total[1] == 0.0);
    CHECK(p[2] == 1.0 && p[3] == 0.0);
}
