// A test of independence as Python holds it.
#pragma once

#include "independence/decision.hpp"

namespace veridag::binding {

// A test bound to data. Python objects whose memory it reads are kept alive by the binding.
struct PyPairTest {
    int variables;
    TestFactory make;
};

}  // namespace veridag::binding
