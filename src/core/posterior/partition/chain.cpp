#include "posterior/partition/chain.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "elementary.hpp"
#include "index.hpp"
#include "posterior/partition/below.hpp"
#include "posterior/partition/sets.hpp"

namespace veridag::partition {
namespace {

constexpr std::size_t cached_values = 1 << 14;

}  // namespace

Chain::Chain(std::span<const FamilyWeights> families, double power)
    : families_(families),
      n_(static_cast<int>(families.size())),
      words_(words_for(n_)),
      power_(power),
      log_factorials_(families.size() + 1, 0.0),
      values_(families.size(), 0.0),
      cache_(cached_values),
      around_(families.size()) {
    for (std::size_t k = 2; k < log_factorials_.size(); ++k)
        log_factorials_[k] = log_factorials_[k - 1] + elementary::log(static_cast<double>(k));
    enter_affinities();
}

void Chain::set(std::span<const std::int32_t> part_of) {
    if (part_of.size() != at(n_)) throw std::invalid_argument("a partition has a part for each variable");
    std::int32_t last = *std::max_element(part_of.begin(), part_of.end());
    parts_.assign((at(last) + 1) * words_, 0);
    for (int v = 0; v < n_; ++v) {
        if (part_of[at(v)] < 0) throw std::invalid_argument("a part has a negative number");
        set_bit(parts_.data() + at(part_of[at(v)]) * words_, v);
    }
    for (std::size_t i = 0; i < number_of_parts(); ++i) {
        if (is_empty(part(i), words_)) throw std::invalid_argument("a part is empty");
    }
    enter_values();
    if (std::isinf(log_weight())) throw std::invalid_argument("no DAG of the partition has a finite score");
}

void Chain::get(std::span<std::int32_t> part_of) const {
    for (std::size_t i = 0; i < number_of_parts(); ++i)
        for_each(part(i), words_, [&](int v) { part_of[at(v)] = static_cast<std::int32_t>(i); });
}

void Chain::enter_values() {
    Bits before(words_, 0);
    for (std::size_t i = 0; i < number_of_parts(); ++i) {
        const Word* last = i > 0 ? part(i - 1) : nullptr;
        for_each(part(i), words_, [&](int v) { values_[at(v)] = value(v, before.data(), last); });
        unite(before.data(), part(i), words_);
    }
}

double Chain::log_weight() const {
    double total = 0.0;
    for (double one : values_) total += one;
    return total;
}

double Chain::draw(Stream& random, Word* parents) const {
    double score = 0.0;
    Bits before(words_, 0);
    for (std::size_t i = 0; i < number_of_parts(); ++i) {
        const Word* last = i > 0 ? part(i - 1) : nullptr;
        for_each(part(i), words_, [&](int v) {
            const FamilyWeights& family = families_[at(v)];
            std::size_t drawn = family.draw(before.data(), last, values_[at(v)], random.uniform());
            std::copy_n(family.set(drawn), words_, parents + at(v) * words_);
            score += family.score(drawn);
        });
        unite(before.data(), part(i), words_);
    }
    return score;
}

Bound Chain::sharp_value(int v, const Word* before, const Word* last, double least) {
    std::uint64_t first = at(v), second = last != nullptr;
    for (std::size_t w = 0; w < words_; ++w) {
        first = mix(first ^ before[w]);
        if (last) first = mix(first + last[w]);
        second = mix(second ^ before[w]) + (last ? last[w] : 0);
    }
    Known& known = cache_[first % cache_.size()];
    if (known.first == first && known.second == second) return {known.value, true};
    Bound found = families_[at(v)].log_sum(before, last, least);
    if (found.exact) known = {first, second, found.high};
    return found;
}

// Goes to the partition in `next_`, or not, by the rule of Metropolis and Hastings. Its parts from `first` to `last`
// differ from those at hand; `log_ratio` is that of proposing the way back and the way there.
bool Chain::propose(std::size_t first, std::size_t last, double log_ratio, Stream& random) {
    double wanted = (elementary::log(1.0 - random.uniform()) - log_ratio) / power_;
    changed_.clear();
    next_values_.clear();
    Bits before(words_, 0);
    std::size_t parts = next_.size() / words_, end = std::min(last + 2, parts);
    for (std::size_t i = 0; i < first; ++i) unite(before.data(), &next_[i * words_], words_);
    // A value is never above that of all parent sets together: most proposals are turned down after a few variables.
    double gain = 0.0, hope = 0.0;
    for (std::size_t i = first; i < end; ++i) {
        for_each(&next_[i * words_], words_, [&](int v) { hope += families_[at(v)].log_total() - values_[at(v)]; });
    }
    for (std::size_t i = first; i < end; ++i) {
        const Word* before_it = i > 0 ? &next_[(i - 1) * words_] : nullptr;
        bool rejected = false;
        for_each(&next_[i * words_], words_, [&](int v) {
            if (rejected) return;
            hope -= families_[at(v)].log_total() - values_[at(v)];
            Bound most = families_[at(v)].bound(before.data(), before_it);
            rejected = !(gain + most.high - values_[at(v)] + hope >= wanted - 1e-9);
            if (rejected) return;
            if (!most.exact) {
                double least = wanted - 1e-9 - gain - hope + values_[at(v)];
                most = sharp_value(v, before.data(), before_it, least);
            }
            double next = most.high;
            gain += next - values_[at(v)];
            changed_.push_back(v);
            next_values_.push_back(next);
            rejected = !(gain + hope >= wanted - 1e-9);
        });
        if (rejected) return false;
        unite(before.data(), &next_[i * words_], words_);
    }
    if (!(gain >= wanted)) return false;
    parts_.swap(next_);
    for (std::size_t k = 0; k < changed_.size(); ++k) values_[at(changed_[k])] = next_values_[k];
    return true;
}

double Chain::log_choices(int of, int size) const {
    return log_factorials_[at(of)] - log_factorials_[at(size)] - log_factorials_[at(of - size)];
}

bool Chain::split_or_merge(Stream& random) { return random.uniform() < 0.5 ? split(random) : merge(random); }

// A part of two or more variables, a size for the first half and then its members are uniform.
bool Chain::split(Stream& random) {
    std::vector<std::size_t> large;
    for (std::size_t i = 0; i < number_of_parts(); ++i) {
        if (count(part(i), words_) > 1) large.push_back(i);
    }
    if (large.empty()) return false;
    std::size_t which = large[at(below(static_cast<int>(large.size()), random))];
    std::vector<int> members;
    for_each(part(which), words_, [&](int v) { members.push_back(v); });
    int of = static_cast<int>(members.size()), size = 1 + below(of - 1, random);
    auto cut = static_cast<std::ptrdiff_t>(which * words_);
    next_ = parts_;
    next_.insert(next_.begin() + cut, words_, 0);
    for (int k = 0; k < size; ++k) {
        std::swap(members[at(k)], members[at(k + below(of - k, random))]);
        set_bit(&next_[which * words_], members[at(k)]);
        clear_bit(&next_[(which + 1) * words_], members[at(k)]);
    }
    double there =
        -elementary::log(static_cast<double>(large.size())) - elementary::log(of - 1.0) - log_choices(of, size);
    double back = -elementary::log(static_cast<double>(number_of_parts()));
    return propose(which, which + 1, back - there, random);
}

bool Chain::merge(Stream& random) {
    auto pairs = static_cast<int>(number_of_parts()) - 1;
    if (pairs == 0) return false;
    std::size_t which = at(below(pairs, random));
    next_ = parts_;
    unite(&next_[which * words_], part(which + 1), words_);
    auto gone = next_.begin() + static_cast<std::ptrdiff_t>((which + 1) * words_);
    next_.erase(gone, gone + static_cast<std::ptrdiff_t>(words_));
    int size = count(part(which), words_), of = size + count(part(which + 1), words_), large = 0;
    for (std::size_t i = 0; i < at(pairs); ++i) large += count(&next_[i * words_], words_) > 1;
    double back = -elementary::log(static_cast<double>(large)) - elementary::log(of - 1.0) - log_choices(of, size);
    double there = -elementary::log(static_cast<double>(pairs));
    return propose(which, which, back - there, random);
}

// With equal chances, one of each of two neighbouring parts, or any two.
bool Chain::swap(Stream& random) {
    auto parts = static_cast<int>(number_of_parts());
    if (parts == 1) return false;
    std::size_t i, k;
    int a, b;
    if (random.uniform() < 0.5) {
        i = at(below(parts - 1, random));
        k = i + 1;
        a = member(part(i), words_, below(count(part(i), words_), random));
        b = member(part(k), words_, below(count(part(k), words_), random));
    } else {
        a = below(n_, random);
        b = below(n_ - 1, random);
        b += b >= a;
        for (i = 0; !has_bit(part(i), a);) ++i;
        for (k = 0; !has_bit(part(k), b);) ++k;
        if (i == k) return false;
    }
    next_ = parts_;
    clear_bit(&next_[i * words_], a);
    set_bit(&next_[i * words_], b);
    clear_bit(&next_[k * words_], b);
    set_bit(&next_[k * words_], a);
    return propose(std::min(i, k), std::max(i, k), 0.0, random);
}

bool Chain::exchange(Chain& a, Chain& b, Stream& random) {
    double ratio = (a.power_ - b.power_) * (b.log_weight() - a.log_weight());
    if (!(elementary::log(1.0 - random.uniform()) <= ratio)) return false;
    a.parts_.swap(b.parts_);
    a.values_.swap(b.values_);
    return true;
}

bool Chain::step(Stream& random) {
    // These shares give many effective draws a second on samples of ALARM. Reversals and blocks cross between modes.
    double which = random.uniform();
    if (which < 0.25) return relocate(random);
    if (which < 0.4) return split_or_merge(random);
    if (which < 0.55) return swap(random);
    return which < 0.88 ? reverse(random) : resample(random);
}

}  // namespace veridag::partition
