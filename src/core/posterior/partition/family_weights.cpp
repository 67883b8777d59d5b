#include "posterior/partition/family_weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "elementary.hpp"
#include "posterior/partition/sets.hpp"
#include "scores/ties.hpp"

namespace veridag::partition {
namespace {

// A list is read until what is left is below this share of the sum so far.
constexpr double negligible = 0x1.0p-18;

// A difference of two sums is used if it is at least this share of them: it then has six digits or more.
constexpr double least_share = 0x1.0p-27;

// The most that the difference of two sums can be wrong by, as a share of them.
constexpr double rounding = 0x1.0p-47;

// Weights are relative to the best; below this they have lost digits.
constexpr double smallest = 1e-290;

constexpr std::size_t between_looks = 16;

// So many candidates have subsets that are soon looked at one by one.
constexpr int few_candidates = 8;

// With so many there are tables of the sums over the subsets with each one.
constexpr std::size_t most_with_tables = 12;

double log_add(double a, double b) {
    double high = std::max(a, b), difference = std::min(a, b) - high;
    return difference > -40.0 ? high + elementary::log1p(elementary::exp(difference)) : high;
}

}  // namespace

FamilyWeights::FamilyWeights(std::size_t words, std::vector<int> candidates, const ScoredSets& scored)
    : words_(words), candidates_(std::move(candidates)), outside_with_(64 * words) {
    if (candidates_.size() > max_candidates) throw std::invalid_argument("too many candidates");
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < scored.scores.size(); ++i) {
        if (scored.scores[i] > minus_infinity) order.push_back(i);
    }
    if (order.empty()) throw std::invalid_argument("a variable has no parent set of finite score");
    auto words_of = [&](std::size_t i) { return std::span(scored.sets).subspan(i * words_, words_); };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (scored.scores[a] != scored.scores[b]) return scored.scores[a] > scored.scores[b];
        return std::ranges::lexicographical_compare(words_of(a), words_of(b));
    });
    best_ = scored.scores[order[0]];
    for (std::size_t i : order) {
        scores_.push_back(scored.scores[i]);
        all_.weights.push_back(elementary::exp(scored.scores[i] - best_));
        all_.sets.insert(all_.sets.end(), words_of(i).begin(), words_of(i).end());
    }
    fill_table();
    auto add_up = [](List& list) {
        list.left.assign(list.size() + 1, 0.0);
        for (std::size_t i = list.size(); i-- > 0;) list.left[i] = list.left[i + 1] + list.weights[i];
    };
    add_up(all_);
    add_up(outside_);
    for (List& list : outside_with_) add_up(list);
    log_total_ = best_ + elementary::log(all_.left[0]);
}

void FamilyWeights::fill_table() {
    weights_.assign(std::size_t{1} << candidates_.size(), 0.0);
    log_weights_.assign(weights_.size(), minus_infinity);
    places_.assign(weights_.size(), 0);
    Bits inside(words_, 0);
    for (int c : candidates_) set_bit(inside.data(), c);
    for (std::size_t i = 0; i < size(); ++i) {
        if (allows(set(i), inside.data(), nullptr)) {
            weights_[project(set(i))] = all_.weights[i];
            log_weights_[project(set(i))] = scores_[i] - best_;
            places_[project(set(i))] = static_cast<std::uint32_t>(i);
        } else {
            add(outside_, i);
            for_each(set(i), words_, [&](int u) { add(outside_with_[at(u)], i); });
        }
    }
    table_ = weights_;
    for (std::size_t bit = 1; bit < table_.size(); bit <<= 1) {
        for (std::size_t x = 0; x < table_.size(); ++x) {
            if (x & bit) table_[x] += table_[x ^ bit];
        }
    }
    if (candidates_.size() <= most_with_tables) fill_log_tables();
}

void FamilyWeights::fill_log_tables() {
    std::size_t size = log_weights_.size();
    auto add_subsets = [&](std::span<double> table, std::size_t member) {
        for (std::size_t bit = 1; bit < size; bit <<= 1) {
            if (bit == member) continue;
            for (std::size_t x = member | bit; x < size; x = (x + 1) | member | bit)
                table[x] = log_add(table[x], table[x ^ bit]);
        }
    };
    log_table_ = log_weights_;
    add_subsets(log_table_, 0);
    log_tables_with_.assign(candidates_.size() * size, minus_infinity);
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
        std::size_t member = std::size_t{1} << k;
        auto table = std::span(log_tables_with_).subspan(k * size, size);
        for (std::size_t x = 0; x < size; ++x) {
            if (x & member) table[x] = log_weights_[x];
        }
        add_subsets(table, member);
    }
}

void FamilyWeights::add(List& list, std::size_t i) const {
    list.weights.push_back(all_.weights[i]);
    list.places.push_back(static_cast<std::uint32_t>(i));
    list.sets.insert(list.sets.end(), set(i), set(i) + words_);
}

std::size_t FamilyWeights::project(const Word* set) const {
    std::size_t x = 0;
    if (words_ == 1) {
        for (std::size_t k = 0; k < candidates_.size(); ++k) x |= (*set >> candidates_[k] & 1) << k;
    } else {
        for (std::size_t k = 0; k < candidates_.size(); ++k) x |= std::size_t{has_bit(set, candidates_[k])} << k;
    }
    return x;
}

bool FamilyWeights::allows(const Word* set, const Word* before, const Word* last) const {
    Word beyond = 0, met = last ? 0 : 1;
    for (std::size_t w = 0; w < words_; ++w) {
        beyond |= set[w] & ~before[w];
        if (last) met |= set[w] & last[w];
    }
    return beyond == 0 && met != 0;
}

// `start` plus the weights of the sets within `before` that meet `last`, unless that is null, and do not meet `seen`.
double FamilyWeights::sum(const List& list, const Word* before, const Word* last, const Word* seen,
                          double start) const {
    double total = start;
    std::size_t i = 0;
    while (i < list.size() && list.left[i] > negligible * total) {
        std::size_t end = std::min(i + between_looks, list.size());
        if (words_ == 1) {
            Word not_allowed = ~*before | (seen ? *seen : 0), wanted = last ? *last : 0;
            double odd = 0.0, even = 0.0;
            auto weight = [&](std::size_t k) {
                bool allowed = (list.sets[k] & not_allowed) == 0 && (!last || (list.sets[k] & wanted) != 0);
                return allowed ? list.weights[k] : 0.0;
            };
            for (; i + 2 <= end; i += 2) {
                even += weight(i);
                odd += weight(i + 1);
            }
            if (i < end) even += weight(i++);
            total += even + odd;
            continue;
        }
        for (; i < end; ++i) {
            const Word* one = list.sets.data() + i * words_;
            if (allows(one, before, last) && !(seen && meet(one, seen, words_))) total += list.weights[i];
        }
    }
    return total;
}

// `start` plus the weights of the sets outside the candidates: all of them that are allowed, or by members of `last`
// where these have fewer.
double FamilyWeights::sum_outside(const Word* before, const Word* last, double start) const {
    std::size_t by_member = 0;
    if (last) for_each(last, words_, [&](int u) { by_member += outside_with_[at(u)].size(); });
    if (!last || by_member >= outside_.size()) return sum(outside_, before, last, nullptr, start);
    Bits seen(words_, 0);
    double total = start;
    for_each(last, words_, [&](int u) {
        total = sum(outside_with_[at(u)], before, nullptr, seen.data(), total);
        set_bit(seen.data(), u);
    });
    return total;
}

// No less than the weight of all sets outside the candidates that meet `last`.
double FamilyWeights::most_outside(const Word* last) const {
    if (!last) return outside_.left[0];
    double most = 0.0;
    for_each(last, words_, [&](int u) { most += outside_with_[at(u)].left[0]; });
    return most;
}

// Of the sum over subsets with the members that are wanted and without them, and the most that comes from outside.
Bound FamilyWeights::bound(Inside sums, double outside) const {
    double within = sums.with - sums.without;
    bool exact = outside <= negligible * within && within >= least_share * sums.with && within > smallest;
    if (exact) return {best_ + elementary::log(within), true};
    double high = std::max(within, 0.0) + rounding * sums.with + outside;
    // Weights may be too small for their logarithms.
    return {best_ + elementary::log(std::max(high, smallest)), false};
}

// Of sets of candidates. Without a member that is wanted, there is nothing to subtract, and no rounding.
FamilyWeights::Inside FamilyWeights::inside(std::size_t before, std::size_t wanted) const {
    wanted &= before;
    return wanted ? Inside{table_[before], table_[before & ~wanted]} : Inside{0.0, 0.0};
}

Bound FamilyWeights::bound(const Word* before, const Word* last) const {
    std::size_t x = project(before);
    return bound(last ? inside(x, project(last)) : Inside{table_[x], 0.0}, most_outside(last));
}

Around FamilyWeights::around(const Word* before, const Word* last, int v) const {
    std::size_t x = project(before), bit = 0, wanted = last ? project(last) : 0;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
        if (candidates_[k] == v) bit = std::size_t{1} << k;
    }
    double outside = most_outside(last), own = outside_with_[at(v)].left[0];
    Around found;
    found.at[alone] = bound(inside(x | bit, bit), own);
    if (!last) {  // it is never seen from the first part as more than alone
        found.at[later] = found.at[joined] = found.at[earlier] = bound({table_[x], 0.0}, outside);
        return found;
    }
    found.at[later] = bound(inside(x, wanted), outside);
    found.at[joined] = bound(inside(x | bit, wanted | bit), outside + own);
    found.at[earlier] = bound(inside(x | bit, wanted), outside);
    return found;
}

// The logarithm of the sum over the sets of candidates within `before` that meet `last`, unless that is null.
double FamilyWeights::log_sum_inside(std::size_t before, const std::size_t* last) const {
    Inside sums = last ? inside(before, *last) : Inside{table_[before], 0.0};
    double within = sums.with - sums.without, total = minus_infinity;
    if (within >= least_share * sums.with && within > smallest) return elementary::log(within);
    if (has_log_tables()) {
        if (!last) return log_table_[before];
        // By the first of its members that a set has.
        for (std::size_t left = *last & before; left != 0; left &= left - 1) {
            auto table = static_cast<std::size_t>(std::countr_zero(left)) * log_weights_.size();
            total = log_add(total, log_tables_with_[table + before]);
            before &= ~(left & -left);
        }
        return total;
    }
    for (std::size_t x = before;; x = (x - 1) & before) {
        if (!last || (x & *last)) total = log_add(total, log_weights_[x]);
        if (x == 0) return total;
    }
}

double FamilyWeights::log_sum(const Word* before, const Word* last) const {
    return log_sum(before, last, minus_infinity).high;
}

Bound FamilyWeights::log_sum(const Word* before, const Word* last, double least) const {
    std::size_t x = project(before), wanted = last ? project(last) : 0;
    Inside sums = last ? inside(x, wanted) : Inside{table_[x], 0.0};
    Bound known = bound(sums, most_outside(last));
    if (known.exact || known.high < least) return known;
    double inside = log_sum_inside(x, last ? &wanted : nullptr);
    if (inside > elementary::log(smallest))
        return {best_ + elementary::log(sum_outside(before, last, elementary::exp(inside))), true};
    return {best_ + log_sum_with_outside(inside, before, last), true};
}

// The same with the sets outside the candidates, where weights may be too small for a double.
double FamilyWeights::log_sum_with_outside(double inside, const Word* before, const Word* last) const {
    double total = inside, share = elementary::log(negligible / static_cast<double>(outside_.size() + 1));
    Bits seen(words_, 0);
    auto look = [&](const List& list, const Word* met) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            double one = scores_[list.places[i]] - best_;
            if (one < total + share) return;
            const Word* members = list.sets.data() + i * words_;
            if (allows(members, before, met) && !meet(members, seen.data(), words_)) total = log_add(total, one);
        }
    };
    std::size_t by_member = 0;
    if (last) for_each(last, words_, [&](int u) { by_member += outside_with_[at(u)].size(); });
    if (!last || by_member >= outside_.size()) {
        look(outside_, last);
        return total;
    }
    for_each(last, words_, [&](int u) {
        look(outside_with_[at(u)], nullptr);
        set_bit(seen.data(), u);
    });
    return total;
}

double FamilyWeights::share(int u) const {
    double with = outside_with_[at(u)].left[0];
    std::size_t all = table_.size() - 1;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
        if (candidates_[k] == u) with += table_[all] - table_[all & ~(std::size_t{1} << k)];
    }
    return std::clamp(with / all_.left[0], 0.0, 1.0);
}

std::size_t FamilyWeights::draw(const Word* before, const Word* last, double log_sum, double uniform) const {
    std::size_t x = project(before), wanted = last ? project(last) : 0;
    bool few = std::popcount(x) <= few_candidates && log_sum > best_ + elementary::log(smallest);
    if (!few) return draw_from_all(before, last, log_sum, uniform);
    double left = uniform * elementary::exp(log_sum - best_);
    std::size_t found = size();
    for (std::size_t y = x;; y = (y - 1) & x) {
        if ((!last || (y & wanted)) && weights_[y] > 0.0) {
            found = places_[y];
            left -= weights_[y];
            if (left < 0.0) return found;
        }
        if (y == 0) break;
    }
    Bits seen(words_, 0);
    auto look = [&](const List& list, const Word* met) {
        for (std::size_t i = 0; i < list.size() && left >= 0.0; ++i) {
            const Word* one = list.sets.data() + i * words_;
            if (!allows(one, before, met) || meet(one, seen.data(), words_)) continue;
            found = list.places[i];
            left -= list.weights[i];
        }
    };
    if (!last) {
        look(outside_, nullptr);
    } else {
        for_each(last, words_, [&](int u) {
            look(outside_with_[at(u)], nullptr);
            set_bit(seen.data(), u);
        });
    }
    if (found == size()) throw std::logic_error("no parent set is allowed");
    return found;
}

std::size_t FamilyWeights::draw_inside(std::size_t before, const std::size_t* last, double log_sum,
                                       double uniform) const {
    bool is_small = log_sum <= elementary::log(smallest);
    double left = is_small ? uniform : uniform * elementary::exp(log_sum);
    std::size_t found = size();
    for (std::size_t x = before;; x = (x - 1) & before) {
        if ((!last || (x & *last)) && log_weights_[x] > minus_infinity) {
            found = places_[x];
            left -= is_small ? elementary::exp(log_weights_[x] - log_sum) : weights_[x];
        }
        if (left < 0.0 || x == 0) break;
    }
    if (found == size()) throw std::logic_error("no parent set is allowed");
    return found;
}

// By the list of all sets, the best first.
std::size_t FamilyWeights::draw_from_all(const Word* before, const Word* last, double log_sum, double uniform) const {
    bool is_small = log_sum <= best_ + elementary::log(smallest);
    double left = is_small ? uniform : uniform * elementary::exp(log_sum - best_);
    std::size_t found = size();
    for (std::size_t i = 0; i < size() && left >= 0.0; ++i) {
        if ((all_.sets[i * words_] & ~*before) != 0 || !allows(set(i), before, last)) continue;
        found = i;
        left -= is_small ? elementary::exp(score(i) - log_sum) : all_.weights[i];
    }
    if (found == size()) throw std::logic_error("no parent set is allowed");
    return found;
}

}  // namespace veridag::partition
