#include "counts/strata.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "counts/sums.hpp"

namespace veridag {
namespace {

// What an allocation takes beside the bytes asked for, about.
constexpr std::size_t allocation = 16;

template <class Value>
std::size_t bytes_of(const std::vector<Value>& values) {
    return values.capacity() * sizeof(Value) + allocation;
}

}  // namespace

Strata::Strata(const MixedTable& table, std::span<const int> discrete, Workspace& work, std::span<const char> hidden)
    : table_(table), hidden_(hidden), place_(at(table.continuous()), 0) {
    for (int v : discrete) configurations_ *= table.discrete().arity(v);
    sort_rows(number_rows(discrete, work), work);
    bytes_ = sizeof(Strata) + bytes_of(n_) + bytes_of(starts_) + bytes_of(rows_) + bytes_of(root_weights_) +
             bytes_of(place_);
}

std::size_t Strata::number_rows(std::span<const int> discrete, Workspace& work) const {
    std::size_t rows = table_.rows();
    work.stratum.assign(rows, 0);
    if (configurations_ <= 2.0 * static_cast<double>(rows) + 1024.0) {
        for (int v : discrete) {
            auto arity = static_cast<std::uint32_t>(table_.discrete().arity(v));
            auto append = [&](const auto* states, std::size_t first, std::size_t count) {
                std::uint32_t* stratum = work.stratum.data() + first;
                for (std::size_t i = 0; i < count; ++i) stratum[i] = stratum[i] * arity + states[i];
            };
            for_states(table_.discrete().states(v), 0, rows, append);
        }
        return static_cast<std::size_t>(configurations_);
    }
    work.keys.start(rows);
    for (int v : discrete) work.keys.add(table_.discrete(), v);
    std::size_t distinct = work.keys.number();
    for (std::size_t i = 0; i < rows; ++i) work.stratum[i] = static_cast<std::uint32_t>(work.keys.keys()[i]);
    return distinct;
}

// By counting; rows that are hidden or of weight zero are left out, and so are strata without rows.
void Strata::sort_rows(std::size_t numbers, Workspace& work) {
    const std::int64_t* weights = table_.weights();
    const std::vector<std::uint32_t>& stratum = work.stratum;
    auto counts = [&](std::size_t i) { return (!weights || weights[i] > 0) && (hidden_.empty() || !hidden_[i]); };
    work.sizes.assign(numbers, 0);
    work.next.assign(numbers, 0);
    for (std::size_t i = 0; i < stratum.size(); ++i) work.sizes[stratum[i]] += counts(i) ? 1 : 0;
    starts_.push_back(0);
    for (std::size_t k = 0; k < numbers; ++k) {
        work.next[k] = static_cast<std::uint32_t>(starts_.back());
        if (work.sizes[k] > 0) starts_.push_back(starts_.back() + work.sizes[k]);
    }
    rows_.resize(starts_.back());
    for (std::size_t i = 0; i < stratum.size(); ++i) {
        if (counts(i)) rows_[work.next[stratum[i]]++] = static_cast<std::uint32_t>(i);
    }
    n_.resize(starts_.size() - 1);
    for (std::size_t j = 0; j < n_.size(); ++j) n_[j] = static_cast<double>(starts_[j + 1] - starts_[j]);
    if (!weights) return;
    root_weights_.resize(rows_.size());
    for (std::size_t j = 0; j < n_.size(); ++j) {
        n_[j] = 0.0;
        for (std::size_t i = starts_[j]; i < starts_[j + 1]; ++i) {
            auto weight = static_cast<double>(weights[rows_[i]]);
            n_[j] += weight;
            root_weights_[i] = std::sqrt(weight);
        }
    }
}

std::size_t Strata::column(int variable) {
    std::uint32_t& place = place_[at(variable)];
    if (place > 0) return place - 1;
    auto made = std::make_unique<Column>();
    made->values.resize(rows_.size());
    made->mean.resize(size());
    made->scatter.resize(size());
    const double* from = table_.values(variable);
    for (std::size_t i = 0; i < rows_.size(); ++i) made->values[i] = from[rows_[i]];
    for (std::size_t j = 0; j < size(); ++j) centre(j, *made);
    multiply(*made, *made, made->scatter.data());
    bytes_ += sizeof(Column) + 2 * sizeof(void*) + allocation + bytes_of(made->values) + 2 * bytes_of(made->mean);
    columns_.push_back(std::move(made));
    place = static_cast<std::uint32_t>(columns_.size());
    return columns_.size() - 1;
}

void Strata::multiply(const Column& x, const Column& y, double* out) const {
    for (std::size_t j = 0; j < size(); ++j) {
        out[j] = product(x.values.data() + starts_[j], y.values.data() + starts_[j], starts_[j + 1] - starts_[j]);
    }
}

// Values less the first one are summed up, so that the mean of a constant is exact.
void Strata::centre(std::size_t stratum, Column& column) const {
    double* own = column.values.data() + starts_[stratum];
    std::size_t count = starts_[stratum + 1] - starts_[stratum];
    double first = own[0], mean = first;
    if (root_weights_.empty()) {
        for (std::size_t i = 0; i < count; ++i) own[i] -= first;
        double shift = sum(own, count) / n_[stratum];
        mean += shift;
        for (std::size_t i = 0; i < count; ++i) own[i] -= shift;
    } else {
        const double* root = root_weights_.data() + starts_[stratum];
        double total = 0.0;
        for (std::size_t i = 0; i < count; ++i) total += (own[i] - first) * root[i] * root[i];
        double shift = total / n_[stratum];
        mean += shift;
        for (std::size_t i = 0; i < count; ++i) own[i] = (own[i] - first - shift) * root[i];
    }
    column.mean[stratum] = mean;
}

const double* Strata::mean(int variable) { return columns_[column(variable)]->mean.data(); }

const double* Strata::scatter(int a, int b) {
    std::size_t later = column(a), earlier = column(b);
    if (later == earlier) return columns_[later]->scatter.data();
    if (later < earlier) std::swap(later, earlier);
    auto& with = columns_[later]->with;
    if (with.empty()) {
        with.resize(later);
        bytes_ += bytes_of(with);
    }
    std::unique_ptr<double[]>& kept = with[earlier];
    if (!kept) {
        kept = std::make_unique<double[]>(size());
        multiply(*columns_[later], *columns_[earlier], kept.get());
        bytes_ += size() * sizeof(double) + allocation;
    }
    return kept.get();
}

Strata& StrataCache::of(std::span<const int> discrete) {
    count_last();
    make_room();
    wanted_.assign(discrete.begin(), discrete.end());
    auto found = by_key_.find(wanted_);
    if (found != by_key_.end()) {
        used_.splice(used_.begin(), used_, found->second);
        return *used_.front().strata;
    }
    used_.push_front({wanted_, std::make_unique<Strata>(table_, discrete, work_)});
    by_key_[wanted_] = used_.begin();
    return *used_.front().strata;
}

void StrataCache::count_last() {
    if (used_.empty()) return;
    Entry& last = used_.front();
    bytes_ += last.strata->bytes() - last.bytes;
    last.bytes = last.strata->bytes();
}

void StrataCache::make_room() {
    while (bytes_ > max_bytes && !used_.empty()) {
        bytes_ -= used_.back().bytes;
        by_key_.erase(used_.back().key);
        used_.pop_back();
    }
}

}  // namespace veridag
