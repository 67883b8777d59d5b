#include "counts/strata.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace veridag {
namespace {

// Several sums in turn: each addition would otherwise wait for the one before.
double product(const double* a, const double* b, std::size_t count) {
    constexpr std::size_t turns = 8;
    double sums[turns] = {};
    std::size_t i = 0;
    for (; i + turns <= count; i += turns) {
        for (std::size_t t = 0; t < turns; ++t) sums[t] += a[i + t] * b[i + t];
    }
    for (; i < count; ++i) sums[0] += a[i] * b[i];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

Strata::Strata(const MixedTable& table, std::span<const int> discrete, RowKeys& keys)
    : table_(table), columns_(at(table.continuous())), scatter_(at(table.continuous())) {
    keys.start(table.rows());
    for (int v : discrete) {
        keys.add(table.discrete(), v);
        configurations_ *= table.discrete().arity(v);
    }
    sort_rows(keys, keys.number());
    bytes_ = rows_.size() * (sizeof(std::uint32_t) + (root_weights_.empty() ? 0 : sizeof(double))) +
             scatter_.size() * sizeof(scatter_[0]);
}

// By counting; rows of weight zero are left out, and so are strata of such rows alone.
void Strata::sort_rows(const RowKeys& keys, std::size_t distinct) {
    const std::int64_t* weights = table_.weights();
    const std::vector<std::uint64_t>& key = keys.keys();
    std::vector<std::size_t> sizes(distinct, 0);
    std::vector<double> observations(distinct, 0.0);
    for (std::size_t i = 0; i < key.size(); ++i) {
        if (weights && weights[i] == 0) continue;
        ++sizes[key[i]];
        observations[key[i]] += weights ? static_cast<double>(weights[i]) : 1.0;
    }
    std::vector<std::size_t> next(distinct, 0);
    starts_.push_back(0);
    for (std::size_t k = 0; k < distinct; ++k) {
        next[k] = starts_.back();
        if (sizes[k] == 0) continue;
        n_.push_back(observations[k]);
        starts_.push_back(starts_.back() + sizes[k]);
    }
    rows_.resize(starts_.back());
    if (weights) root_weights_.resize(rows_.size());
    for (std::size_t i = 0; i < key.size(); ++i) {
        if (weights && weights[i] == 0) continue;
        std::size_t where = next[key[i]]++;
        rows_[where] = static_cast<std::uint32_t>(i);
        if (weights) root_weights_[where] = std::sqrt(static_cast<double>(weights[i]));
    }
}

const Strata::Column& Strata::column(int variable) {
    std::unique_ptr<Column>& kept = columns_[at(variable)];
    if (kept) return *kept;
    kept = std::make_unique<Column>();
    const double* from = table_.values(variable);
    std::vector<double>& values = kept->values;
    values.resize(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) values[i] = from[rows_[i]];
    for (std::size_t j = 0; j < size(); ++j) {
        double* own = values.data() + starts_[j];
        std::size_t count = starts_[j + 1] - starts_[j];
        const double* root = root_weights_.empty() ? nullptr : root_weights_.data() + starts_[j];
        double sum = 0.0;
        for (std::size_t i = 0; i < count; ++i) sum += (own[i] - own[0]) * (root ? root[i] * root[i] : 1.0);
        double mean = own[0] + sum / n_[j];  // exact for a constant
        for (std::size_t i = 0; i < count; ++i) own[i] = (own[i] - mean) * (root ? root[i] : 1.0);
        kept->mean.push_back(mean);
    }
    bytes_ += (values.size() + kept->mean.size()) * sizeof(double);
    return *kept;
}

const double* Strata::mean(int variable) { return column(variable).mean.data(); }

const double* Strata::scatter(int a, int b) {
    if (a < b) std::swap(a, b);
    auto& row = scatter_[at(a)];
    if (row.empty()) {
        row.resize(at(a) + 1);
        bytes_ += row.size() * sizeof(row[0]);
    }
    std::unique_ptr<double[]>& kept = row[at(b)];
    if (!kept) {
        const Column &x = column(a), &y = column(b);
        kept = std::make_unique<double[]>(size());
        for (std::size_t j = 0; j < size(); ++j) {
            kept[j] = product(x.values.data() + starts_[j], y.values.data() + starts_[j], starts_[j + 1] - starts_[j]);
        }
        bytes_ += size() * sizeof(double);
    }
    return kept.get();
}

Strata& StrataCache::of(std::span<const int> discrete) {
    wanted_.assign(discrete.begin(), discrete.end());
    auto found = by_key_.find(wanted_);
    if (found != by_key_.end()) {
        used_.splice(used_.begin(), used_, found->second);
        return *used_.front().strata;
    }
    make_room();
    used_.push_front({wanted_, std::make_unique<Strata>(table_, discrete, keys_)});
    by_key_[wanted_] = used_.begin();
    return *used_.front().strata;
}

void StrataCache::make_room() {
    std::size_t bytes = 0;
    for (const Entry& entry : used_) bytes += entry.strata->bytes();
    while (bytes > max_bytes && !used_.empty()) {
        bytes -= used_.back().strata->bytes();
        by_key_.erase(used_.back().key);
        used_.pop_back();
    }
}

}  // namespace veridag
