#include "exact/candidates.hpp"
#include "index.hpp"

#include <cmath>
#include <stdexcept>

namespace veridag {
namespace {

void require(bool good, const char* message) {
    if (!good) throw std::invalid_argument(message);
}

}  // namespace

Candidates::Candidates(int variables, std::span<const std::int64_t> offsets, std::span<const double> scores,
                       std::span<const std::int64_t> parent_offsets, std::span<const std::int32_t> parents)
    : n_(variables), words_(words_for(variables)), scores_(scores.begin(), scores.end()) {
    require(variables > 0 && offsets.size() == at(variables) + 1, "a table needs one more offset than variables");
    require(offsets[0] == 0 && offsets.back() == static_cast<std::int64_t>(scores.size()),
            "the offsets do not cover the sets");
    require(parent_offsets.size() == scores.size() + 1 && parent_offsets[0] == 0 &&
                parent_offsets.back() == static_cast<std::int64_t>(parents.size()),
            "the offsets do not cover the parents");
    for (std::int64_t offset : offsets) offsets_.push_back(static_cast<std::size_t>(offset));
    children_.resize(scores.size());
    sets_.assign(scores.size() * words_, 0);
    unions_.assign(at(variables) * words_, 0);
    for (int v = 0; v < n_; ++v) {
        require(offsets[at(v)] <= offsets[at(v) + 1], "the offsets fall");
        for (std::size_t row = begin(v); row < end(v); ++row) {
            require(std::isfinite(scores[row]), "a score is not finite");
            require(row == begin(v) || scores[row] <= scores[row - 1],
                    "the sets of a variable are not sorted, best first");
            children_[row] = v;
            require(parent_offsets[row] <= parent_offsets[row + 1], "the offsets of parents fall");
            for (auto k = static_cast<std::size_t>(parent_offsets[row]);
                 k < static_cast<std::size_t>(parent_offsets[row + 1]); ++k) {
                require(parents[k] >= 0 && parents[k] < n_ && parents[k] != v, "a parent is no other variable");
                set_bit(sets_.data() + row * words_, parents[k]);
                set_bit(unions_.data() + at(v) * words_, parents[k]);
            }
        }
    }
}

std::vector<int> Candidates::order_of(std::span<const std::size_t> choice) const {
    std::vector<int> order;
    Bits placed(words_, 0);
    for (std::size_t before = 1; before != order.size();) {
        before = order.size();
        for (int v = 0; v < n_; ++v) {
            if (has_bit(placed.data(), v) || !within(choice[at(v)], placed.data())) continue;
            set_bit(placed.data(), v);
            order.push_back(v);
        }
    }
    return order;
}

bool Candidates::acyclic(std::span<const std::size_t> choice) const { return order_of(choice).size() == at(n_); }

}  // namespace veridag
