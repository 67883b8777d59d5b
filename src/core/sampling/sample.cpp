#include "sampling/sample.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "index.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace veridag {
namespace {

// Upper ends of the states' shares of [0, 1), one row a configuration. The last state that can occur gets infinity, so
// that rounding never lets one through whose probability is zero.
std::vector<double> thresholds(const DiscreteNode& node) {
    std::vector<double> ends(node.rows * node.arity);
    for (std::size_t row = 0; row < node.rows; ++row) {
        const double* p = node.table + row * node.arity;
        double* end = ends.data() + row * node.arity;
        double total = 0.0;
        std::size_t last = node.arity;
        for (std::size_t k = 0; k < node.arity; ++k) {
            total += p[k];
            if (p[k] > 0.0) last = k;
        }
        if (last == node.arity) throw std::invalid_argument("a row of a probability table sums to zero");
        double sum = 0.0;
        for (std::size_t k = 0; k < node.arity; ++k) {
            sum += p[k];
            end[k] = k >= last ? std::numeric_limits<double>::infinity() : sum / total;
        }
    }
    return ends;
}

template <class Code>
void draw(const double* ends, std::size_t arity, const std::uint32_t* row, std::size_t count, Stream& random,
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

void number_rows(const std::vector<DiscreteNode>& nodes, const DiscreteNode& node, std::size_t start, std::size_t count,
                 std::uint32_t* row) {
    std::fill(row, row + count, 0U);
    for (std::size_t k = 0; k < node.parents.size(); ++k) {
        auto stride = static_cast<std::uint32_t>(node.strides[k]);
        auto add = [&](const auto* codes) {
            for (std::size_t i = 0; i < count; ++i) row[i] += stride * codes[start + i];
        };
        std::visit(add, nodes[static_cast<std::size_t>(node.parents[k])].out);
    }
}

std::size_t blocks(std::size_t n) { return (n + block_rows - 1) / block_rows; }

}  // namespace

void sample(const std::vector<DiscreteNode>& nodes, const std::vector<int>& order, std::size_t n, std::uint64_t seed,
            int threads) {
    std::vector<std::vector<double>> ends;
    for (const DiscreteNode& node : nodes) {
        if (node.rows > std::numeric_limits<std::uint32_t>::max())
            throw std::invalid_argument("a probability table has too many rows");
        ends.push_back(thresholds(node));
    }
    parallel_for(blocks(n), threads, [&](std::size_t block, std::size_t) {
        std::size_t start = block * block_rows;
        std::size_t count = std::min(block_rows, n - start);
        std::uint32_t row[block_rows];
        for (int v : order) {
            const DiscreteNode& node = nodes[at(v)];
            Stream random(seed, block, static_cast<std::uint64_t>(v));
            number_rows(nodes, node, start, count, row);
            auto fill = [&](auto* out) { draw(ends[at(v)].data(), node.arity, row, count, random, out + start); };
            std::visit(fill, node.out);
        }
    });
}

void sample(const std::vector<GaussianNode>& nodes, const std::vector<int>& order, std::size_t n, std::uint64_t seed,
            int threads) {
    parallel_for(blocks(n), threads, [&](std::size_t block, std::size_t) {
        std::size_t start = block * block_rows;
        std::size_t stop = std::min(n, start + block_rows);
        for (int v : order) {
            const GaussianNode& node = nodes[at(v)];
            Stream random(seed, block, static_cast<std::uint64_t>(v));
            for (std::size_t i = start; i < stop; ++i) node.out[i] = node.intercept + node.sd * random.normal();
            for (std::size_t k = 0; k < node.parents.size(); ++k) {
                const double* parent = nodes[static_cast<std::size_t>(node.parents[k])].out;
                for (std::size_t i = start; i < stop; ++i) node.out[i] += node.coefficients[k] * parent[i];
            }
        }
    });
}

}  // namespace veridag
