#include "scores/discrete.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "elementary.hpp"

namespace veridag {
namespace {

// The formulas take counts, or expected counts.
template <class Number>
double sum_x_log_x(std::span<const Number> counts, const Functions& f) {
    double sum = 0.0;
    for (Number n : counts) sum += f.x_log_x(n);
    return sum;
}

// sum over counts of log Gamma(a + n) - log Gamma(a); zero counts add nothing.
template <class Number>
double sum_rising(std::span<const Number> counts, RisingLogs& log_rising) {
    double sum = 0.0;
    for (Number n : counts) {
        if (n > 0) sum += log_rising(n);
    }
    return sum;
}

// sum of n_ijk log(n_ijk / n_ij)
template <class Number>
double log_likelihood(const CountsOf<Number>& c, const Functions& f) {
    return sum_x_log_x(c.cells, f) - sum_x_log_x(c.configurations, f);
}

// log of the Bayesian Dirichlet marginal likelihood with the same alpha_ijk in every cell (Heckerman et al. 1995)
template <class Number>
double dirichlet(const CountsOf<Number>& c, Functions& f, double alpha, double log_alpha) {
    double cells = sum_rising(c.cells, f.rising(alpha, log_alpha));
    return cells - sum_rising(c.configurations, f.rising(c.r * alpha, elementary::log(c.r) + log_alpha));
}

// The Bayesian Dirichlet scores of all families of a tile. `alphas(i)` is the alpha_ijk, with its logarithm, of
// family i, the same for all whose new parent has as many states.
template <class Alphas>
void sweep_dirichlet(Tile& tile, Functions& f, double* out, Alphas alphas) {
    RisingLogs* cells[Table::max_bit_arity + 1] = {};
    RisingLogs* configurations[Table::max_bit_arity + 1] = {};
    for (std::size_t i = 0; i < tile.size(); ++i) {
        int s = tile.arity(i);
        if (!cells[s]) {
            auto [alpha, log_alpha] = alphas(i);
            cells[s] = &f.rising(alpha, log_alpha);
            configurations[s] = &f.rising(tile.r() * alpha, elementary::log(tile.r()) + log_alpha);
        }
        auto cell = [own = cells[s]](Count n) { return (*own)(n); };
        auto configuration = [own = configurations[s]](Count n) { return (*own)(n); };
        out[tile.place(i)] = tile.sum(i, cell, configuration);
    }
}

// log-likelihood less a constant for each of the (r - 1) q free parameters: LogLik, AIC, BIC and its extension
class PenalisedLikelihood : public DiscreteScore {
   public:
    // The penalty is fixed, plus half the logarithm of n if asked for.
    PenalisedLikelihood(double fixed, bool half_log_n) : fixed_(fixed), half_log_n_(half_log_n) {}

    double local(const FamilyCounts& c, Functions& f) const override { return of(c, f); }
    double expected(const ExpectedCounts& c, Functions& f) const override { return of(c, f); }

    void sweep(Tile& tile, Functions& f, double* out) const override {
        double each = penalty(tile.n()) * (tile.r() - 1);
        auto x_log_x = [&f](Count n) { return f.x_log_x(n); };
        for (std::size_t i = 0; i < tile.size(); ++i)
            out[tile.place(i)] = tile.sum(i, x_log_x, x_log_x) - times(each, tile.q(i));
    }

   private:
    template <class Number>
    double of(const CountsOf<Number>& c, const Functions& f) const {
        return log_likelihood(c, f) - times(penalty(c.n) * (c.r - 1), c.q);
    }
    // Infinitely many parameters that cost nothing each cost nothing together.
    static double times(double each, double q) { return each == 0.0 ? 0.0 : each * q; }
    template <class Number>
    double penalty(Number n) const {
        return fixed_ + (half_log_n_ ? 0.5 * elementary::log(static_cast<double>(n)) : 0.0);
    }

    double fixed_;
    bool half_log_n_;
};

// K2 (alpha_ijk = 1) and Jeffreys' prior (alpha_ijk = 1/2)
class FixedDirichlet : public DiscreteScore {
   public:
    explicit FixedDirichlet(double alpha) : alpha_(alpha) {}
    double local(const FamilyCounts& c, Functions& f) const override {
        return dirichlet(c, f, alpha_, elementary::log(alpha_));
    }
    double expected(const ExpectedCounts& c, Functions& f) const override {
        return dirichlet(c, f, alpha_, elementary::log(alpha_));
    }
    void sweep(Tile& tile, Functions& f, double* out) const override {
        sweep_dirichlet(tile, f, out, [&](std::size_t) { return std::pair(alpha_, elementary::log(alpha_)); });
    }

   private:
    double alpha_;
};

class BDeu : public DiscreteScore {
   public:
    explicit BDeu(double ess) : ess_(ess) {}
    double local(const FamilyCounts& c, Functions& f) const override { return of(c, f); }
    double expected(const ExpectedCounts& c, Functions& f) const override { return of(c, f); }
    void sweep(Tile& tile, Functions& f, double* out) const override {
        sweep_dirichlet(tile, f, out, [&](std::size_t i) {
            return std::pair(ess_ / (tile.r() * tile.q(i)),
                             elementary::log(ess_ / tile.r()) - elementary::log(tile.q(i)));
        });
    }

   private:
    template <class Number>
    double of(const CountsOf<Number>& c, Functions& f) const {
        return dirichlet(c, f, ess_ / (c.r * c.q), elementary::log(ess_ / c.r) - c.log_q);
    }

    double ess_;
};

// BDeu with the imaginary sample shared by the configurations that occur (Scutari 2016)
class BDs : public DiscreteScore {
   public:
    explicit BDs(double ess) : ess_(ess) {}

    double local(const FamilyCounts& c, Functions& f) const override {
        double observed = 0.0;
        for (Count n : c.configurations) observed += n > 0;
        double alpha = ess_ / (c.r * observed);
        return dirichlet(c, f, alpha, elementary::log(alpha));
    }

   private:
    double ess_;
};

class FNML : public DiscreteScore {
   public:
    double local(const FamilyCounts& c, Functions& f) const override {
        double complexity = 0.0;
        for (Count n : c.configurations) {
            if (n > 0) complexity += f.complexity(n, c.r, elementary::log(c.r));
        }
        return log_likelihood(c, f) - complexity;
    }
};

class QNML : public DiscreteScore {
   public:
    double local(const FamilyCounts& c, Functions& f) const override {
        return log_likelihood(c, f) - f.complexity(c.n, c.r * c.q, elementary::log(c.r) + c.log_q) +
               f.complexity(c.n, c.q, c.log_q);
    }
};

double only(std::span<const double> parameters) {
    if (parameters.size() != 1) throw std::invalid_argument("the score takes one number");
    return parameters[0];
}

}  // namespace

double DiscreteScore::expected(const ExpectedCounts&, Functions&) const {
    throw std::invalid_argument("the score has no formula for expected counts");
}

void DiscreteScore::sweep(Tile& tile, Functions& f, double* out) const {
    for (std::size_t i = 0; i < tile.size(); ++i) out[tile.place(i)] = local(tile.counts(i), f);
}

std::unique_ptr<DiscreteScore> make_discrete_score(const std::string& name, std::span<const double> parameters,
                                                   int variables) {
    if (name == "loglik") return std::make_unique<PenalisedLikelihood>(0.0, false);
    if (name == "aic") return std::make_unique<PenalisedLikelihood>(1.0, false);
    if (name == "penalised") return std::make_unique<PenalisedLikelihood>(only(parameters), false);
    if (name == "bic")
        return std::make_unique<PenalisedLikelihood>(only(parameters) * elementary::log(static_cast<double>(variables)),
                                                     true);
    if (name == "k2") return std::make_unique<FixedDirichlet>(1.0);
    if (name == "jeffreys") return std::make_unique<FixedDirichlet>(0.5);
    if (name == "bdeu") return std::make_unique<BDeu>(only(parameters));
    if (name == "bds") return std::make_unique<BDs>(only(parameters));
    if (name == "fnml") return std::make_unique<FNML>();
    if (name == "qnml") return std::make_unique<QNML>();
    throw std::invalid_argument("the core has no discrete score '" + name + "'");
}

}  // namespace veridag
