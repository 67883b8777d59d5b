// The partial correlation of two variables given others, from the scatter matrix of the data.
#pragma once

#include <span>
#include <vector>

namespace veridag {

struct PartialCorrelation {
    double rho = 0.0;
    int rank = 0;  // conditioning variables that are not linear functions of those before them
};

class PartialCorrelations {
   public:
    PartialCorrelations(const double* scatter, int variables, double n)
        : scatter_(scatter), variables_(static_cast<std::size_t>(variables)), n_(n) {}

    // 0 where x or y is a linear function of the others or the observations are too few; exactly -1 or 1 where they are
    // linear functions of each other. The same rules as veridag.independence.
    PartialCorrelation of(int x, int y, std::span<const int> given);

   private:
    const double* scatter_;
    std::size_t variables_;
    double n_;
    std::vector<double> work_;
};

}  // namespace veridag
