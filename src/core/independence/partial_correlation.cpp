#include "independence/partial_correlation.hpp"

#include <algorithm>
#include <cmath>

#include "scores/gaussian.hpp"

namespace veridag {

PartialCorrelation PartialCorrelations::of(int x, int y, std::span<const int> given) {
    std::size_t k = given.size() + 2;
    auto member = [&](std::size_t i) { return static_cast<std::size_t>(i + 2 == k ? x : i + 1 == k ? y : given[i]); };
    auto own = [&](std::size_t i) { return scatter_[member(i) * variables_ + member(i)]; };
    work_.resize(k * k);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = i; j < k; ++j) work_[i * k + j] = scatter_[member(i) * variables_ + member(j)];
    }
    PartialCorrelation found;
    for (std::size_t p = 0; p + 2 < k; ++p) {
        double pivot = work_[p * k + p];
        if (pivot <= singular * own(p)) continue;
        ++found.rank;
        for (std::size_t i = p + 1; i < k; ++i) {
            double factor = work_[p * k + i] / pivot;
            for (std::size_t j = i; j < k; ++j) work_[i * k + j] -= factor * work_[p * k + j];
        }
    }
    double xx = work_[(k - 2) * k + k - 2], xy = work_[(k - 2) * k + k - 1], yy = work_[(k - 1) * k + k - 1];
    if (xx <= singular * own(k - 2) || yy <= singular * own(k - 1) || n_ <= found.rank + 2) return found;
    double rho = xy / std::sqrt(xx * yy);
    found.rho = (1.0 - rho) * (1.0 + rho) <= singular ? std::copysign(1.0, rho) : rho;
    return found;
}

PartialCorrelation ObservedCorrelations::of(int x, int y, std::span<const int> given) {
    members_.assign(given.begin(), given.end());
    members_.insert(members_.end(), {x, y});
    std::sort(members_.begin(), members_.end());
    auto place = [&](int v) {
        return static_cast<int>(std::lower_bound(members_.begin(), members_.end(), v) - members_.begin());
    };
    places_.clear();
    for (int z : given) places_.push_back(place(z));
    const SetMoments& moments = moments_->of(members_, work_);
    correlations_.scatter_ = moments.scatter.data();
    correlations_.variables_ = members_.size();
    correlations_.n_ = moments.n;
    return correlations_.of(place(x), place(y), places_);
}

}  // namespace veridag
