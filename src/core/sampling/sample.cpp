#include "sampling/sample.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "index.hpp"
#include "parallel.hpp"
#include "random.hpp"
#include "sampling/drawing.hpp"

namespace veridag {
namespace {

// Rows `start` and on of a sample, as many as `count`; each has its row of a node's parameters in `row`.
struct Block {
    std::size_t start;
    std::size_t count;
    std::uint32_t row[block_rows];
};

void number_rows(const std::vector<Node>& nodes, const Configurations& given, Block& block) {
    std::fill(block.row, block.row + block.count, 0U);
    for (std::size_t k = 0; k < given.parents.size(); ++k) {
        auto stride = static_cast<std::uint32_t>(given.strides[k]);
        auto add = [&](const auto* codes) {
            for (std::size_t i = 0; i < block.count; ++i) block.row[i] += stride * codes[block.start + i];
        };
        std::visit(add, std::get<DiscreteNode>(nodes[at(given.parents[k])]).out);
    }
}

void draw(const std::vector<Node>& nodes, const GaussianNode& node, const Block& block, Stream& random) {
    std::size_t width = node.parents.size() + 2;
    const double* first = node.regressions;
    double* out = node.out + block.start;
    auto parent = [&](std::size_t k) { return std::get<GaussianNode>(nodes[at(node.parents[k])]).out + block.start; };
    if (node.given.rows == 1) {  // without a number to look up, loops over columns are vectorised
        double intercept = first[0], sd = first[width - 1];
        for (std::size_t i = 0; i < block.count; ++i) out[i] = intercept + sd * random.normal();
        for (std::size_t k = 0; k < node.parents.size(); ++k) {
            const double* values = parent(k);
            for (std::size_t i = 0; i < block.count; ++i) out[i] += first[1 + k] * values[i];
        }
        return;
    }
    for (std::size_t i = 0; i < block.count; ++i) {
        const double* regression = first + block.row[i] * width;
        out[i] = regression[0] + regression[width - 1] * random.normal();
    }
    for (std::size_t k = 0; k < node.parents.size(); ++k) {
        const double* values = parent(k);
        for (std::size_t i = 0; i < block.count; ++i) out[i] += first[block.row[i] * width + 1 + k] * values[i];
    }
}

std::size_t blocks(std::size_t n) { return (n + block_rows - 1) / block_rows; }

}  // namespace

void sample(const std::vector<Node>& nodes, const std::vector<int>& order, std::size_t n, std::uint64_t seed,
            int threads) {
    std::vector<std::vector<double>> ends(nodes.size());
    for (std::size_t v = 0; v < nodes.size(); ++v) {
        if (std::visit([](const auto& node) { return node.given.rows; }, nodes[v]) >
            std::numeric_limits<std::uint32_t>::max())
            throw std::invalid_argument("a node has too many configurations of its parents");
        if (const auto* node = std::get_if<DiscreteNode>(&nodes[v]))
            ends[v] = thresholds(node->table, node->given.rows, node->arity);
    }
    parallel_for(blocks(n), threads, [&](std::size_t number, std::size_t) {
        Block block;
        block.start = number * block_rows;
        block.count = std::min(block_rows, n - block.start);
        for (int v : order) {
            Stream random(seed, number, static_cast<std::uint64_t>(v));
            std::visit([&](const auto& node) { number_rows(nodes, node.given, block); }, nodes[at(v)]);
            if (const auto* normal = std::get_if<GaussianNode>(&nodes[at(v)])) {
                draw(nodes, *normal, block, random);
                continue;
            }
            const auto& node = std::get<DiscreteNode>(nodes[at(v)]);
            const double* shares = ends[at(v)].data();
            std::visit(
                [&](auto* out) { draw_states(shares, node.arity, block.row, block.count, random, out + block.start); },
                node.out);
        }
    });
}

}  // namespace veridag
