#include "counts/scatter.hpp"

#include <algorithm>
#include <vector>

namespace veridag {
namespace {

constexpr std::size_t tile = 4;     // columns; sixteen sums fit into the registers
constexpr std::size_t block = 256;  // rows

}  // namespace

// Block by block: the rows of a tile's columns side by side, zeros where there is no column. One addition for each row
// and sum, so that however many sums a machine adds at once, each has the same terms in the same order.
void scatter(const double* columns, std::size_t count, std::size_t rows, const double* weights, double* out) {
    std::size_t tiles = (count + tile - 1) / tile;
    std::vector<double> sums(tiles * tiles * tile * tile), plain(tiles * tile * block), weighted(plain.size());
    for (std::size_t begin = 0; begin < rows; begin += block) {
        std::size_t length = std::min(block, rows - begin);
        for (std::size_t c = 0; c < count; ++c) {
            const double* from = columns + c * rows + begin;
            std::size_t to = c / tile * tile * block + c % tile;
            for (std::size_t t = 0; t < length; ++t) {
                plain[to + t * tile] = from[t];
                weighted[to + t * tile] = weights ? weights[begin + t] * from[t] : from[t];
            }
        }
        for (std::size_t i = 0; i < tiles; ++i) {
            for (std::size_t j = i; j < tiles; ++j) {
                const double *left = &weighted[i * tile * block], *right = &plain[j * tile * block];
                double own[tile * tile] = {};
                for (std::size_t t = 0; t < length * tile; t += tile) {
                    for (std::size_t a = 0; a < tile; ++a) {
                        for (std::size_t b = 0; b < tile; ++b) own[a * tile + b] += left[t + a] * right[t + b];
                    }
                }
                double* total = &sums[(i * tiles + j) * tile * tile];
                for (std::size_t k = 0; k < tile * tile; ++k) total[k] += own[k];
            }
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = i; j < count; ++j) {
            std::size_t place = (i / tile * tiles + j / tile) * tile * tile + i % tile * tile + j % tile;
            out[i * count + j] = out[j * count + i] = sums[place];
        }
    }
}

}  // namespace veridag
