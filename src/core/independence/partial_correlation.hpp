// The partial correlation of two variables given others, from the scatter matrix of the data.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "counts/observed_moments.hpp"

namespace veridag {

struct PartialCorrelation {
    double rho = 0.0;
    int rank = 0;  // conditioning variables that are not linear functions of those before them
};

class PartialCorrelations {
   public:
    PartialCorrelations() = default;
    PartialCorrelations(const double* scatter, int variables, double n)
        : scatter_(scatter), variables_(static_cast<std::size_t>(variables)), n_(n) {}

    // 0 where x or y is a linear function of the others or the observations are too few; exactly -1 or 1 where they are
    // linear functions of each other. The same rules as veridag.independence.
    PartialCorrelation of(int x, int y, std::span<const int> given);
    double n() const { return n_; }

   private:
    friend class ObservedCorrelations;

    const double* scatter_ = nullptr;
    std::size_t variables_ = 0;
    double n_ = 0.0;
    std::vector<double> work_;
};

// The same of variables with missing values, from the rows in which all are observed. As one thread uses it.
class ObservedCorrelations {
   public:
    explicit ObservedCorrelations(std::shared_ptr<const ObservedMoments> moments) : moments_(std::move(moments)) {}

    // Variables are known by their place among the continuous ones; those given are in ascending order.
    PartialCorrelation of(int x, int y, std::span<const int> given);
    // The number of observations of the last one.
    double n() const { return correlations_.n_; }

   private:
    std::shared_ptr<const ObservedMoments> moments_;
    ObservedMoments::Workspace work_;
    PartialCorrelations correlations_;
    std::vector<int> members_, places_;
};

}  // namespace veridag
