#include "counts/counter.hpp"

#include "counts/costs.hpp"
#include "elementary.hpp"
#include "index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

namespace veridag {
namespace {

constexpr std::size_t block_rows = PackedArray::block;

}  // namespace

double Counter::cells_of(std::span<const int> variables) const {
    double cells = 1.0;
    for (int v : variables) cells *= axes_.arity(v);
    return cells;
}

// ---- dense

void Counter::count_axes() {
    bool by_bits = std::all_of(axes_.begin(), axes_.end(), [&](const Axis& a) { return table_.has_bits(a.variable); });
    cells_.resize(axes_.set_blocks(1));
    counted_ = table_.total();
    if (axes_.empty()) {
        cells_[0] = table_.total();
    } else if (!by_bits || rows_are_cheaper()) {
        count_all_rows();
    } else {
        const Axis& last = axes_[axes_.size() - 1];
        auto leaf = [&](const Word* mask, Count inside, Count* out) { fill_last(last, mask, inside, out); };
        counted_ = axes_.fill(axes_.size() - 1, cells_.data(), leaf);
    }
}

void Counter::fill_last(const Axis& axis, const Word* mask, Count inside, Count* out) {
    Count rest = inside;
    const Word* bits = axis.bits + axes_.first_word();
    for (int state = 0; state < axis.arity; ++state) {
        if (state == axis.mode) continue;
        out[state] = mask ? static_cast<Count>(bit_kernels().count_and(mask, bits, axes_.words()))
                          : table_.marginal(axis.variable, state);
        rest -= out[state];
        bits += table_.words();
    }
    out[axis.mode] = rest;
}

bool Counter::rows_are_cheaper() const {
    auto cells = static_cast<double>(cells_.size()), axes = static_cast<double>(axes_.size());
    double ands = 0.0;  // below each level; the first variable's bits are there already
    for (std::size_t k = axes_.size(); k-- > 1;) ands = axes_[k].arity - 1 + axes_[k].arity * ands;
    ands *= axes_[0].arity;
    double by_bits =
        ands * (ns_per_and + ns_per_word * static_cast<double>(table_.words())) + ns_per_cell * cells * axes;
    double by_rows =
        static_cast<double>(table_.rows()) * (ns_per_row + ns_per_row_and_axis * axes) + 3 * ns_per_cell * cells;
    return by_rows < by_bits;
}

void Counter::count_all_rows() {
    if (table_.weights()) {
        count_all_rows_weighted();
    } else if (cells_.size() < std::size_t{1} << 16) {
        count_all_rows_unweighted<std::uint16_t>();
    } else {
        count_all_rows_unweighted<std::uint32_t>();
    }
    if (axes_.any_gaps()) counted_ = std::accumulate(cells_.begin(), cells_.end(), Count{0});
}

// Those of a block of rows in which an axis has no value.
void Counter::mark_hidden(std::size_t start, std::size_t count) {
    hidden_.assign(count, 0);
    for (const Axis& axis : axes_) {
        if (!axes_.has_gaps(axis.variable)) continue;
        auto mark = [&, gap = axis.arity](const auto* states, std::size_t, std::size_t) {
            using State = std::remove_cvref_t<decltype(*states)>;
            auto code = static_cast<State>(gap);
            for (std::size_t i = 0; i < count; ++i) hidden_[i] |= static_cast<char>(states[i] == code);
        };
        for_states(table_.states(axis.variable), start, count, mark);
    }
}

namespace {

// Where each of `count` rows from `start` on, which are one block, falls in the table.
template <class Place, class Axes>
void find_places(const Table& table, const Axes& axes, std::size_t start, std::size_t count, Place* place) {
    std::fill(place, place + count, Place{0});
    for (const auto& axis : axes) {
        auto stride = static_cast<Place>(axis.block);
        auto add = [&](const auto* states, std::size_t, std::size_t) {
            for (std::size_t i = 0; i < count; ++i) place[i] = static_cast<Place>(place[i] + stride * states[i]);
        };
        for_states(table.states(axis.variable), start, count, add);
    }
}

}  // namespace

// Several tallies in turn: adding to a cell that was added to just before would have to wait. Rows with gaps go to a
// cell beyond the others.
template <class Place>
void Counter::count_all_rows_unweighted() {
    constexpr std::size_t turns = 4;
    bool gaps = axes_.any_gaps();
    std::size_t cells = cells_.size() + (gaps ? 1 : 0);
    tallies_.assign(turns * cells, 0);
    std::uint32_t* tally = tallies_.data();
    Place place[block_rows];
    for (std::size_t start = 0; start < table_.rows(); start += block_rows) {
        std::size_t count = std::min(block_rows, table_.rows() - start);
        find_places(table_, axes_, start, count, place);
        if (gaps) {
            mark_hidden(start, count);
            auto beyond = static_cast<Place>(cells - 1);
            for (std::size_t i = 0; i < count; ++i) place[i] = hidden_[i] ? beyond : place[i];
        }
        std::size_t i = 0;
        for (; i + turns <= count; i += turns) {
            ++tally[place[i]];
            ++tally[cells + place[i + 1]];
            ++tally[2 * cells + place[i + 2]];
            ++tally[3 * cells + place[i + 3]];
        }
        for (; i < count; ++i) ++tally[place[i]];
    }
    for (std::size_t c = 0; c < cells_.size(); ++c)
        cells_[c] =
            Count{tally[c]} + Count{tally[cells + c]} + Count{tally[2 * cells + c]} + Count{tally[3 * cells + c]};
}

void Counter::count_all_rows_weighted() {
    std::fill(cells_.begin(), cells_.end(), Count{0});
    std::uint32_t place[block_rows];
    for (std::size_t start = 0; start < table_.rows(); start += block_rows) {
        std::size_t count = std::min(block_rows, table_.rows() - start);
        find_places(table_, axes_, start, count, place);
        mark_hidden(start, count);
        for (std::size_t i = 0; i < count; ++i) {
            if (!hidden_[i]) cells_[place[i]] += table_.weights()[start + i];
        }
    }
}

// ---- what is asked for

void Counter::tally(std::size_t distinct, std::vector<Count>& out) const {
    out.assign(distinct, 0);
    const std::int64_t* weights = table_.weights();
    const auto& ids = keys_.keys();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (hidden_.empty() || !hidden_[i]) out[ids[i]] += weights ? weights[i] : 1;
    }
}

// Rows all alike, and those marked that have no value of one of the variables.
void Counter::start_keys(std::span<const int> variables) {
    keys_.start(table_.rows());
    hidden_.clear();
    if (axes_.gaps() == Gaps::passed_over) mark_gaps(table_, variables, hidden_);
}

// Beyond this, going through the cells would cost more than going through the rows.
bool Counter::is_sparse(double cells) const {
    return cells > 2.0 * static_cast<double>(table_.rows()) + 1024.0 ||
           cells >= static_cast<double>(RowKeys::max_direct);
}

void Counter::set_size(FamilyCounts& counts, std::span<const int> parents) const {
    counts.q = cells_of(parents);
    counts.log_q = 0.0;
    if (std::isfinite(counts.q)) {
        counts.log_q = elementary::log(counts.q);
    } else {
        for (int p : parents) counts.log_q += elementary::log(axes_.arity(p));
    }
}

// The configurations: the cells with the child summed out, whose axis has r states and `inner` cells below each.
void Counter::sum_out(std::size_t inner, std::size_t r) {
    std::size_t outer = cells_.size() / (inner * r);
    configurations_.assign(outer * inner, 0);
    for (std::size_t a = 0; a < outer; ++a) {
        Count* sums = configurations_.data() + a * inner;
        for (std::size_t k = 0; k < r; ++k) {
            const Count* slice = cells_.data() + (a * r + k) * inner;
            for (std::size_t b = 0; b < inner; ++b) sums[b] += slice[b];
        }
    }
}

FamilyCounts Counter::family(int child, std::span<const int> parents) {
    FamilyCounts result;
    result.r = axes_.arity(child);
    set_size(result, parents);
    if (is_sparse(result.q * result.r)) {
        members_.assign(parents.begin(), parents.end());
        members_.push_back(child);
        start_keys(members_);
        for (int p : parents) keys_.add(table_, p);
        tally(keys_.number(), configurations_);
        keys_.add(table_, child);
        tally(keys_.number(), cells_);
        result.cells = cells_;
        result.configurations = configurations_;
        result.n = counted_ = std::accumulate(configurations_.begin(), configurations_.end(), Count{0});
        return result;
    }
    axes_.take(parents);
    axes_.append(child);
    axes_.sort();
    count_axes();
    sum_out(axes_.of(child).block, at(result.r));
    result.n = counted_;
    result.cells = cells_;
    result.configurations = configurations_;
    return result;
}

std::span<const Count> Counter::joint(std::span<const int> variables) {
    if (is_sparse(cells_of(variables))) {
        start_keys(variables);
        for (int v : variables) keys_.add(table_, v);
        tally(keys_.number(), cells_);
        counted_ = std::accumulate(cells_.begin(), cells_.end(), Count{0});
    } else {
        axes_.take(variables);
        axes_.sort();
        count_axes();
    }
    return cells_;
}

std::span<const Count> Counter::dense(std::span<const int> variables, std::size_t limit) {
    if (cells_of(variables) >
        static_cast<double>(std::min<std::size_t>(limit, std::numeric_limits<std::uint32_t>::max())))
        return {};
    axes_.take(variables);
    count_axes();
    return cells_;
}

}  // namespace veridag
