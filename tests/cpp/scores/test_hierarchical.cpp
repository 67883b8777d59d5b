#include <cmath>
#include <vector>

#include "check.hpp"
#include "scores/hierarchical.hpp"

namespace {

using veridag::Count;

bool close(double a, double b, double absolute) { return std::abs(a - b) <= absolute; }

std::size_t add(veridag::SharedPrior& prior, std::vector<Count> counts) {
    std::erase(counts, 0);
    return prior.add(counts);
}

}  // namespace

// Three cells in five data sets, from tests/oracle/related.json.
TEST(the_shared_prior_has_its_expected_values) {
    struct Expected {
        double s, kappa[3], tau;
    };
    for (const Expected& e :
         {Expected{0.2, {0.34888884152092914, 0.3262422040603394, 0.3248689544187313}, 18.898472693261972},
          Expected{1.0, {0.4090161741948692, 0.2980686084512619, 0.29291521735386905}, 23.098912844435837}}) {
        veridag::SharedPrior prior(e.s, 1.0, 5);
        prior.clear();
        std::size_t rows[] = {add(prior, {19, 21, 14, 17, 21}), add(prior, {5, 3, 9, 11, 3}),
                              add(prior, {6, 6, 7, 2, 6})};
        prior.maximise();
        for (int k = 0; k < 3; ++k) CHECK(close(prior.alpha(rows[k]) / e.s, e.kappa[k], 1e-10));
        CHECK(close(prior.tau(), e.tau, 1e-7));
        CHECK(prior.steps() <= 12);
    }
}

TEST(equal_counts_share_a_row_and_empty_cells_have_one) {
    veridag::SharedPrior prior(1.0, 1.0, 3);
    for (int round = 0; round < 3; ++round) {  // nothing is left from the family before
        prior.clear();
        CHECK_EQUAL(add(prior, {3, 0, 1}), 0);
        CHECK_EQUAL(add(prior, {7, 2, 9}), 1);
        CHECK_EQUAL(add(prior, {0, 1, 3}), 0);
        prior.add_empty(40.0);
        prior.maximise();
        double sum = 2 * prior.alpha(0) + prior.alpha(1) + 40 * prior.alpha_empty();
        CHECK(close(sum, 1.0, 1e-12));
        CHECK(prior.alpha(1) > prior.alpha(0));
        CHECK(prior.alpha(0) > prior.alpha_empty());
    }
}

TEST(many_rows_are_told_apart) {
    veridag::SharedPrior prior(1.0, 1.0, 2);
    for (int round = 0; round < 2; ++round) {
        prior.clear();
        for (Count n = 1; n <= 3000; ++n) CHECK_EQUAL(add(prior, {n, 2 * n}), static_cast<std::size_t>(n - 1));
        for (Count n = 1; n <= 3000; ++n) CHECK_EQUAL(add(prior, {2 * n, n}), static_cast<std::size_t>(n - 1));
        prior.maximise();
        double sum = 0.0;
        for (std::size_t i = 0; i < 3000; ++i) sum += 2 * prior.alpha(i);
        CHECK(close(sum, 1.0, 1e-10));
    }
}

TEST(extreme_settings_end_within_bounds) {
    for (double s : {1e-4, 1.0, 1e4}) {
        for (double alpha0 : {1e-3, 1.0, 1e4}) {
            veridag::SharedPrior prior(s, alpha0, 100);
            prior.clear();
            add(prior, std::vector<Count>(100, 1000000));
            add(prior, {1});
            prior.add_empty(1e100);
            prior.maximise();
            CHECK(prior.alpha(0) > 0.0);
            CHECK(std::isfinite(prior.alpha(0)));
            CHECK(std::isfinite(prior.log_rising()));
            CHECK(close((prior.alpha(0) + prior.alpha(1) + 1e100 * prior.alpha_empty()) / s, 1.0, 1e-9));
        }
    }
}
