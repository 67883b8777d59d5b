// Tests of independence as a search uses them: a decision, and the evidence for dependence by which decisions are
// compared.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cache.hpp"
#include "counts/observed_moments.hpp"
#include "scores/batch.hpp"
#include "scores/embedded.hpp"
#include "scores/prior.hpp"
#include "table/mixed_table.hpp"
#include "table/table.hpp"

namespace veridag {

// `evidence` is minus the logarithm of the p-value, or what a score gains; more of it is a stronger dependence. With
// few rows a test may err towards dependence, and is not reliable: then it can separate a pair, but not show that it
// depends.
struct Decision {
    double evidence = 0.0;
    bool independent = true;
    bool reliable = true;

    bool shows_dependence() const { return !independent && reliable; }
};

inline Decision by_p_value(double log_p, double log_alpha) { return {-log_p, log_p > log_alpha}; }

// A test bound to data, as one thread uses it. Where values are missing, it takes the rows in which all its variables
// are observed. `x` is below `y`, and `given` is in ascending order without either.
class PairTest {
   public:
    virtual ~PairTest() = default;
    virtual Decision of(int x, int y, std::span<const int> given) = 0;

    // False if it is clear before the test that the decision would not be reliable; nor would it be given more.
    virtual bool may_be_reliable(int, int, std::span<const int>) const { return true; }
};

using TestFactory = std::function<std::unique_ptr<PairTest>()>;

// What veridag.criteria.independence.chi_square calls df.
enum class DegreesOfFreedom { plain, adjusted, observed };

// G2 from the sums of n log n over the joint states of four sets of variables. The sums are cached, since tests of a
// search share most of them.
TestFactory g2_test(const Table& table, DegreesOfFreedom rule, double alpha);

// X2, counted test by test.
TestFactory x2_test(const Table& table, DegreesOfFreedom rule, double alpha);

enum class CorrelationTest { g2, student_t, fisher_z };

// Tests of a partial correlation, from the scatter matrix (variables x variables).
TestFactory correlation_test(const double* scatter, int variables, double n, CorrelationTest kind, double alpha);
// The same of data with missing values.
TestFactory correlation_test(std::shared_ptr<const ObservedMoments> moments, CorrelationTest kind, double alpha);

// G2 of mixed data: of the conditional Gaussian distribution, and of variables of one kind as above. `continuous` is
// the test of the continuous variables, by place.
TestFactory mixed_g2_test(const MixedTable& table, TestFactory continuous, DegreesOfFreedom rule, double alpha);

// G2 of variables as blocks of columns.
TestFactory degenerate_g2_test(EmbeddedData data, double alpha);

// When any data gives a score without bound: if there are no more observations than columns of x, y and what is given;
// with a mixed table, no more in some configuration of the discrete ones than there are continuous ones.
struct PerfectFit {
    double n;
    std::vector<int> widths;  // the columns of each variable
    const MixedTable* table = nullptr;
};

// What a score gains by one more parent. The prior's terms are as in scores/prior.hpp. With `cached`, a family is
// scored once; a score that is quick to compute is better computed again.
TestFactory score_test(BatchScorer::Factory make, const PerfectFit& fit, PriorTerms prior, bool cached);

}  // namespace veridag
