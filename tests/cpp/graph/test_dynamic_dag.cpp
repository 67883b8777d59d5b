#include "check.hpp"
#include "graph/dynamic_dag.hpp"
#include "random.hpp"

using namespace veridag;

namespace {

// Whether a directed path leads from u to v, by walking.
bool leads(const Matrix& dag, int u, int v) {
    for (int w = 0; w < dag.size(); ++w) {
        if (dag.has(u, w) && (w == v || leads(dag, w, v))) return true;
    }
    return false;
}

void check_same(DynamicDag& dag, const Matrix& expected) {
    int n = expected.size();
    for (int v = 0; v < n; ++v) {
        CHECK_EQUAL(dag.parents(v), expected.parents_of(v));
        for (int u = 0; u < n; ++u) {
            if (u == v) continue;
            CHECK_EQUAL(dag.is_ancestor(u, v), leads(expected, u, v));
            CHECK_EQUAL(dag.has(u, v), expected.has(u, v));
            if (!expected.has(u, v)) continue;
            Matrix without = expected;
            without.clear(u, v);
            CHECK_EQUAL(dag.can_reverse(u, v), !leads(without, u, v));
        }
    }
}

}  // namespace

TEST(ancestors_are_right_however_arcs_come_and_go) {
    constexpr int n = 9;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        Stream random(seed, 0, 0);
        Matrix expected(n);
        DynamicDag dag{std::vector<std::vector<int>>(n)};
        for (int step = 0; step < 120; ++step) {
            int u = static_cast<int>(random.uniform() * n), v = static_cast<int>(random.uniform() * n);
            if (u == v) continue;
            if (expected.has(u, v)) {
                expected.clear(u, v);
                dag.remove(u, v);
            } else if (dag.can_add(u, v)) {
                expected.set(u, v);
                dag.add(u, v);
            }
            check_same(dag, expected);
        }
        std::vector<std::vector<int>> parents;
        for (int v = 0; v < n; ++v) parents.push_back(expected.parents_of(v));
        DynamicDag again(parents);
        check_same(again, expected);
    }
}

TEST(ancestors_with_numbers_beyond_a_word_are_known_too) {
    DynamicDag dag{std::vector<std::vector<int>>(130)};
    dag.add(70, 3);
    dag.add(129, 70);
    dag.add(3, 65);
    CHECK(dag.is_ancestor(129, 65));
    CHECK(!dag.can_add(65, 129));
    dag.remove(129, 70);
    CHECK(!dag.is_ancestor(129, 65));
}

TEST(what_can_be_reached_comes_with_parents_before_children) {
    DynamicDag dag({{}, {0}, {0, 1}, {2}, {0, 3}, {}});
    CHECK_EQUAL(dag.reachable(1), std::vector<int>{1, 2, 3, 4});
    CHECK_EQUAL(dag.reachable(5), std::vector<int>{5});
    dag.remove(3, 4);
    CHECK_EQUAL(dag.reachable(1), std::vector<int>{1, 2, 3});
}
