#include "counts/observed_moments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "counts/sums.hpp"

namespace veridag {
namespace {

constexpr std::size_t most_sets = std::size_t{1} << 16;  // about 20 MB if sets are small

// A scatter below this share of the sum of squares that it was taken from has lost too many digits.
constexpr double cancelled = 1e-4;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

ObservedMoments::ObservedMoments(const MixedTable& table)
    : columns_(at(table.continuous())), keys_(std::max(table.continuous(), 1)), cache_(most_sets) {
    std::vector<std::size_t> kept;  // rows of weight zero are nobody's
    for (std::size_t i = 0; i < table.rows(); ++i) {
        if (!table.weights() || table.weights()[i] > 0) kept.push_back(i);
    }
    rows_ = kept.size();
    total_ = table.total();
    if (table.weights()) {
        for (std::size_t i : kept) {
            weights_.push_back(static_cast<double>(table.weights()[i]));
            roots_.push_back(std::sqrt(weights_.back()));
        }
    }
    auto weight = [&](std::size_t i) { return weights_.empty() ? 1.0 : weights_[i]; };
    for (std::size_t v = 0; v < columns_.size(); ++v) {
        Column& column = columns_[v];
        const double* from = table.values(static_cast<int>(v));
        column.values.resize(rows_);
        double before = 0.0, mean = 0.0;
        for (std::size_t i = 0; i < rows_; ++i) {
            double x = from[kept[i]];
            if (std::isnan(x)) continue;
            before += weight(i);
            mean += (x - mean) * (weight(i) / before);  // without a sum that might overflow
        }
        if (table.values_missing(static_cast<int>(v))) column.gaps.resize((rows_ + 63) / 64, 0);
        for (std::size_t i = 0; i < rows_; ++i) {
            double x = from[kept[i]];
            if (std::isnan(x)) {
                column.gaps[i / 64] |= Word{1} << (i % 64);
            } else {
                column.values[i] = x - mean;
            }
        }
        column.sum =
            weights_.empty() ? sum(column.values.data(), rows_) : product(column.values.data(), weights_.data(), rows_);
    }
    std::size_t pairs = columns_.size() * (columns_.size() + 1) / 2;
    products_ = std::make_unique<std::atomic<double>[]>(pairs);
    for (std::size_t i = 0; i < pairs; ++i) products_[i].store(unknown, std::memory_order_relaxed);
}

double ObservedMoments::product_of(int a, int b) const {
    if (a < b) std::swap(a, b);
    std::atomic<double>& kept = products_[at(a) * (at(a) + 1) / 2 + at(b)];
    double value = kept.load(std::memory_order_relaxed);
    if (std::isnan(value)) {  // two threads may compute the same number
        const double *x = columns_[at(a)].values.data(), *y = columns_[at(b)].values.data();
        value = weights_.empty() ? product(x, y, rows_)
                                 : sum_of(rows_, [&](std::size_t i) { return x[i] * y[i] * weights_[i]; });
        kept.store(value, std::memory_order_relaxed);
    }
    return value;
}

const SetMoments& ObservedMoments::of(std::span<const int> variables, Workspace& work) const {
    auto is_complete = [this](int v) { return columns_[at(v)].gaps.empty(); };
    if (std::all_of(variables.begin(), variables.end(), is_complete)) {
        add_products(variables, work.own);
        return work.own;
    }
    Key key = keys_.conditions(variables);
    if (!cache_.find(key, work.shared)) {
        work.shared = std::make_shared<const SetMoments>(compute(variables, work));
        cache_.keep(key, work.shared);
    }
    return *work.shared;
}

void ObservedMoments::add_products(std::span<const int> variables, SetMoments& found) const {
    std::size_t k = variables.size();
    found.n = total_;
    found.scatter.assign(k * k, 0.0);
    if (rows_ == 0) return;
    for (std::size_t a = 0; a < k; ++a) {
        for (std::size_t b = a; b < k; ++b) {
            double of_means = columns_[at(variables[a])].sum / total_ * columns_[at(variables[b])].sum;
            found.scatter[a * k + b] = found.scatter[b * k + a] = product_of(variables[a], variables[b]) - of_means;
        }
    }
}

SetMoments ObservedMoments::compute(std::span<const int> variables, Workspace& work) const {
    SetMoments found;
    list_rows(variables, true, work);
    if (2 * work.count <= rows_ && take_away_hidden(variables, found, work)) return found;
    list_rows(variables, false, work);
    add_observed(variables, found, work);
    return found;
}

void ObservedMoments::list_rows(std::span<const int> variables, bool hidden, Workspace& work) const {
    work.mask.assign((rows_ + 63) / 64, 0);
    for (int v : variables) {
        const std::vector<Word>& gaps = columns_[at(v)].gaps;
        for (std::size_t w = 0; w < gaps.size(); ++w) work.mask[w] |= gaps[w];
    }
    if (!hidden) {
        for (Word& word : work.mask) word = ~word;
        if (rows_ % 64) work.mask.back() &= (Word{1} << rows_ % 64) - 1;
    }
    work.rows.resize(rows_);
    std::uint32_t* next = work.rows.data();
    for (std::size_t w = 0; w < work.mask.size(); ++w) {
        auto first = static_cast<std::uint32_t>(64 * w);
        for (Word left = work.mask[w]; left; left &= left - 1)
            *next++ = first + static_cast<std::uint32_t>(std::countr_zero(left));
    }
    work.count = static_cast<std::size_t>(next - work.rows.data());
}

void ObservedMoments::gather(std::span<const int> variables, Workspace& work) const {
    std::size_t count = work.count;
    work.values.resize(variables.size() * count);
    for (std::size_t a = 0; a < variables.size(); ++a) {
        const double* from = columns_[at(variables[a])].values.data();
        double* to = work.values.data() + a * count;
        for (std::size_t i = 0; i < count; ++i) to[i] = from[work.rows[i]];
    }
}

void ObservedMoments::multiply_by_roots(double* values, const Workspace& work) const {
    if (roots_.empty()) return;
    for (std::size_t i = 0; i < work.count; ++i) values[i] *= roots_[work.rows[i]];
}

double ObservedMoments::listed_weight(const Workspace& work) const {
    if (weights_.empty()) return static_cast<double>(work.count);
    double weight = 0.0;
    for (std::size_t i = 0; i < work.count; ++i) weight += weights_[work.rows[i]];
    return weight;
}

bool ObservedMoments::take_away_hidden(std::span<const int> variables, SetMoments& found, Workspace& work) const {
    std::size_t k = variables.size(), count = work.count;
    found.n = total_ - listed_weight(work);
    if (found.n < 1.0) return false;
    gather(variables, work);
    work.sums.resize(k);
    for (std::size_t a = 0; a < k; ++a) {
        double* own = work.values.data() + a * count;
        auto weighted = [&](std::size_t i) { return own[i] * weights_[work.rows[i]]; };
        work.sums[a] = columns_[at(variables[a])].sum - (weights_.empty() ? sum(own, count) : sum_of(count, weighted));
        multiply_by_roots(own, work);
    }
    found.scatter.assign(k * k, 0.0);
    for (std::size_t a = 0; a < k; ++a) {
        for (std::size_t b = a; b < k; ++b) {
            double all = product_of(variables[a], variables[b]);
            double hidden = product(work.values.data() + a * count, work.values.data() + b * count, count);
            double scatter = all - hidden - work.sums[a] / found.n * work.sums[b];
            if (a == b && !(scatter > cancelled * all)) return false;
            found.scatter[a * k + b] = found.scatter[b * k + a] = scatter;
        }
    }
    return true;
}

// A column that is constant in these rows has no scatter at all: it is centred around its first value before its mean.
void ObservedMoments::add_observed(std::span<const int> variables, SetMoments& found, Workspace& work) const {
    std::size_t k = variables.size(), count = work.count;
    found.n = listed_weight(work);
    found.scatter.assign(k * k, 0.0);
    if (count == 0) return;
    gather(variables, work);
    for (std::size_t a = 0; a < k; ++a) {
        double* own = work.values.data() + a * count;
        auto weighted = [&](std::size_t i) { return own[i] * weights_[work.rows[i]]; };
        double first = own[0];
        for (std::size_t i = 0; i < count; ++i) own[i] -= first;
        double shift = (weights_.empty() ? sum(own, count) : sum_of(count, weighted)) / found.n;
        for (std::size_t i = 0; i < count; ++i) own[i] -= shift;
        multiply_by_roots(own, work);
    }
    for (std::size_t a = 0; a < k; ++a) {
        for (std::size_t b = a; b < k; ++b) {
            found.scatter[a * k + b] = found.scatter[b * k + a] =
                product(work.values.data() + a * count, work.values.data() + b * count, count);
        }
    }
}

}  // namespace veridag
