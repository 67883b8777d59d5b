// Tests of discrete and continuous variables together, for searches.
#include <cmath>
#include <utility>

#include "elementary.hpp"
#include "independence/conditional_gaussian.hpp"
#include "independence/decision.hpp"
#include "independence/embedded.hpp"
#include "independence/tails.hpp"

namespace veridag {
namespace {

// Variables of one kind go to the tests of that kind, which know them by place.
class MixedG2 : public PairTest {
   public:
    MixedG2(const MixedTable& table, std::unique_ptr<PairTest> discrete, std::unique_ptr<PairTest> continuous,
            DegreesOfFreedom rule, double alpha)
        : table_(table),
          discrete_(std::move(discrete)),
          continuous_(std::move(continuous)),
          ratio_(table),
          rule_(rule),
          log_alpha_(elementary::log(alpha)) {}

    Decision of(int x, int y, std::span<const int> given) override {
        if (PairTest* own = of_one_kind(x, y, given)) {
            std::vector<int> places = places_of(given);
            return own->of(table_.place(x), table_.place(y), places);
        }
        PairDesign known = design(table_, x, y, given);
        if (known.is_constant) return {};
        if (rule_ == DegreesOfFreedom::adjusted && table_.total() < 5.0 * known.rows_needed) return {};
        if (rule_ == DegreesOfFreedom::plain && std::isinf(known.plain_df)) return {};
        ChiSquare found = ratio_.of(x, y, given);
        if (found.n == 0.0) return {};
        if (rule_ == DegreesOfFreedom::adjusted && found.n < 5.0 * known.rows_needed) return {};
        double df = rule_ == DegreesOfFreedom::plain && found.df > 0.0 ? known.plain_df : found.df;
        Decision decision = by_p_value(log_chi_square_tail(found.statistic, df), log_alpha_);
        decision.reliable = rule_ != DegreesOfFreedom::observed || found.n >= known.rows_needed;
        return decision;
    }

    bool may_be_reliable(int x, int y, std::span<const int> given) const override {
        if (const PairTest* own = of_one_kind(x, y, given)) {
            return own->may_be_reliable(table_.place(x), table_.place(y), places_of(given));
        }
        return rule_ != DegreesOfFreedom::observed || table_.total() >= design(table_, x, y, given).rows_needed;
    }

   private:
    PairTest* of_one_kind(int x, int y, std::span<const int> given) const {
        bool kind = table_.is_discrete(x);
        if (table_.is_discrete(y) != kind) return nullptr;
        for (int z : given) {
            if (table_.is_discrete(z) != kind) return nullptr;
        }
        return kind ? discrete_.get() : continuous_.get();
    }

    std::vector<int> places_of(std::span<const int> given) const {
        std::vector<int> places;
        for (int z : given) places.push_back(table_.place(z));
        return places;
    }

    const MixedTable& table_;
    std::unique_ptr<PairTest> discrete_, continuous_;
    ConditionalGaussian ratio_;
    DegreesOfFreedom rule_;
    double log_alpha_;
};

class DegenerateG2 : public PairTest {
   public:
    DegenerateG2(EmbeddedData data, double alpha) : ratio_(std::move(data)), log_alpha_(elementary::log(alpha)) {}

    Decision of(int x, int y, std::span<const int> given) override {
        ChiSquare found = ratio_.of(x, y, given);
        return by_p_value(log_chi_square_tail(found.statistic, found.df), log_alpha_);
    }

   private:
    EmbeddedRatio ratio_;
    double log_alpha_;
};

}  // namespace

TestFactory mixed_g2_test(const MixedTable& table, TestFactory continuous, DegreesOfFreedom rule, double alpha) {
    TestFactory discrete = g2_test(table.discrete(), rule, alpha);
    return [=, &table] { return std::make_unique<MixedG2>(table, discrete(), continuous(), rule, alpha); };
}

TestFactory degenerate_g2_test(EmbeddedData data, double alpha) {
    return [data = std::move(data), alpha] { return std::make_unique<DegenerateG2>(data, alpha); };
}

}  // namespace veridag
