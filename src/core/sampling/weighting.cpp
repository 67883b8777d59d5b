#include "sampling/weighting.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "elementary.hpp"
#include "index.hpp"
#include "parallel.hpp"
#include "random.hpp"
#include "sampling/drawing.hpp"

namespace veridag {
namespace {

constexpr double no_weight = -std::numeric_limits<double>::infinity();

// The logarithm of P(state | configuration) for each configuration.
std::vector<double> log_column(const double* table, std::size_t rows, std::size_t arity, std::size_t state) {
    std::vector<double> logs(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const double* p = table + row * arity;
        double total = 0.0;
        for (std::size_t k = 0; k < arity; ++k) total += p[k];
        logs[row] = p[state] > 0.0 ? elementary::log(p[state] / total) : no_weight;
    }
    return logs;
}

// The sums around a mean that is moved by `shift`, where all w^2 add up to `squares`.
void recentre(WeightedMoments& own, double shift, double squares) {
    own.squares_second += shift * (2.0 * own.squares_first + shift * squares);
    own.squares_first += shift * squares;
}

}  // namespace

void WeightedSums::scale_to(double log) {
    double factor = log_scale > no_weight ? elementary::exp(log_scale - log) : 0.0;
    log_scale = log;
    if (factor == 1.0) return;
    total *= factor;
    squares *= factor * factor;
    for (double& w : cells) w *= factor;
    for (double& w : cell_squares) w *= factor * factor;
    for (WeightedMoments& own : moments) {
        own.spread *= factor;
        own.squares_first *= factor * factor;
        own.squares_second *= factor * factor;
    }
}

void WeightedSums::add(WeightedSums other) {
    rows += other.rows;
    if (other.log_scale == no_weight) return;
    double log = std::max(log_scale, other.log_scale);
    scale_to(log);
    other.scale_to(log);
    double all = total + other.total;
    for (std::size_t k = 0; k < moments.size(); ++k) {
        WeightedMoments &mine = moments[k], &theirs = other.moments[k];
        double apart = theirs.mean - mine.mean;
        double mean = mine.mean + apart * (other.total / all);
        recentre(mine, mine.mean - mean, squares);
        recentre(theirs, theirs.mean - mean, other.squares);
        mine.spread += theirs.spread + apart * apart * (total / all) * other.total;
        mine.squares_first += theirs.squares_first;
        mine.squares_second += theirs.squares_second;
        mine.mean = mean;
    }
    total = all;
    squares += other.squares;
    for (std::size_t k = 0; k < cells.size(); ++k) {
        cells[k] += other.cells[k];
        cell_squares[k] += other.cell_squares[k];
    }
}

// Some rows, with a column for each variable, of states or of values.
struct LikelihoodWeighting::Block {
    std::size_t count = 0;
    std::vector<std::vector<std::uint16_t>> states;
    std::vector<std::vector<double>> values;
    std::vector<double> weight = std::vector<double>(block_rows);  // its logarithm at first
    std::vector<double> mean = std::vector<double>(block_rows);
    std::vector<std::uint32_t> row = std::vector<std::uint32_t>(block_rows);
};

LikelihoodWeighting::LikelihoodWeighting(std::vector<WeightedNode> nodes, std::vector<int> order,
                                         std::vector<std::vector<int>> scopes, std::vector<int> values,
                                         std::uint64_t seed)
    : nodes_(std::move(nodes)),
      order_(std::move(order)),
      scopes_(std::move(scopes)),
      values_(std::move(values)),
      seed_(seed),
      ends_(nodes_.size()) {
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
        const WeightedNode& node = nodes_[v];
        if (node.given.rows > std::numeric_limits<std::uint32_t>::max())
            throw std::invalid_argument("a node has too many configurations of its parents");
        if (node.arity == 0) continue;
        ends_[v] = thresholds(node.parameters, node.given.rows, node.arity);
        if (!node.observed) continue;
        if (!(*node.observed >= 0.0 && *node.observed < static_cast<double>(node.arity)))
            throw std::invalid_argument("an observed state is none of its variable");
        ends_[v] = log_column(node.parameters, node.given.rows, node.arity, static_cast<std::size_t>(*node.observed));
    }
    for (const std::vector<int>& scope : scopes_) {
        std::size_t cells = 1;
        for (int v : scope) cells *= nodes_[at(v)].arity;
        cells_ += cells;
    }
    sums_.cells.resize(cells_);
    sums_.cell_squares.resize(cells_);
    sums_.moments.resize(values_.size());
}

void LikelihoodWeighting::number_rows(Block& block, const WeightedNode& node) const {
    std::fill_n(block.row.begin(), block.count, 0U);
    for (std::size_t k = 0; k < node.given.parents.size(); ++k) {
        auto stride = static_cast<std::uint32_t>(node.given.strides[k]);
        const std::uint16_t* states = block.states[at(node.given.parents[k])].data();
        for (std::size_t i = 0; i < block.count; ++i) block.row[i] += stride * states[i];
    }
}

// The means of a continuous variable given its parents.
void LikelihoodWeighting::means(Block& block, const WeightedNode& node, double* out) const {
    std::size_t width = node.parents.size() + 2;
    for (std::size_t i = 0; i < block.count; ++i) out[i] = node.parameters[block.row[i] * width];
    for (std::size_t k = 0; k < node.parents.size(); ++k) {
        const double* values = block.values[at(node.parents[k])].data();
        const double* slopes = node.parameters + 1 + k;
        for (std::size_t i = 0; i < block.count; ++i) out[i] += slopes[block.row[i] * width] * values[i];
    }
}

// Sets an observed variable to its value, whose probability or density each row's weight is multiplied by.
void LikelihoodWeighting::weigh(Block& block, int v) const {
    const WeightedNode& node = nodes_[at(v)];
    if (!node.observed.has_value()) return;
    const double observed = *node.observed;
    if (node.arity > 0) {
        std::fill_n(block.states[at(v)].begin(), block.count, static_cast<std::uint16_t>(observed));
        for (std::size_t i = 0; i < block.count; ++i) block.weight[i] += ends_[at(v)][block.row[i]];
        return;
    }
    std::fill_n(block.values[at(v)].begin(), block.count, observed);
    means(block, node, block.mean.data());
    std::size_t width = node.parents.size() + 2;
    for (std::size_t i = 0; i < block.count; ++i) {
        double sd = node.parameters[(block.row[i] + std::size_t{1}) * width - 1];
        double distance = (observed - block.mean[i]) / sd;
        block.weight[i] -= 0.5 * (distance * distance + elementary::log(2.0 * std::numbers::pi)) + elementary::log(sd);
    }
}

void LikelihoodWeighting::draw(Block& block, std::uint64_t number) const {
    std::fill_n(block.weight.begin(), block.count, 0.0);
    for (int v : order_) {
        const WeightedNode& node = nodes_[at(v)];
        number_rows(block, node);
        if (node.observed) {
            weigh(block, v);
            continue;
        }
        Stream random(seed_, number, node.stream);
        if (node.arity > 0) {
            draw_states(ends_[at(v)].data(), node.arity, block.row.data(), block.count, random,
                        block.states[at(v)].data());
            continue;
        }
        double* out = block.values[at(v)].data();
        means(block, node, out);
        std::size_t width = node.parents.size() + 2;
        for (std::size_t i = 0; i < block.count; ++i)
            out[i] += node.parameters[(block.row[i] + std::size_t{1}) * width - 1] * random.normal();
    }
}

WeightedSums LikelihoodWeighting::summed(Block& block) const {
    WeightedSums sums;
    sums.rows = block.count;
    double* w = block.weight.data();
    sums.log_scale = *std::max_element(w, w + block.count);
    if (sums.log_scale == no_weight) return sums;
    for (std::size_t i = 0; i < block.count; ++i) {
        w[i] = elementary::exp(w[i] - sums.log_scale);
        sums.total += w[i];
        sums.squares += w[i] * w[i];
    }
    sums.cells.resize(cells_);
    sums.cell_squares.resize(cells_);
    std::size_t first = 0;
    for (const std::vector<int>& scope : scopes_) {
        std::fill_n(block.row.begin(), block.count, 0U);
        std::size_t cells = 1;
        for (int v : scope) {
            auto arity = static_cast<std::uint32_t>(nodes_[at(v)].arity);
            const std::uint16_t* states = block.states[at(v)].data();
            for (std::size_t i = 0; i < block.count; ++i) block.row[i] = block.row[i] * arity + states[i];
            cells *= arity;
        }
        for (std::size_t i = 0; i < block.count; ++i) {
            sums.cells[first + block.row[i]] += w[i];
            sums.cell_squares[first + block.row[i]] += w[i] * w[i];
        }
        first += cells;
    }
    for (int v : values_) {
        const double* x = block.values[at(v)].data();
        WeightedMoments& own = sums.moments.emplace_back();
        for (std::size_t i = 0; i < block.count; ++i) own.mean += w[i] * x[i];
        own.mean /= sums.total;
        for (std::size_t i = 0; i < block.count; ++i) {
            double apart = w[i] * (x[i] - own.mean);
            own.spread += apart * (x[i] - own.mean);
            own.squares_first += w[i] * apart;
            own.squares_second += apart * apart;
        }
    }
    return sums;
}

void LikelihoodWeighting::add(std::size_t rows, int threads) {
    if (sums_.rows % block_rows != 0) throw std::invalid_argument("the rows drawn before must fill their blocks");
    std::size_t first = sums_.rows / block_rows, blocks = (rows + block_rows - 1) / block_rows;
    std::vector<WeightedSums> found(blocks);
    std::vector<std::optional<Block>> of_worker(workers_for(blocks, threads));
    parallel_for(blocks, threads, [&](std::size_t number, std::size_t worker) {
        if (!of_worker[worker]) {
            Block& block = of_worker[worker].emplace();
            block.states.resize(nodes_.size());
            block.values.resize(nodes_.size());
            for (std::size_t v = 0; v < nodes_.size(); ++v) {
                if (nodes_[v].arity > 0)
                    block.states[v].resize(block_rows);
                else
                    block.values[v].resize(block_rows);
            }
        }
        Block& block = *of_worker[worker];
        block.count = std::min(block_rows, rows - number * block_rows);
        draw(block, first + number);
        found[number] = summed(block);
    });
    for (WeightedSums& block : found) sums_.add(std::move(block));
}

}  // namespace veridag
