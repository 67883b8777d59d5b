#include "inference/blanket.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "elementary.hpp"
#include "parallel.hpp"

namespace veridag::inference {
namespace {

// Rows that are worked on together: their sums stay in the cache while factor after factor is added.
constexpr std::size_t block_rows = PackedArray::block;

template <class Code>
void add_offsets(const Code* codes, const std::int64_t* offsets, std::span<std::int64_t> places) {
    for (std::size_t i = 0; i < places.size(); ++i) places[i] += offsets[codes[i]];
}

void add_factor(const BlanketFactor& factor, std::size_t arity, std::size_t first, std::span<std::int64_t> places,
                double* sums) {
    std::fill(places.begin(), places.end(), 0);
    for (const BlanketColumn& column : factor.columns) {
        for_states(column.codes, first, places.size(), [&](const auto* codes, std::size_t, std::size_t) {
            add_offsets(codes, column.offsets.data(), places);
        });
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double* row = factor.log_table + places[i];
        for (std::size_t k = 0; k < arity; ++k) sums[i * arity + k] += row[k];
    }
}

// Logarithms become probabilities, in place; gives the logarithm of their sum.
double normalise(double* logs, std::size_t arity) {
    double highest = *std::max_element(logs, logs + arity);
    if (highest == -std::numeric_limits<double>::infinity()) {
        std::fill(logs, logs + arity, 0.0);
        return highest;
    }
    double total = 0.0;
    for (std::size_t k = 0; k < arity; ++k) total += logs[k] = elementary::exp(logs[k] - highest);
    for (std::size_t k = 0; k < arity; ++k) logs[k] /= total;
    return highest + elementary::log(total);
}

}  // namespace

void predict_from_blanket(std::span<const BlanketFactor> factors, std::size_t arity, std::size_t rows, int threads,
                          Progress& progress, double* probabilities, double* log_total) {
    std::size_t blocks = (rows + block_rows - 1) / block_rows;
    std::atomic<std::int64_t> done{0};
    parallel_for(blocks, threads, [&](std::size_t block, std::size_t worker) {
        std::int64_t so_far = done.load(std::memory_order_relaxed);
        if (worker == 0 ? progress.stop(so_far, 0.0) : progress.stopped()) return;
        std::size_t first = block * block_rows, count = std::min(block_rows, rows - first);
        std::vector<std::int64_t> places(count);
        double* sums = probabilities + first * arity;
        std::fill(sums, sums + count * arity, 0.0);
        for (const BlanketFactor& factor : factors) add_factor(factor, arity, first, places, sums);
        for (std::size_t i = 0; i < count; ++i) log_total[first + i] = normalise(sums + i * arity, arity);
        done.fetch_add(static_cast<std::int64_t>(count), std::memory_order_relaxed);
    });
}

}  // namespace veridag::inference
