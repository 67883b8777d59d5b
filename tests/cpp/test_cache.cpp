#include "cache.hpp"

#include <cmath>

#include "check.hpp"

using veridag::Cache;
using veridag::Key;
using veridag::SharedCache;
using veridag::SweepCache;
using veridag::VariableKeys;

TEST(a_cache_holds_what_it_was_given_first_and_nothing_else) {
    VariableKeys keys(200);
    Cache<int> cache(16);
    for (int u = 0; u < 200; ++u) {
        for (int v = 0; v < 200; v += 7) {
            int given[] = {v};
            CHECK(cache.find(keys.subject(u) + keys.conditions(given)) == nullptr);
            CHECK_EQUAL(cache.insert(keys.subject(u) + keys.conditions(given), 1000 * u + v), 1000 * u + v);
            CHECK_EQUAL(cache.insert(keys.subject(u) + keys.conditions(given), -1), 1000 * u + v);
        }
    }
    CHECK_EQUAL(cache.size(), 200 * 29);
    int given[] = {7};
    CHECK_EQUAL(*cache.find(keys.subject(199) + keys.conditions(given)), 199007);
    cache.clear();
    CHECK(cache.size() == 0 && cache.find(keys.subject(199) + keys.conditions(given)) == nullptr);
}

TEST(no_variables_at_all_have_a_key_of_their_own) {
    VariableKeys keys(3);
    Cache<double> cache;
    CHECK(cache.find(keys.conditions({})) == nullptr);
    cache.insert(keys.conditions({}), 2.0);
    CHECK_EQUAL(*cache.find(keys.conditions({})), 2.0);
}

TEST(a_shared_cache_is_emptied_when_it_is_large) {
    VariableKeys keys(5000);
    SharedCache<int> cache(64 * 10);
    int value = 0;
    for (int v = 0; v < 5000; ++v) {
        cache.keep(keys.subject(v), v);
        CHECK(cache.find(keys.subject(v), value) && value == v);
    }
    CHECK(cache.size() <= 64 * 10);
    CHECK_EQUAL(cache.kept(), 5000);
}

TEST(a_cache_of_sweeps_forgets_the_oldest_first) {
    VariableKeys keys(20);
    SweepCache cache(3 * 20);
    for (int v = 0; v < 4; ++v) {
        double* values = cache.insert(keys.subject(v), 20);
        for (int u = 0; u < 20; ++u) CHECK(std::isnan(values[u]));
        values[v] = 10.0 * v;
    }
    CHECK(cache.find(keys.subject(0)) == nullptr);
    for (int v = 1; v < 4; ++v) CHECK_EQUAL(cache.find(keys.subject(v))[v], 10.0 * v);
    CHECK_EQUAL(cache.insert(keys.subject(1), 20)[1], 10.0);  // what is there stays
    cache.insert(keys.subject(4), 20);
    CHECK(cache.find(keys.subject(1)) == nullptr);
    CHECK(cache.find(keys.subject(2)) != nullptr);
}
