#include "exact/parent_sets/set_scores.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "elementary.hpp"
#include "exact/parent_sets/bounds.hpp"
#include "exact/parent_sets/set_counter.hpp"

namespace veridag {
namespace {

// ---- discrete

class DiscreteSets : public SetScorer {
   public:
    explicit DiscreteSets(const Table& table)
        : table_(table),
          counter_(table),
          n_log_n_(static_cast<double>(table.total()) * elementary::log(static_cast<double>(table.total()) + 2.0)) {
        for (int v = 0; v < table.variables(); ++v) arities_.push_back(table.arity(v));
        std::sort(arities_.begin(), arities_.end());
        classes_ = arities_;
        classes_.erase(std::unique(classes_.begin(), classes_.end()), classes_.end());
    }

    std::size_t sets_a_task() const override { return 1024; }

    void take(std::span<const int> set, std::size_t company) override {
        set_.assign(set.begin(), set.end());
        (*functions_).forget_if_large();
        counter_.count(set, company);
        counted();
    }

    // Rounding errors are those of sums of about n log n.
    double rounding(double score) const override { return 2e-14 * std::max(n_log_n_, std::abs(score)); }

   protected:
    virtual void counted() = 0;

    Functions& f() const { return *functions_; }
    double r(std::size_t member) const { return table_.arity(set_[member]); }

    // The number of joint states of the set without a member, possibly infinite, and its logarithm.
    double q(std::span<const int> set, std::size_t without,
             std::size_t without_too = std::numeric_limits<std::size_t>::max()) const {
        double product = 1.0;
        for (std::size_t i = 0; i < set.size(); ++i) {
            if (i != without && i != without_too) product *= table_.arity(set[i]);
        }
        return product;
    }
    double log_q(std::size_t without) const {
        double product = q(set_, without);
        if (std::isfinite(product)) return elementary::log(product);
        double sum = 0.0;
        for (std::size_t i = 0; i < set_.size(); ++i) sum += i == without ? 0.0 : elementary::log(r(i));
        return sum;
    }

    // The least number of joint states that so many more variables have.
    double least_states(std::size_t more) const {
        double product = 1.0;
        for (std::size_t i = 0; i < std::min(more, arities_.size()); ++i) product *= arities_[i];
        return product;
    }

    std::size_t class_of(int arity) const {
        return static_cast<std::size_t>(std::lower_bound(classes_.begin(), classes_.end(), arity) - classes_.begin());
    }

    double sum_x_log_x() const {
        const Functions& known = f();
        return counter_.sum([&](Count n) { return known.x_log_x(n); });
    }

    double sum_rising(double a, double log_a) const {
        RisingLogs& log_rising = f().rising(a, log_a);
        return counter_.sum([&](Count n) { return n > 0 ? log_rising(n) : 0.0; });
    }

    const Table& table_;
    SetCounter counter_;
    LentFunctions functions_;
    double n_log_n_;
    std::vector<int> set_, arities_, classes_;  // arities of all variables, ascending; the different ones
};

// sum of n log n over the counts of a set: log-likelihoods are differences of it
class LikelihoodSets : public DiscreteSets {
   public:
    using DiscreteSets::DiscreteSets;

    std::size_t width() const override { return 1; }
    void counted() override { sum_ = sum_x_log_x(); }
    void values(double* out) override { out[0] = sum_; }

    double most_likely(int child, std::span<const int> allowed) override {
        Counter counter(table_);
        FamilyCounts counts = counter.family(child, allowed);
        double sum = 0.0;
        for (Count n : counts.cells) sum += f().x_log_x(n);
        for (Count n : counts.configurations) sum -= f().x_log_x(n);
        return std::min(0.0, sum + rounding(sum));
    }

   protected:
    double sum_ = 0.0;
};

class PenalisedSets : public LikelihoodSets {
   public:
    PenalisedSets(const Table& table, double penalty) : LikelihoodSets(table), penalty_(penalty) {}

    double local(std::size_t child, const double* parents) override {
        return sum_ - parents[0] -
               (r(child) == 1.0 || penalty_ == 0.0 ? 0.0 : penalty_ * parameters(child));  // even if infinitely many
    }

    double bound(std::size_t child, const double*, std::size_t more, double most_likely) override {
        double least = r(child) == 1.0 ? 0.0 : parameters(child) * least_states(more);
        return bounds::penalised_likelihood(most_likely, penalty_, least);
    }

    double gain_of_removal(std::span<const int> set, std::size_t child, std::size_t removed, const double* parents,
                           const double* rest) override {
        double r_child = table_.arity(set[child]);
        double of_rest = r_child == 1.0 ? 0.0 : (r_child - 1.0) * q(set, child, removed);
        return bounds::gain_of_removal(rest[0] - parents[0], penalty_, of_rest, table_.arity(set[removed]));
    }

   private:
    double parameters(std::size_t child) const { return (r(child) - 1.0) * q(set_, child); }

    double penalty_;
};

class QnmlSets : public LikelihoodSets {
   public:
    using LikelihoodSets::LikelihoodSets;

    double local(std::size_t child, const double* parents) override {
        double states = q(set_, child), log_states = log_q(child);
        return sum_ - parents[0] -
               f().complexity(table_.total(), r(child) * states, elementary::log(r(child)) + log_states) +
               f().complexity(table_.total(), states, log_states);
    }

    double bound(std::size_t child, const double*, std::size_t, double most_likely) override {
        return bounds::qnml(most_likely, f().complexity(table_.total(), r(child), elementary::log(r(child))));
    }
};

// sum of n log n, and of log C(n, r) for each number r of states that a child may have
class FnmlSets : public LikelihoodSets {
   public:
    using LikelihoodSets::LikelihoodSets;

    std::size_t width() const override { return 1 + classes_.size(); }

    void values(double* out) override {
        out[0] = sum_;
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            double k = classes_[c], log_k = elementary::log(k);
            out[1 + c] = counter_.sum([&](Count n) { return n > 0 ? f().complexity(n, k, log_k) : 0.0; });
        }
    }

    double local(std::size_t child, const double* parents) override {
        return sum_ - parents[0] - complexity(child, parents);
    }
    double bound(std::size_t child, const double* parents, std::size_t, double most_likely) override {
        return bounds::fnml(most_likely, complexity(child, parents));
    }

   private:
    double complexity(std::size_t child, const double* parents) const {
        return parents[1 + class_of(table_.arity(set_[child]))];
    }
};

// K2 and Jeffreys' prior: alpha_ijk is the same in all families
class FixedDirichletSets : public DiscreteSets {
   public:
    FixedDirichletSets(const Table& table, double alpha) : DiscreteSets(table), alpha_(alpha) {}

    std::size_t width() const override { return classes_.size(); }

    void counted() override {
        cells_ = sum_rising(alpha_, elementary::log(alpha_));
        as_configurations_.assign(classes_.size(), std::nullopt);
    }

    void values(double* out) override {
        for (std::size_t c = 0; c < classes_.size(); ++c) out[c] = as_configurations(c);
    }

    double local(std::size_t child, const double* parents) override {
        return cells_ - parents[class_of(table_.arity(set_[child]))];
    }

    double bound(std::size_t child, const double*, std::size_t, double) override {
        return bounds::fixed_dirichlet(cells_, as_configurations(class_of(table_.arity(set_[child]))));
    }

   private:
    // With the set's counts as those of configurations of a child with so many states.
    double as_configurations(std::size_t c) {
        std::optional<double>& cached = as_configurations_[c];
        if (cached) return *cached;
        double sum = sum_rising(classes_[c] * alpha_, elementary::log(classes_[c]) + elementary::log(alpha_));
        cached = sum;
        return sum;
    }

    double alpha_, cells_ = 0.0;
    std::vector<std::optional<double>> as_configurations_;
};

// alpha_ijk = ess / (r q): for cells and for configurations it is ess divided by the joint states of the set that is
// counted
class BDeuSets : public DiscreteSets {
   public:
    BDeuSets(const Table& table, double ess) : DiscreteSets(table), ess_(ess) {}

    std::size_t width() const override { return 1; }

    void counted() override {
        constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
        sum_ = sum_rising(ess_ / q(set_, none), elementary::log(ess_) - log_q(none));
        occurring_.reset();
    }

    void values(double* out) override { out[0] = sum_; }
    double local(std::size_t, const double* parents) override { return sum_ - parents[0]; }

    double bound(std::size_t child, const double*, std::size_t, double) override {
        if (!occurring_) occurring_ = counter_.occurring();
        return bounds::dirichlet(*occurring_, r(child));
    }

   private:
    double ess_, sum_ = 0.0;
    std::optional<std::size_t> occurring_;
};

// alpha_ijk = ess / (r q~), q~ the configurations that occur: the cells' sum is another for each child
class BDsSets : public DiscreteSets {
   public:
    BDsSets(const Table& table, double ess) : DiscreteSets(table), ess_(ess) {}

    std::size_t width() const override { return 2; }

    void counted() override { occurring_ = counter_.occurring(); }

    void values(double* out) override {
        auto observed = static_cast<double>(occurring_);
        out[0] = sum_rising(ess_ / observed, elementary::log(ess_ / observed));
        out[1] = observed;
    }

    double local(std::size_t child, const double* parents) override {
        double alpha = ess_ / (r(child) * parents[1]);
        return sum_rising(alpha, elementary::log(alpha)) - parents[0];
    }

    double bound(std::size_t child, const double*, std::size_t, double) override {
        return bounds::dirichlet(occurring_, r(child));
    }

   private:
    double ess_;
    std::size_t occurring_ = 0;
};

double only(std::span<const double> parameters) {
    if (parameters.size() != 1) throw std::invalid_argument("the score takes one number");
    return parameters[0];
}

// ---- family by family

class FamilySets : public SetScorer {
   public:
    explicit FamilySets(std::unique_ptr<LocalScorer> scorer) : scorer_(std::move(scorer)) {}

    std::size_t sets_a_task() const override { return 8; }
    void take(std::span<const int> set, std::size_t) override { set_.assign(set.begin(), set.end()); }

    double local(std::size_t child, const double*) override {
        parents_ = set_;
        parents_.erase(parents_.begin() + static_cast<std::ptrdiff_t>(child));
        return scorer_->local(set_[child], parents_);
    }

   protected:
    std::vector<int> set_, parents_;

   private:
    std::unique_ptr<LocalScorer> scorer_;
};

class GaussianSets : public FamilySets {
   public:
    GaussianSets(std::unique_ptr<LocalScorer> scorer, double penalty, const GaussianData& data)
        : FamilySets(std::move(scorer)),
          likelihood_(make_gaussian_score("loglik", {}, data)),
          cholesky_(data.scatter, data.variables, singular),
          penalty_(penalty) {}

    std::size_t sets_a_task() const override { return 256; }

    // With all variables as parents; if some of them are linear functions of the others, rounding decides which are
    // passed over, and there is no bound.
    double most_likely(int child, std::span<const int> allowed) override {
        auto pivots = cholesky_.pivots(allowed, child);
        if (std::find(pivots.begin(), pivots.end(), 0.0) != pivots.end()) return no_bound;
        double value = likelihood_->local(child, allowed);
        return value + 1e-9 * std::max(1.0, std::abs(value));
    }

    double bound(std::size_t, const double*, std::size_t more, double most_likely) override {
        return bounds::penalised_likelihood(most_likely, penalty_,
                                            static_cast<double>(set_.size() + 1 + more));  // |parents| + 2 of them
    }

   private:
    std::unique_ptr<GaussianScore> likelihood_;
    SubmatrixCholesky cholesky_;
    double penalty_;
};

double gaussian_penalty(const std::string& name, std::span<const double> parameters, const GaussianData& data) {
    if (name == "aic") return 1.0;
    if (name == "bic")
        return 0.5 * elementary::log(data.n) + only(parameters) * elementary::log(static_cast<double>(data.variables));
    return 0.0;
}

}  // namespace

std::unique_ptr<SetScorer> make_discrete_set_scorer(const Table& table, const std::string& name,
                                                    std::span<const double> parameters) {
    double half_log_n = 0.5 * elementary::log(static_cast<double>(table.total()));
    if (name == "loglik") return std::make_unique<PenalisedSets>(table, 0.0);
    if (name == "aic") return std::make_unique<PenalisedSets>(table, 1.0);
    if (name == "bic")
        return std::make_unique<PenalisedSets>(
            table, half_log_n + only(parameters) * elementary::log(static_cast<double>(table.variables())));
    if (name == "k2") return std::make_unique<FixedDirichletSets>(table, 1.0);
    if (name == "jeffreys") return std::make_unique<FixedDirichletSets>(table, 0.5);
    if (name == "bdeu") return std::make_unique<BDeuSets>(table, only(parameters));
    if (name == "bds") return std::make_unique<BDsSets>(table, only(parameters));
    if (name == "fnml") return std::make_unique<FnmlSets>(table);
    if (name == "qnml") return std::make_unique<QnmlSets>(table);
    return nullptr;
}

std::unique_ptr<SetScorer> make_gaussian_set_scorer(const std::string& name, std::span<const double> parameters,
                                                    const GaussianData& data) {
    if (name != "loglik" && name != "aic" && name != "bic") return nullptr;
    auto local = std::make_unique<GaussianLocalScorer>(make_gaussian_score(name, parameters, data));
    return std::make_unique<GaussianSets>(std::move(local), gaussian_penalty(name, parameters, data), data);
}

std::unique_ptr<SetScorer> make_set_scorer(std::unique_ptr<LocalScorer> scorer) {
    return std::make_unique<FamilySets>(std::move(scorer));
}

}  // namespace veridag
