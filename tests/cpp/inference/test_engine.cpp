#include "inference/engine.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "check.hpp"
#include "random.hpp"

using namespace veridag::inference;
using veridag::Stream;

namespace {

constexpr Limits no_limits{1e9, 1e9};
constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A random network of seven variables with one to three states, many of whose probabilities are zero.
struct RandomNetwork {
    std::vector<int> arities;
    std::vector<std::vector<int>> parents;
    std::vector<std::vector<double>> tables;

    explicit RandomNetwork(std::uint64_t seed) {
        Stream random(seed, 0, 0);
        for (int v = 0; v < 7; ++v) {
            arities.push_back(1 + static_cast<int>(random.uniform() * 3.0));
            std::vector<int>& own = parents.emplace_back();
            std::size_t rows = 1;
            for (int u = 0; u < v; ++u) {
                if (random.uniform() < 0.4 && own.size() < 3) {
                    own.push_back(u);
                    rows *= at(arities[at(u)]);
                }
            }
            std::vector<double>& table = tables.emplace_back();
            for (std::size_t row = 0; row < rows; ++row) {
                std::vector<double> p(at(arities[at(v)]));
                double total = 0.0;
                for (double& x : p) total += x = random.uniform() < 0.3 ? 0.0 : random.uniform();
                if (total == 0.0) total = p[0] = 1.0;
                for (double x : p) table.push_back(x / total);
            }
        }
    }

    Tables pointers() const {
        Tables all;
        for (const std::vector<double>& table : tables) all.push_back(table.data());
        return all;
    }

    // The marginals given a row by adding up all configurations; P(row) is returned.
    double brute_force(const std::vector<std::int32_t>& row, std::vector<double>& out) const {
        double total = 0.0;
        std::vector<int> x(arities.size(), 0);
        std::fill(out.begin(), out.end(), 0.0);
        for (bool more = true; more;) {
            double p = 1.0;
            for (std::size_t v = 0; v < x.size(); ++v) {
                if (row[v] >= 0 && row[v] != x[v]) p = 0.0;
                std::size_t place = 0;
                for (int u : parents[v]) place = place * at(arities[at(u)]) + at(x[at(u)]);
                p *= tables[v][place * at(arities[v]) + at(x[v])];
            }
            total += p;
            std::size_t first = 0;
            for (std::size_t v = 0; v < x.size(); first += at(arities[v]), ++v) out[first + at(x[v])] += p;
            more = false;
            for (std::size_t v = x.size(); v-- > 0 && !more;) {
                more = ++x[v] < arities[v];
                if (!more) x[v] = 0;
            }
        }
        for (double& p : out) p = total > 0.0 ? p / total : 0.0;
        return total;
    }
};

}  // namespace

TEST(an_engine_gives_the_marginals_of_brute_force_whatever_it_was_asked_before) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        RandomNetwork net(seed);
        JunctionTree tree(net.arities, net.parents);
        Engine kept(tree, net.pointers());
        std::vector<double> found(kept.entries()), fresh(kept.entries()), expected(kept.entries());
        std::vector<std::int32_t> row(7, -1);
        Stream random(seed, 1, 0);
        for (int step = 0; step < 25; ++step) {
            double total = net.brute_force(row, expected);
            double log_p = kept.marginals(row.data(), no_limits, found.data());
            CHECK_EQUAL(Engine(tree, net.pointers()).marginals(row.data(), no_limits, fresh.data()), log_p);
            CHECK_EQUAL(found, fresh);  // to the last bit
            if (total == 0.0) {
                CHECK_EQUAL(log_p, -infinity);
            } else {
                CHECK_NEAR(log_p, std::log(total), 1e-12);
            }
            for (std::size_t k = 0; k < expected.size(); ++k) CHECK_NEAR(found[k], expected[k], 1e-12);
            auto v = static_cast<std::size_t>(random.uniform() * 7.0);
            row[v] = random.uniform() < 0.4 ? -1 : static_cast<std::int32_t>(random.uniform() * net.arities[v]);
        }
    }
}

TEST(an_engine_refuses_what_is_too_large_and_what_is_no_state_and_goes_on) {
    RandomNetwork net(3);
    JunctionTree tree(net.arities, net.parents);
    Engine engine(tree, net.pointers());
    std::vector<double> found(engine.entries()), expected(engine.entries());
    std::vector<std::int32_t> row(7, -1), wrong(7, -1);
    wrong[2] = 9;
    double log_p = engine.marginals(row.data(), no_limits, expected.data());
    CHECK_THROWS(engine.marginals(wrong.data(), no_limits, found.data()), std::invalid_argument);
    std::vector<std::int32_t> other(7, -1);
    other[6] = 0;
    CHECK_THROWS(engine.marginals(other.data(), Limits{0.5, 1e9}, found.data()), TreeTooLarge);
    CHECK_EQUAL(engine.marginals(row.data(), no_limits, found.data()), log_p);
    CHECK_EQUAL(found, expected);
    CHECK_THROWS(Engine(tree, Tables{}), std::invalid_argument);
}

// A class with many children: without logarithms where no product can underflow, by logarithms where one can.
TEST(products_of_many_factors_are_exact_whether_or_not_they_could_underflow) {
    for (double rare : {0.3, 1e-30}) {
        std::size_t children = 60;
        std::vector<int> arities(children + 1, 2);
        std::vector<std::vector<int>> parents(children + 1, std::vector<int>{0});
        parents[0].clear();
        std::vector<std::vector<double>> values{{0.5, 0.5}};
        for (std::size_t i = 0; i < children; ++i) {  // half of them favour each state
            double first = i % 2 == 0 ? rare : 0.5, second = i % 2 == 0 ? 0.5 : rare;
            values.push_back({first, 1.0 - first, second, 1.0 - second});
        }
        Tables tables;
        for (const std::vector<double>& table : values) tables.push_back(table.data());
        JunctionTree tree(arities, parents);
        Engine engine(tree, tables);
        std::vector<double> found(engine.entries());
        std::vector<std::int32_t> row(children + 1, 0);
        row[0] = -1;
        double log_p = engine.marginals(row.data(), no_limits, found.data());
        CHECK_NEAR(found[0], 0.5, 1e-12);
        CHECK_NEAR(log_p, 30.0 * (std::log(rare) + std::log(0.5)), 1e-9 * std::fabs(log_p));
    }
}
