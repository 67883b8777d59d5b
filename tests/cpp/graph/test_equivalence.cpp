#include <random>
#include <stdexcept>

#include "check.hpp"
#include "graph/equivalence.hpp"

using veridag::Byte;
using veridag::Matrix;

namespace {

using Pairs = std::vector<std::pair<int, int>>;

Matrix matrix(int n, const Pairs& arcs) {
    Matrix a(n);
    for (auto [i, j] : arcs) a.set(i, j);
    return a;
}

Matrix random_dag(int n, double density, unsigned seed) {
    std::mt19937 random(seed);
    std::bernoulli_distribution there(density);
    Matrix a(n);
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) a.set(i, j, there(random));
    }
    return a;
}

}  // namespace

TEST(a_chain_is_reversible_and_a_collider_is_not) {
    CHECK_EQUAL(veridag::cpdag(matrix(3, {{0, 1}, {1, 2}})), matrix(3, {{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
    CHECK_EQUAL(veridag::cpdag(matrix(3, {{0, 1}, {2, 1}})), matrix(3, {{0, 1}, {2, 1}}));
}

TEST(an_arc_below_a_collider_is_compelled) {
    CHECK_EQUAL(veridag::cpdag(matrix(4, {{0, 2}, {1, 2}, {2, 3}})), matrix(4, {{0, 2}, {1, 2}, {2, 3}}));
}

TEST(graphs_without_nodes_or_arcs_are_their_own_class) {
    CHECK_EQUAL(veridag::cpdag(Matrix()).size(), 0);
    CHECK(veridag::extend(Matrix()).stuck.empty());
    CHECK_EQUAL(veridag::meek(Matrix()).size(), 0);
    CHECK_EQUAL(veridag::cpdag(matrix(3, {})), matrix(3, {}));
}

TEST(a_cycle_has_no_class) {
    CHECK_THROWS(veridag::cpdag(matrix(2, {{0, 1}, {1, 0}})), std::invalid_argument);
    CHECK_THROWS(veridag::cpdag(matrix(3, {{0, 1}, {1, 2}, {2, 0}})), std::invalid_argument);
}

TEST(each_of_meeks_rules_orients) {
    CHECK_EQUAL(veridag::meek(matrix(3, {{0, 1}, {1, 2}, {2, 1}})), matrix(3, {{0, 1}, {1, 2}}));
    CHECK_EQUAL(veridag::meek(matrix(3, {{0, 1}, {1, 2}, {0, 2}, {2, 0}})), matrix(3, {{0, 1}, {1, 2}, {0, 2}}));
    // rule 3: 0 - 1, 0 - 2, 0 - 3, 1 -> 3 <- 2
    CHECK_EQUAL(veridag::meek(matrix(4, {{0, 1}, {1, 0}, {0, 2}, {2, 0}, {0, 3}, {3, 0}, {1, 3}, {2, 3}})),
                matrix(4, {{0, 1}, {1, 0}, {0, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}));
    // rule 4: 0 - 1 -> 2 -> 3, 0 - 2, 0 - 3, with 1 and 3 not joined; background knowledge alone leads here
    CHECK(veridag::meek(matrix(4, {{0, 1}, {1, 0}, {1, 2}, {2, 3}, {0, 2}, {2, 0}, {0, 3}, {3, 0}})).has(0, 3));
    CHECK(!veridag::meek(matrix(4, {{0, 1}, {1, 0}, {1, 2}, {2, 3}, {0, 2}, {2, 0}, {0, 3}, {3, 0}})).has(3, 0));
}

TEST(meeks_third_rule_is_for_arcs_whose_ends_are_not_joined) {
    Matrix joined = matrix(4, {{0, 1}, {1, 0}, {0, 2}, {2, 0}, {0, 3}, {3, 0}, {1, 3}, {2, 3}, {1, 2}});
    CHECK_EQUAL(veridag::meek(joined), joined);
}

TEST(an_extension_makes_no_new_collider_with_an_arc_whichever_number_comes_first) {
    CHECK_EQUAL(veridag::extend(matrix(3, {{2, 1}, {1, 0}, {0, 1}})).dag, matrix(3, {{2, 1}, {1, 0}}));
    CHECK_EQUAL(veridag::extend(matrix(3, {{1, 2}, {0, 2}, {2, 0}})).dag, matrix(3, {{1, 2}, {2, 0}}));
    CHECK_EQUAL(veridag::extend(matrix(3, {{0, 2}, {1, 2}, {2, 1}})).dag, matrix(3, {{0, 2}, {2, 1}}));
}

TEST(a_square_without_chord_cannot_be_extended) {
    auto found = veridag::extend(matrix(4, {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 2}, {3, 0}, {0, 3}}));
    CHECK_EQUAL(found.stuck, std::vector<int>{0, 1, 2, 3});
}

TEST(the_extension_of_a_completed_pdag_is_in_its_class) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        int n = 2 + static_cast<int>(seed % 30);
        Matrix completed = veridag::cpdag(random_dag(n, 3.0 / n, seed));
        auto found = veridag::extend(completed);
        CHECK(found.stuck.empty());
        CHECK_EQUAL(veridag::cpdag(found.dag), completed);
        CHECK_EQUAL(veridag::meek(completed), completed);
    }
}
