#include <cstdint>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "graph/random_dag.hpp"
#include "progress.hpp"

using veridag::Matrix;
using veridag::Progress;

namespace {

Matrix draw(int n, const veridag::ChainSettings& settings) {
    Progress nobody;
    return veridag::random_dag(n, settings, nobody);
}

std::int64_t count_arcs(const Matrix& dag) {
    std::int64_t arcs = 0;
    for (auto entry : dag.entries()) arcs += entry;
    return arcs;
}

// Takes away variables without parents again and again.
bool acyclic(const Matrix& dag) {
    Matrix left = dag;
    for (int round = 0; round < dag.size(); ++round) {
        for (int v = 0; v < dag.size(); ++v) {
            if (!left.parents_of(v).empty()) continue;
            for (int u = 0; u < dag.size(); ++u) left.clear(v, u);
        }
    }
    return left == Matrix(dag.size());
}

}  // namespace

TEST(the_chain_stays_acyclic_and_keeps_the_number_of_arcs) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        for (std::int64_t arcs : {0, 1, 20, 60, 66}) {
            Matrix dag = draw(12, {arcs, 2000, seed});
            CHECK_EQUAL(count_arcs(dag), arcs);
            CHECK(acyclic(dag));
        }
        CHECK(acyclic(draw(12, {-1, 2000, seed})));
    }
}

TEST(the_seed_decides_and_steps_change_the_dag) {
    auto after = [](std::int64_t steps, std::uint64_t seed) { return draw(10, {15, steps, seed}); };
    CHECK_EQUAL(after(500, 1), after(500, 1));
    CHECK(after(500, 1) != after(500, 2));
    CHECK(after(500, 1) != after(0, 1));
}

TEST(the_chain_of_no_or_one_variable_is_empty_and_too_many_arcs_are_refused) {
    CHECK_EQUAL(draw(0, {-1, 10, 1}).size(), 0);
    CHECK_EQUAL(count_arcs(draw(1, {-1, 10, 1})), 0);
    CHECK_THROWS(draw(4, {7, 10, 1}), std::invalid_argument);
}

TEST(the_chain_stops_when_it_is_told_to) {
    int asked = 0;
    Progress impatient([&](std::int64_t, double, double) { return ++asked == 3; });
    veridag::random_dag(5, {-1, std::int64_t{1} << 40, 1}, impatient);
    CHECK_EQUAL(asked, 3);
}
