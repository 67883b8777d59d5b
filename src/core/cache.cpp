#include "cache.hpp"

#include "random.hpp"

namespace veridag {

VariableKeys::VariableKeys(int variables) {
    Stream random(0x636f6e73747261ULL, 0, 0);
    none_ = {random.bits(), random.bits()};
    for (int v = 0; v < variables; ++v) {
        subject_.push_back({random.bits(), random.bits()});
        condition_.push_back({random.bits(), random.bits()});
    }
}

}  // namespace veridag
