#include "search/problem.hpp"

#include <algorithm>
#include <cmath>

#include "sampling/random.hpp"

namespace veridag {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Criterion::Criterion(BatchScorer& scorer, PriorTerms prior, int threads) : scorer_(scorer), prior_(prior), threads_(threads) {
    Stream random(0x7665726964616721ULL, 0, 0);
    for (int v = 0; v < variables(); ++v) {
        as_child_.push_back({random.bits(), random.bits()});
        as_parent_.push_back({random.bits(), random.bits()});
    }
}

Criterion::Key Criterion::key(int child, std::span<const int> parents) const {
    Key sum = as_child_[at(child)];
    for (int p : parents) {
        sum.low += as_parent_[at(p)].low;
        sum.high += as_parent_[at(p)].high;
    }
    return sum;
}

double Criterion::prior(int child, std::span<const int> parents) const {
    if (!prior_.size) return 0.0;
    std::size_t n = at(variables());
    double term = prior_.size[at(child) * n + parents.size()];
    if (prior_.arc) {
        for (int p : parents) term += prior_.arc[at(p) * n + at(child)];
    }
    return term;
}

// Scores what has been collected, and remembers it.
void Criterion::score_missing() {
    if (missing_keys_.empty()) return;
    values_.resize(missing_keys_.size());
    Families families{missing_children_, missing_offsets_, missing_parents_};
    scorer_.local(families, values_.data(), threads_);
    for (std::size_t i = 0; i < missing_keys_.size(); ++i) {
        double term = prior(missing_children_[i], families.parents_of(i));
        bool ruled_out = std::isinf(values_[i]) || term == minus_infinity;
        known_.emplace(missing_keys_[i], ruled_out ? minus_infinity : values_[i] + term);
    }
    missing_keys_.clear();
    missing_children_.clear();
    missing_parents_.clear();
    missing_offsets_.assign(1, 0);
}

double Criterion::local(int child, std::span<const int> parents) {
    ++calls_;
    Key wanted = key(child, parents);
    if (auto found = known_.find(wanted); found != known_.end()) return found->second;
    missing_keys_.push_back(wanted);
    missing_children_.push_back(child);
    missing_parents_.assign(parents.begin(), parents.end());
    missing_offsets_.push_back(static_cast<std::int64_t>(parents.size()));
    score_missing();
    return known_.at(wanted);
}

void Criterion::toggled(int child, std::span<const int> parents, std::span<const int> candidates, double* out) {
    calls_ += static_cast<std::int64_t>(candidates.size());
    Key base = key(child, parents);
    auto changed = [&](int u) {
        bool is_parent = std::binary_search(parents.begin(), parents.end(), u);
        const Key& own = as_parent_[at(u)];
        return is_parent ? Key{base.low - own.low, base.high - own.high} : Key{base.low + own.low, base.high + own.high};
    };
    for (int u : candidates) {
        Key wanted = changed(u);
        if (known_.contains(wanted)) continue;
        missing_keys_.push_back(wanted);
        missing_children_.push_back(child);
        auto place = std::lower_bound(parents.begin(), parents.end(), u);
        bool is_parent = place != parents.end() && *place == u;
        missing_parents_.insert(missing_parents_.end(), parents.begin(), place);
        if (!is_parent) missing_parents_.push_back(u);
        missing_parents_.insert(missing_parents_.end(), place + (is_parent ? 1 : 0), parents.end());
        missing_offsets_.push_back(static_cast<std::int64_t>(missing_parents_.size()));
    }
    score_missing();
    for (std::size_t i = 0; i < candidates.size(); ++i) out[i] = known_.at(changed(candidates[i]));
}

}  // namespace veridag
