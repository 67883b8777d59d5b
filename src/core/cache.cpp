#include "cache.hpp"

#include <limits>

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

double* SweepCache::insert(const Key& family, std::size_t variables) {
    auto found = sweeps_.find(family);
    if (found != sweeps_.end()) return found->second.data();
    std::vector<double> values;
    while (!oldest_first_.empty() && values_ + variables > most_) {
        auto oldest = sweeps_.extract(oldest_first_.front());
        oldest_first_.pop_front();
        values = std::move(oldest.mapped());
        values_ -= values.size();
    }
    values.assign(variables, std::numeric_limits<double>::quiet_NaN());
    values_ += variables;
    oldest_first_.push_back(family);
    return sweeps_.emplace(family, std::move(values)).first->second.data();
}

}  // namespace veridag
