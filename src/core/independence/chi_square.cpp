// The two tests on contingency tables, for searches.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "elementary.hpp"
#include "independence/contingency.hpp"
#include "independence/decision.hpp"
#include "independence/tails.hpp"

namespace veridag {
namespace {

class ContingencyTest : public PairTest {
   public:
    ContingencyTest(const Table& table, DegreesOfFreedom rule, double alpha)
        : table_(table), contingency_(table), rule_(rule), log_alpha_(elementary::log(alpha)) {}

    Decision of(int x, int y, std::span<const int> given) override {
        double R = table_.observed_arity(x), C = table_.observed_arity(y), L = strata_of(given);
        if (R == 1.0 || C == 1.0) return {};
        double most = static_cast<double>(table_.total()), cells = R * C * L, df = (R - 1.0) * (C - 1.0) * L;
        if (rule_ == DegreesOfFreedom::adjusted && most < 5.0 * cells) return {};
        if (table_.has_gaps(x) || table_.has_gaps(y) || table_.any_gaps(given))
            return with_gaps(x, y, given, cells, df);
        if (rule_ == DegreesOfFreedom::plain) return plain(x, y, given, df);
        Decision decision = observed(x, y, given);
        decision.reliable = may_be_reliable(x, y, given);
        return decision;
    }

    bool may_be_reliable(int x, int y, std::span<const int> given) const override {
        double cells = static_cast<double>(table_.observed_arity(x)) * table_.observed_arity(y) * strata_of(given);
        return rule_ != DegreesOfFreedom::observed || static_cast<double>(table_.total()) >= cells;
    }

   protected:
    // Without missing values. With degrees of freedom by the declared states, or by those observed in each stratum.
    virtual Decision plain(int x, int y, std::span<const int> given, double df) = 0;
    virtual Decision observed(int x, int y, std::span<const int> given) = 0;
    // Counted for this test alone, since each has its own rows.
    virtual double statistic(const ContingencyStatistics& found) const = 0;

    Decision decide(double statistic, double df) const {
        return by_p_value(log_chi_square_tail(statistic, df), log_alpha_);
    }

    double strata_of(std::span<const int> given) const {
        double strata = 1.0;
        for (int z : given) strata *= table_.observed_arity(z);
        return strata;
    }

    const Table& table_;
    Contingency contingency_;

   private:
    Decision with_gaps(int x, int y, std::span<const int> given, double cells, double df) {
        if (rule_ == DegreesOfFreedom::plain && std::isinf(df)) return {};
        ContingencyStatistics found = contingency_.of(x, y, given);
        auto n = static_cast<double>(found.n);
        if (found.n == 0 || (rule_ == DegreesOfFreedom::adjusted && n < 5.0 * cells)) return {};
        Decision decision = decide(statistic(found), rule_ == DegreesOfFreedom::plain ? df : found.adjusted_df);
        decision.reliable = rule_ != DegreesOfFreedom::observed || n >= cells;
        return decision;
    }

    DegreesOfFreedom rule_;
    double log_alpha_;
};

class PearsonX2 : public ContingencyTest {
   public:
    using ContingencyTest::ContingencyTest;

   private:
    double statistic(const ContingencyStatistics& found) const override { return found.x2; }

    Decision plain(int x, int y, std::span<const int> given, double df) override {
        return std::isinf(df) ? Decision{} : decide(contingency_.of(x, y, given).x2, df);
    }

    Decision observed(int x, int y, std::span<const int> given) override {
        ContingencyStatistics found = contingency_.of(x, y, given);
        return decide(found.x2, found.adjusted_df);
    }
};

constexpr int most_states = 255;                                            // that a byte can count
constexpr std::size_t most_sums = std::size_t{1} << 22;                     // 200 MB
constexpr std::size_t most_sets = std::size_t{1} << 18, most_cells = 4096;  // at most 150 MB

// A byte for each bit.
void spread(const Bits& bits, std::vector<std::uint8_t>& out) {
    static const auto bytes_of = [] {
        std::array<std::array<std::uint8_t, 8>, 256> table{};
        for (std::size_t i = 0; i < 256; ++i) {
            for (std::size_t bit = 0; bit < 8; ++bit) table[i][bit] = i >> bit & 1;
        }
        return table;
    }();
    out.resize(64 * bits.size());
    std::uint8_t* next = out.data();
    for (Word word : bits) {
        for (int shift = 0; shift < 64; shift += 8, next += 8)
            std::memcpy(next, bytes_of[word >> shift & 255].data(), 8);
    }
}

class EntropyG2 : public ContingencyTest {
   public:
    // By sets of variables: the sum of n log n over their joint states, and a bit for each of these that says whether
    // it occurs. The second is known of sets with few joint states, and only where degrees of freedom go by it.
    struct Shared {
        VariableKeys keys;
        SharedCache<double> sums{most_sums};
        SharedCache<std::shared_ptr<const Bits>> occurring{most_sets};
    };

    EntropyG2(const Table& table, DegreesOfFreedom rule, double alpha, std::shared_ptr<Shared> shared)
        : ContingencyTest(table, rule, alpha), counter_(table), shared_(std::move(shared)) {}

   private:
    double statistic(const ContingencyStatistics& found) const override { return found.g2; }

    Decision plain(int x, int y, std::span<const int> given, double df) override {
        return std::isinf(df) || no_data_could_show(x, y, df) ? Decision{} : decide(g2(x, y, given, false), df);
    }

    Decision observed(int x, int y, std::span<const int> given) override {
        int states = std::max(table_.arity(x), table_.arity(y));
        if (states > most_states || counter_.is_sparse(states * strata_of(given))) {
            ContingencyStatistics found = contingency_.of(x, y, given);
            return decide(found.g2, found.adjusted_df);
        }
        double statistic = g2(x, y, given, true);  // first: it counts what the rest asks for
        count_states(x, given, states_of_x_);
        count_states(y, given, states_of_y_);
        std::int64_t df = 0;
        for (std::size_t k = 0; k < states_of_x_.size(); ++k)
            df += std::int64_t{std::max(states_of_x_[k] - 1, 0)} * std::max(states_of_y_[k] - 1, 0);
        return decide(statistic, static_cast<double>(df));
    }

    // G2 is at most 2 n log of the smaller number of states. Where even that has a p-value of 1 there is nothing to
    // count.
    bool no_data_could_show(int x, int y, double df) const {
        double most =
            2.0 * static_cast<double>(table_.total()) * elementary::log(std::min(table_.arity(x), table_.arity(y)));
        return most < 0.75 * df && log_chi_square_tail(most, df) > -1e-12;
    }

    double g2(int x, int y, std::span<const int> given, bool occurring) {
        double without = sum(given, -1, -1, false), with_x = sum(given, x, -1, occurring),
               with_y = sum(given, y, -1, occurring), with_both = sum(given, x, y, occurring);
        return std::max(0.0, 2.0 * (with_both - with_x - with_y + without));
    }

    // The sum of n log n over the joint states of the variables given and up to two more. With `occurring`, what occurs
    // is kept too: other tests will ask for it.
    double sum(std::span<const int> given, int first, int second, bool occurring) {
        Key key = key_of(given, first, second);
        double value = 0.0;
        if (shared_->sums.find(key, value)) return value;
        auto counts = count(given, first, second);
        for (Count n : counts) value += functions_.x_log_x(n);
        shared_->sums.keep(key, value);
        if (occurring) keep_occurring(key, counts);
        return value;
    }

    Key key_of(std::span<const int> given, int first, int second) const {
        Key key = shared_->keys.conditions(given);
        if (first >= 0) key = key + shared_->keys.condition(first);
        return second >= 0 ? key + shared_->keys.condition(second) : key;
    }

    // In ascending order, so that sums are the same to the last digit whichever test asks for them.
    std::span<const Count> count(std::span<const int> given, int first, int second) {
        members_.assign(given.begin(), given.end());
        for (int v : {first, second}) {
            if (v >= 0) members_.insert(std::upper_bound(members_.begin(), members_.end(), v), v);
        }
        return counter_.joint(members_);
    }

    // Of the set that was counted last.
    std::shared_ptr<const Bits> keep_occurring(const Key& key, std::span<const Count> counts) {
        bool all_joint_states = static_cast<double>(counts.size()) == strata_of(members_);
        if (!all_joint_states) return nullptr;
        auto bits = std::make_shared<Bits>((counts.size() + 63) / 64);
        for (std::size_t i = 0; i < counts.size(); ++i) (*bits)[i / 64] |= Word{counts[i] > 0} << (i % 64);
        if (counts.size() <= most_cells) shared_->occurring.keep(key, bits);
        return bits;
    }

    // How many states of x occur in each stratum.
    void count_states(int x, std::span<const int> given, std::vector<std::uint8_t>& out) {
        Key key = key_of(given, x, -1);
        std::shared_ptr<const Bits> bits;
        if (!shared_->occurring.find(key, bits)) {
            bits = keep_occurring(key, count(given, x, -1));
        }
        spread(*bits, cells_);
        // The counter has variables with fewer states further inside, and of those with as many the later ones.
        std::size_t R = at(table_.arity(x)), inner = 1, strata = 1;
        for (int z : given) {
            std::size_t r = at(table_.arity(z));
            strata *= r;
            if (r < R || (r == R && z > x)) inner *= r;
        }
        out.assign(strata, 0);
        const std::uint8_t* cell = cells_.data();
        if (inner == 1) {
            for (std::uint8_t& states : out) {
                for (std::size_t state = 0; state < R; ++state) states += *cell++;
            }
            return;
        }
        for (std::size_t start = 0; start < strata; start += inner) {
            for (std::size_t state = 0; state < R; ++state, cell += inner) {
                for (std::size_t i = 0; i < inner; ++i) out[start + i] += cell[i];
            }
        }
    }

    Counter counter_;
    Functions functions_;
    std::shared_ptr<Shared> shared_;
    std::vector<int> members_;
    std::vector<std::uint8_t> cells_, states_of_x_, states_of_y_;
};

}  // namespace

TestFactory g2_test(const Table& table, DegreesOfFreedom rule, double alpha) {
    std::shared_ptr<EntropyG2::Shared> shared(new EntropyG2::Shared{VariableKeys(table.variables())});
    return [&table, rule, alpha, shared] { return std::make_unique<EntropyG2>(table, rule, alpha, shared); };
}

TestFactory x2_test(const Table& table, DegreesOfFreedom rule, double alpha) {
    return [&table, rule, alpha] { return std::make_unique<PearsonX2>(table, rule, alpha); };
}

}  // namespace veridag
