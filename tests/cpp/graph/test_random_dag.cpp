#include <cstdint>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "graph/random_dag.hpp"

using veridag::Matrix;

namespace {

bool never() { return false; }

std::int64_t count_arcs(const Matrix& dag) {
    std::int64_t arcs = 0;
    for (auto entry : dag) arcs += entry;
    return arcs;
}

// Takes away variables without parents again and again.
bool acyclic(const Matrix& dag, int size) {
    auto n = static_cast<std::size_t>(size);
    std::vector<char> gone(n, 0);
    for (std::size_t round = 0; round < n; ++round) {
        std::size_t source = n;
        for (std::size_t j = 0; j < n && source == n; ++j) {
            bool has_parent = gone[j] != 0;
            for (std::size_t i = 0; i < n; ++i) has_parent = has_parent || (!gone[i] && dag[i * n + j]);
            if (!has_parent) source = j;
        }
        if (source == n) return false;
        gone[source] = 1;
    }
    return true;
}

}  // namespace

TEST(the_chain_stays_acyclic_and_keeps_the_number_of_arcs) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        for (std::int64_t arcs : {0, 1, 20, 60, 66}) {
            Matrix dag = veridag::random_dag(12, {arcs, 2000, seed}, never);
            CHECK(count_arcs(dag) == arcs);
            CHECK(acyclic(dag, 12));
        }
        CHECK(acyclic(veridag::random_dag(12, {-1, 2000, seed}, never), 12));
    }
}

TEST(the_seed_decides_and_steps_change_the_dag) {
    auto draw = [](std::int64_t steps, std::uint64_t seed) { return veridag::random_dag(10, {15, steps, seed}, never); };
    CHECK(draw(500, 1) == draw(500, 1));
    CHECK(draw(500, 1) != draw(500, 2));
    CHECK(draw(500, 1) != draw(0, 1));
}

TEST(the_chain_of_no_or_one_variable_is_empty_and_too_many_arcs_are_refused) {
    CHECK(veridag::random_dag(0, {-1, 10, 1}, never).empty());
    CHECK(count_arcs(veridag::random_dag(1, {-1, 10, 1}, never)) == 0);
    CHECK_THROWS(veridag::random_dag(4, {7, 10, 1}, never), std::invalid_argument);
}

TEST(the_chain_stops_when_it_is_told_to) {
    int asked = 0;
    veridag::random_dag(5, {-1, std::int64_t{1} << 40, 1}, [&] { return ++asked == 3; });
    CHECK(asked == 3);
}
