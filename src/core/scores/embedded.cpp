#include "scores/embedded.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "elementary.hpp"
#include "scores/gaussian.hpp"

namespace veridag {
namespace {

class EmbeddedScorer : public LocalScorer {
   public:
    EmbeddedScorer(const EmbeddedData& data, double penalty)
        : data_(data), penalty_(penalty), cholesky_(data.scatter, data.columns(), singular) {}

    double local(int child, std::span<const int> parents) override {
        columns_.clear();
        for (int p : parents) append(p);
        auto before = static_cast<double>(columns_.size());
        append(child);
        if (data_.width(child) == 0) return 0.0;  // a variable with one state
        int last = columns_.back();
        columns_.pop_back();
        auto own = static_cast<std::size_t>(data_.width(child));
        double sum = 0.0;
        for (double pivot : cholesky_.pivots(columns_, last).last(own)) {
            if (pivot == 0.0) return std::numeric_limits<double>::infinity();
            sum += elementary::log(2.0 * std::numbers::pi * pivot / data_.n) + 1.0;
        }
        auto width = static_cast<double>(own);
        return -0.5 * data_.n * sum - penalty_ * (width * before + 0.5 * width * (width + 3.0));
    }

   private:
    void append(int v) {
        for (int k = data_.first[at(v)]; k < data_.first[at(v) + 1]; ++k) columns_.push_back(k);
    }

    EmbeddedData data_;
    double penalty_;
    SubmatrixCholesky cholesky_;
    std::vector<int> columns_;
};

}  // namespace

std::unique_ptr<LocalScorer> make_embedded_scorer(const EmbeddedData& data, double penalty) {
    return std::make_unique<EmbeddedScorer>(data, penalty);
}

}  // namespace veridag
