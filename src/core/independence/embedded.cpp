#include "independence/embedded.hpp"

#include <cmath>
#include <limits>

#include "elementary.hpp"
#include "scores/gaussian.hpp"

namespace veridag {

void EmbeddedRatio::append(int v) {
    for (int k = data_.first[at(v)]; k < data_.first[at(v) + 1]; ++k) columns_.push_back(at(k));
}

void EmbeddedRatio::regress(std::vector<double>& matrix, std::size_t k, std::size_t p) {
    for (std::size_t a = p + 1; a < k; ++a) {
        double factor = matrix[p * k + a] / matrix[p * k + p];
        for (std::size_t b = a; b < k; ++b) matrix[a * k + b] -= factor * matrix[p * k + b];
    }
}

// The columns of Z first, then those of x, then those of y. What is left of x and y given Z is taken as a matrix of its
// own: a column is a function of others there if nearly nothing remains of what Z left of it.
ChiSquare EmbeddedRatio::of(int x, int y, std::span<const int> given) {
    columns_.clear();
    for (int z : given) append(z);
    std::size_t of_z = columns_.size(), before_y = of_z + at(data_.width(x));
    append(x);
    append(y);
    std::size_t k = columns_.size(), n = at(data_.columns());
    if (before_y == of_z || before_y == k) return {};  // a variable with one state
    auto own = [&](std::size_t a) { return data_.scatter[columns_[a] * n + columns_[a]]; };
    work_.resize(k * k);
    for (std::size_t a = 0; a < k; ++a) {
        for (std::size_t b = a; b < k; ++b) work_[a * k + b] = data_.scatter[columns_[a] * n + columns_[b]];
    }
    double rank = 0.0;
    for (std::size_t p = 0; p < of_z; ++p) {
        if (work_[p * k + p] <= singular * own(p)) continue;
        rank += 1.0;
        regress(work_, k, p);
    }
    if (data_.n <= rank + static_cast<double>(k - of_z)) return {};
    std::vector<double> left(k, 0.0);  // of each column, given Z; zero of one that is a function of Z
    for (std::size_t p = of_z; p < k; ++p) {
        if (work_[p * k + p] > singular * own(p)) left[p] = work_[p * k + p];
    }
    auto is_left = [&](const std::vector<double>& matrix, std::size_t p) {
        return left[p] > 0.0 && matrix[p * k + p] > singular * left[p];
    };
    alone_ = work_;
    for (std::size_t p = of_z; p < before_y; ++p) {
        if (is_left(work_, p)) regress(work_, k, p);
    }
    double sum = 0.0;
    for (std::size_t p = before_y; p < k; ++p) {
        if (!is_left(alone_, p)) continue;
        if (is_left(work_, p)) {
            sum += elementary::log(alone_[p * k + p] / work_[p * k + p]);
            regress(work_, k, p);
        } else {
            sum = std::numeric_limits<double>::infinity();
        }
        regress(alone_, k, p);
    }
    return {std::max(0.0, data_.n * sum), static_cast<double>(data_.width(x)) * data_.width(y)};
}

}  // namespace veridag
