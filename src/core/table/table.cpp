#include "table/table.hpp"
#include "index.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace veridag {

Table::Table(std::vector<StateArray> columns, std::vector<int> arities, std::size_t rows, const std::int64_t* weights,
             std::vector<int> observed)
    : columns_(std::move(columns)),
      arities_(std::move(arities)),
      observed_(observed.empty() ? arities_ : std::move(observed)),
      rows_(rows),
      weights_(weights),
      bits_(columns_.size()),
      ready_(std::make_unique<std::atomic<const Word*>[]>(columns_.size())) {
    if (columns_.size() != arities_.size()) throw std::invalid_argument("columns and arities differ in number");
    if (observed_.size() != arities_.size()) throw std::invalid_argument("there must be an arity for each column");
    for (std::size_t v = 0; v < arities_.size(); ++v) {
        if (observed_[v] < 1) throw std::invalid_argument("an arity is below 1");
        if (arities_[v] < observed_[v] || arities_[v] > observed_[v] + 1)
            throw std::invalid_argument("a column has one state more than its own, or none");
    }
    total_ = weights_ ? std::accumulate(weights_, weights_ + rows_, std::int64_t{0}) : static_cast<std::int64_t>(rows_);
    for (std::size_t v = 0; v < columns_.size(); ++v) {
        std::vector<std::int64_t> counts(static_cast<std::size_t>(arities_[v]), 0);
        auto add = [&](const auto* states) {
            for (std::size_t i = 0; i < rows_; ++i) {
                if (states[i] >= arities_[v]) throw std::invalid_argument("a state is beyond its variable's arity");
                counts[states[i]] += weights_ ? weights_[i] : 1;
            }
        };
        std::visit(add, columns_[v]);
        modes_.push_back(
            static_cast<int>(std::max_element(counts.begin(), counts.begin() + observed_[v]) - counts.begin()));
        marginals_.push_back(std::move(counts));
        if (has_bits(static_cast<int>(v))) bits_a_row_ += static_cast<std::size_t>(arities_[v] - 1);
    }
}

const Word* Table::bits(int v) const {
    if (const Word* there = ready_[at(v)].load(std::memory_order_acquire)) return there;
    std::lock_guard<std::mutex> guard(building_);
    if (!ready_[at(v)].load(std::memory_order_relaxed)) build_bits(v);
    return ready_[at(v)].load(std::memory_order_relaxed);
}

void Table::build_bits(int v) const {
    std::vector<Word> built(std::max<std::size_t>(1, static_cast<std::size_t>(arity(v) - 1) * words()), 0);
    // Where a state's bits go; the mode's go nowhere.
    std::vector<Word*> target(static_cast<std::size_t>(arity(v)), nullptr);
    for (int state = 0; state < arity(v); ++state) {
        if (state != mode(v))
            target[static_cast<std::size_t>(state)] =
                built.data() + static_cast<std::size_t>(state < mode(v) ? state : state - 1) * words();
    }
    auto scatter = [&](const auto* states) {
        for (std::size_t i = 0; i < rows_; ++i) {
            if (Word* row = target[states[i]]) row[i / 64] |= Word{1} << (i % 64);
        }
    };
    std::visit(scatter, states(v));
    bits_[at(v)] = std::move(built);
    ready_[at(v)].store(bits_[at(v)].data(), std::memory_order_release);
}

const RowBits& Table::row_bits() const {
    std::call_once(row_bits_built_, [this] { build_row_bits(); });
    return row_bits_;
}

void Table::build_row_bits() const {
    std::size_t next = 0;
    for (int v = 0; v < variables(); ++v) {
        row_bits_.first_bit.push_back(next);
        if (has_bits(v)) next += static_cast<std::size_t>(arity(v) - 1);
    }
    row_bits_.used_bits = next;
    row_bits_.words.assign(rows_ * row_bits_.chunks() * RowBits::words_a_chunk, 0);
    for (int v = 0; v < variables(); ++v) {
        if (!has_bits(v)) continue;
        std::size_t first = row_bits_.first_bit[at(v)], common = at(mode(v));
        auto scatter = [&](const auto* states) {
            for (std::size_t i = 0; i < rows_; ++i) {
                std::size_t state = states[i], bit = first + state - (state > common);
                if (state == common) continue;
                std::size_t chunk = bit / RowBits::chunk, word = bit % RowBits::chunk / 64;
                row_bits_.words[(chunk * rows_ + i) * RowBits::words_a_chunk + word] |= Word{1} << (bit % 64);
            }
        };
        std::visit(scatter, states(v));
    }
}

}  // namespace veridag
