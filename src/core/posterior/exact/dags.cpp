#include "posterior/exact/dags.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>

#include "elementary.hpp"
#include "parallel.hpp"

namespace veridag {
namespace {

// Terms below 2^-180 of the sum over all orders are left out. That sum is at most n! times the one over all DAGs, and
// there are 3^n terms, each off by 2^n at most for the exponents alone: together less than 2^-53 for 22 variables. If a
// term is left out, so are those of all larger T, which are smaller, and these are not even looked at.
constexpr std::int32_t cutoff = -180;

// Threads would add to the same numbers: there are so many copies, whatever the number of threads, so that sums are the
// same, too.
constexpr std::size_t copies = 8;

constexpr std::size_t sets_a_task = 16;

// All sets of so many members, ascending.
std::vector<VariableSet> sets_of_size(int n, int members) {
    std::vector<VariableSet> found;
    if (members == 0) return {0};
    std::uint64_t set = (std::uint64_t{1} << members) - 1, end = std::uint64_t{1} << n;
    while (set < end) {
        found.push_back(static_cast<VariableSet>(set));
        std::uint64_t lowest = set & ~(set - 1), carried = set + lowest;
        set = carried | (((set ^ carried) >> 2) / lowest);
    }
    return found;
}

// What both sums need: R(S) and H(D) are kept as multiples of 2^(the exponents of the sums over orders), which are
// never smaller, so that no number is too large or too small for a double.
struct Scales {
    const AllParentSums<DoubleDouble>& sums;
    OrderSums orders;
    int n;
    VariableSet all;

    Scales(const AllParentSums<DoubleDouble>& parent_sums, Progress& progress)
        : sums(parent_sums),
          orders(order_sums(parent_sums, progress)),
          n(static_cast<int>(sums.size())),
          all(all_of(n)) {}

    bool is_empty() const { return orders.before.is_zero(all); }
    std::int32_t before(VariableSet set) const { return orders.before.exponent[set]; }
    std::int32_t after(VariableSet set) const { return orders.after.exponent[set]; }
    std::int32_t total() const { return orders.before.exponent[all]; }

    // Whether DAGs without an arc from the others to this set are worth anything.
    bool matters(VariableSet set) const {
        return !orders.before.is_zero(set) && !orders.after.is_zero(all & ~set) &&
               before(set) + after(all & ~set) - total() >= cutoff;
    }
};

// ---- R

// The products over T of A_v(U), for one U and all T that matter.
class ForwardWorker {
   public:
    ForwardWorker(const Scales& scales, std::vector<DoubleDouble>& added) : scales_(scales), added_(added) {
        std::size_t most = std::size_t{1} << std::max(scales.n - 1, 0);
        sets_.resize(most), exponents_.resize(most), products_.resize(most);
    }

    // Adds the terms with R(U) to the R of all larger sets.
    void push(VariableSet from, DoubleDouble value) {
        std::int32_t start = scales_.before(from), offset = start - scales_.total();
        sets_[0] = from;
        exponents_[0] = 0;
        products_[0] = -value;
        std::size_t count = 1;
        for (VariableSet rest = scales_.all & ~from; rest; rest &= rest - 1) {
            int v = std::countr_zero(rest);
            bool is_last = (rest & (rest - 1)) == 0;
            std::size_t place = place_without(from, v);
            const WideNumbers<DoubleDouble>& own = scales_.sums[at(v)];
            if (own.is_zero(place)) continue;
            DoubleDouble factor = -own.mantissa[place];
            std::int32_t exponent = own.exponent[place];
            for (std::size_t k = 0, before = count; k < before; ++k) {
                VariableSet set = sets_[k] | just(v);
                std::int32_t power = exponents_[k] + exponent;
                if (power + offset + scales_.after(scales_.all & ~set) < cutoff) continue;
                DoubleDouble product = products_[k] * factor;
                added_[set] += scaled(product, power_of_two(power + start - scales_.before(set)));
                if (is_last) continue;
                sets_[count] = set;
                exponents_[count] = power;
                products_[count++] = product;
            }
        }
    }

   private:
    const Scales& scales_;
    std::vector<DoubleDouble>& added_;
    std::vector<VariableSet> sets_;  // U and T
    std::vector<std::int32_t> exponents_;
    std::vector<DoubleDouble> products_;
};

// Counts the terms that are done, for the progress.
class Meter {
   public:
    Meter(Progress& progress, int n) : progress_(progress), n_(n) {}

    bool stopped() const { return progress_.stopped(); }
    void add(int members, std::size_t worker) {
        std::int64_t all = done_.fetch_add(std::int64_t{1} << (n_ - members)) + (std::int64_t{1} << (n_ - members));
        if (worker == 0) progress_.stop(all, 0.0);
    }

   private:
    Progress& progress_;
    int n_;
    std::atomic<std::int64_t> done_{0};
};

// R(S) by layers of equal size; empty if stopped.
std::vector<DoubleDouble> forward_sums(const Scales& scales, int threads, Meter& meter) {
    std::vector<std::vector<DoubleDouble>> added(copies, std::vector<DoubleDouble>(std::size_t{scales.all} + 1));
    std::vector<ForwardWorker> workers;
    for (std::vector<DoubleDouble>& copy : added) workers.emplace_back(scales, copy);
    std::vector<DoubleDouble> found(std::size_t{scales.all} + 1);
    added[0][0] = {power_of_two(-scales.before(0)), 0.0};
    for (int members = 0; members <= scales.n; ++members) {
        std::vector<VariableSet> layer = sets_of_size(scales.n, members);
        for (VariableSet set : layer) {
            for (const std::vector<DoubleDouble>& copy : added) found[set] += copy[set];
        }
        parallel_for(copies, threads, [&](std::size_t task, std::size_t worker) {
            for (std::size_t k = task; k < layer.size(); k += copies) {
                if (meter.stopped()) return;
                if (scales.matters(layer[k])) workers[task].push(layer[k], found[layer[k]]);
                meter.add(members, worker);
            }
        });
        if (meter.stopped()) return {};
    }
    return found;
}

// ---- H and Q

// A sum whose parts do not wait for each other.
class WideSum {
   public:
    void add(DoubleDouble value) {
        parts_[next_] += value;
        next_ = (next_ + 1) % parts_.size();
    }
    DoubleDouble total() const { return (parts_[0] + parts_[1]) + (parts_[2] + parts_[3]); }

   private:
    std::array<DoubleDouble, 4> parts_{};
    std::size_t next_ = 0;
};

// The terms of H(D) for one D. They form a tree, in which T is below T less its last member: the sums of subtrees give
// all Q_v(D) in one go.
class BackwardWorker {
   public:
    BackwardWorker(const Scales& scales, std::vector<DoubleDouble>& sums) : scales_(scales), found_(sums) {
        std::size_t most = std::size_t{1} << std::max(scales.n - 1, 0);
        left_.resize(most), exponents_.resize(most), above_.resize(most), products_.resize(most),
            subtrees_.resize(most);
    }

    // H(D); `only_source` has then Q_v(D) for v in D, as multiples of the same power.
    DoubleDouble solve(VariableSet set) {
        VariableSet outside = scales_.all & ~set;
        std::int32_t offset = scales_.before(outside) - scales_.total(), own_scale = scales_.after(set);
        left_[0] = set;
        exponents_[0] = 0;
        products_[0] = {-1.0, 0.0};
        subtrees_[0] = {};
        std::size_t count = 1;
        for (VariableSet rest = set; rest; rest &= rest - 1) {
            int v = std::countr_zero(rest);
            bool is_last = (rest & (rest - 1)) == 0;
            std::size_t place = place_without(outside, v);
            first_[at(v)] = count;
            const WideNumbers<DoubleDouble>& own = scales_.sums[at(v)];
            WideSum last;
            if (!own.is_zero(place)) {
                DoubleDouble factor = -own.mantissa[place];
                std::int32_t exponent = own.exponent[place];
                for (std::size_t k = 0, before = count; k < before; ++k) {
                    VariableSet left = left_[k] & ~just(v);
                    std::int32_t power = exponents_[k] + exponent + scales_.after(left);
                    if (power + offset < cutoff) continue;
                    DoubleDouble product = products_[k] * factor;
                    DoubleDouble term = scaled(product * found_[left], power_of_two(power - own_scale));
                    if (is_last) {
                        last.add(term);
                        subtrees_[k] += term;
                        continue;
                    }
                    left_[count] = left;
                    exponents_[count] = exponents_[k] + exponent;
                    above_[count] = static_cast<std::uint32_t>(k);
                    products_[count] = product;
                    subtrees_[count++] = term;
                }
            }
            if (is_last) only_source[at(v)] = last.total();
        }
        close(set, count);
        return subtrees_[0];
    }

    std::array<DoubleDouble, max_dag_sum_variables> only_source{};

   private:
    // From the last term to the first, each into the one above it.
    void close(VariableSet set, std::size_t count) {
        for (VariableSet rest = set & ~(VariableSet{1} << (std::bit_width(set) - 1)); rest;) {
            int v = static_cast<int>(std::bit_width(rest)) - 1;
            rest &= ~just(v);
            WideSum own;
            for (std::size_t k = count; k-- > first_[at(v)];) {
                own.add(subtrees_[k]);
                subtrees_[above_[k]] += subtrees_[k];
            }
            count = first_[at(v)];
            only_source[at(v)] = own.total();
        }
    }

    const Scales& scales_;
    const std::vector<DoubleDouble>& found_;
    std::array<std::size_t, max_dag_sum_variables> first_{};
    std::vector<VariableSet> left_;  // D - T
    std::vector<std::int32_t> exponents_;
    std::vector<std::uint32_t> above_;
    std::vector<DoubleDouble> products_, subtrees_;
};

// The probabilities of descendants, from R, by layers of sets of descendants; how far H(V) is from R(V).
double find_descendants(const Scales& scales, const std::vector<DoubleDouble>& forward, int threads, Meter& meter,
                        std::vector<std::vector<double>>& outside) {
    std::vector<DoubleDouble> found(std::size_t{scales.all} + 1);
    std::vector<BackwardWorker> workers;
    for (std::size_t k = 0; k < workers_for(std::size_t{scales.all} + 1, threads); ++k)
        workers.emplace_back(scales, found);
    found[0] = {power_of_two(-scales.after(0)), 0.0};
    double total = forward[scales.all].hi;
    for (int members = 1; members <= scales.n; ++members) {
        std::vector<VariableSet> layer = sets_of_size(scales.n, members);
        std::size_t tasks = (layer.size() + sets_a_task - 1) / sets_a_task;
        parallel_for(tasks, threads, [&](std::size_t task, std::size_t worker) {
            for (std::size_t k = task * sets_a_task; k < std::min(layer.size(), (task + 1) * sets_a_task); ++k) {
                if (meter.stopped()) return;
                VariableSet set = layer[k], others = scales.all & ~set;
                if (scales.matters(others)) {
                    found[set] = workers[worker].solve(set);
                    double power = power_of_two(scales.before(others) + scales.after(set) - scales.total());
                    for (VariableSet rest = set; rest; rest &= rest - 1) {
                        int v = std::countr_zero(rest);
                        DoubleDouble weight = workers[worker].only_source[at(v)] * forward[others];
                        outside[at(v)][place_without(others, v)] = std::max(weight.hi, 0.0) * power / total;
                    }
                }
                meter.add(scales.n - members, worker);
            }
        });
        if (meter.stopped()) return 0.0;
    }
    // Both are multiples of the exponents of sums over orders, which may differ by one.
    DoubleDouble backward = scaled(found[scales.all], power_of_two(scales.after(scales.all) - scales.total()));
    return std::abs((backward + -forward[scales.all]).hi) / total;
}

WideNumber total_of(const Scales& scales, const std::vector<DoubleDouble>& forward) {
    if (forward.empty()) return {};
    return {forward[scales.all].hi, scales.total()};
}

}  // namespace

DagSums dag_sums(const AllParentSums<DoubleDouble>& sums, int threads, Progress& progress) {
    DagSums result;
    Scales scales(sums, progress);
    Meter meter(progress, scales.n);
    if (progress.stopped()) return result;
    result.finished = scales.is_empty();
    if (scales.is_empty()) return result;
    std::vector<DoubleDouble> forward = forward_sums(scales, threads, meter);
    if (forward.empty()) return result;
    result.sum = total_of(scales, forward);
    result.outside.assign(at(scales.n), std::vector<double>(std::size_t{1} << (scales.n - 1), 0.0));
    result.residual = find_descendants(scales, forward, threads, meter, result.outside);
    for (const std::vector<double>& own : result.outside) {
        DoubleDouble whole;
        for (double probability : own) whole += probability;
        result.residual = std::max(result.residual, std::abs(whole.hi - 1.0));
    }
    result.finished = !meter.stopped();
    return result;
}

WideNumber sum_over_dags(const AllParentSums<DoubleDouble>& sums, int threads, Progress& progress) {
    Scales scales(sums, progress);
    Meter meter(progress, scales.n);
    if (progress.stopped() || scales.is_empty()) return {};
    return total_of(scales, forward_sums(scales, threads, meter));
}

double dag_sum_bytes(int variables) {
    double sets = std::ldexp(1.0, variables), wide = sizeof(DoubleDouble) + sizeof(std::int32_t);
    double parents = variables * sets / 2 * wide, outside = variables * sets / 2 * sizeof(double);
    double scales = 2 * sets * (sizeof(double) + sizeof(std::int32_t));
    double terms = copies * sets / 2 * (sizeof(VariableSet) + wide);
    return parents + outside + scales + terms + (copies + 2) * sets * sizeof(DoubleDouble);
}

double dag_sum_terms(int variables) { return 2.0 * elementary::exp(variables * elementary::log(3.0)); }

double dag_sum_error(int variables) {
    // A term has n factors, of which each is a sum with n roundings, and every sum at most 2^n terms. The errors of R
    // add up to (n + 1) 5^n, as the terms for all sets S number 3^n, with 4^|S| roundings of sums that may be 2^|S|
    // times as large as what is left; those of H within Q to (n^2 + 2n + 2) 5^n, from 3^|R| in H(R) times 2^(n - |R|)
    // sets T.
    double n = variables;
    return (n + 3.0) * (n + 3.0) * elementary::exp(n * elementary::log(5.0)) * double_double_unit;
}

}  // namespace veridag
