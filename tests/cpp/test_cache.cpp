#include "check.hpp"
#include "cache.hpp"

using veridag::Key;
using veridag::Memory;
using veridag::SharedMemory;
using veridag::VariableKeys;

TEST(a_memory_holds_what_it_was_given_first_and_nothing_else) {
    VariableKeys keys(200);
    Memory<int> memory(16);
    for (int u = 0; u < 200; ++u) {
        for (int v = 0; v < 200; v += 7) {
            int given[] = {v};
            CHECK(memory.find(keys.subject(u) + keys.conditions(given)) == nullptr);
            CHECK(memory.insert(keys.subject(u) + keys.conditions(given), 1000 * u + v) == 1000 * u + v);
            CHECK(memory.insert(keys.subject(u) + keys.conditions(given), -1) == 1000 * u + v);
        }
    }
    CHECK(memory.size() == 200 * 29);
    int given[] = {7};
    CHECK(*memory.find(keys.subject(199) + keys.conditions(given)) == 199007);
    memory.clear();
    CHECK(memory.size() == 0 && memory.find(keys.subject(199) + keys.conditions(given)) == nullptr);
}

TEST(no_variables_at_all_have_a_key_of_their_own) {
    VariableKeys keys(3);
    Memory<double> memory;
    CHECK(memory.find(keys.conditions({})) == nullptr);
    memory.insert(keys.conditions({}), 2.0);
    CHECK(*memory.find(keys.conditions({})) == 2.0);
}

TEST(a_shared_memory_forgets_when_it_is_large) {
    VariableKeys keys(5000);
    SharedMemory<int> memory(64 * 10);
    int value = 0;
    for (int v = 0; v < 5000; ++v) {
        memory.keep(keys.subject(v), v);
        CHECK(memory.find(keys.subject(v), value) && value == v);
    }
    CHECK(memory.size() <= 64 * 10);
}
