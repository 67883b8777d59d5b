// States drawn from the rows of a probability table, for a stretch of sampled rows at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "random.hpp"

namespace veridag {

// Upper ends of the states' shares of [0, 1), one row a configuration. The last state that can occur gets infinity, so
// that rounding never lets one through whose probability is zero. Throws std::invalid_argument on a row of zeros.
inline std::vector<double> thresholds(const double* table, std::size_t rows, std::size_t arity) {
    std::vector<double> ends(rows * arity);
    for (std::size_t row = 0; row < rows; ++row) {
        const double* p = table + row * arity;
        double* end = ends.data() + row * arity;
        double total = 0.0;
        std::size_t last = arity;
        for (std::size_t k = 0; k < arity; ++k) {
            total += p[k];
            if (p[k] > 0.0) last = k;
        }
        if (last == arity) throw std::invalid_argument("a row of a probability table sums to zero");
        double sum = 0.0;
        for (std::size_t k = 0; k < arity; ++k) {
            sum += p[k];
            end[k] = k >= last ? std::numeric_limits<double>::infinity() : sum / total;
        }
    }
    return ends;
}

// out[i] is a state drawn from the configuration row[i].
template <class Code>
void draw_states(const double* ends, std::size_t arity, const std::uint32_t* row, std::size_t count, Stream& random,
                 Code* out) {
    if (arity == 2) {
        for (std::size_t i = 0; i < count; ++i)
            out[i] = static_cast<Code>(random.uniform() >= ends[2 * std::size_t{row[i]}]);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const double* end = ends + row[i] * arity;
        double u = random.uniform();
        std::size_t state = 0;
        if (arity <= 8) {
            for (std::size_t k = 0; k + 1 < arity; ++k) state += u >= end[k];
        } else {
            state = static_cast<std::size_t>(std::upper_bound(end, end + arity - 1, u) - end);
        }
        out[i] = static_cast<Code>(state);
    }
}

}  // namespace veridag
