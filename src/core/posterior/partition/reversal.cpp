// The move that reverses an arc and draws new parents for both of its ends: Grzegorczyk and Husmeier (2008), "Improving
// the structure MCMC sampler for Bayesian networks by introducing a new edge reversal move". A DAG is drawn from the
// partition, the move is made on that DAG, and the chain goes on with the partition of the result.
#include <algorithm>
#include <cmath>

#include "elementary.hpp"
#include "index.hpp"
#include "posterior/partition/below.hpp"
#include "posterior/partition/chain.hpp"
#include "posterior/partition/sets.hpp"

namespace veridag::partition {

// The partition of a DAG.
void Chain::set_from_parents(const Word* parents) {
    parts_.clear();
    Bits before(words_, 0);
    for (int placed = 0; placed < n_;) {
        parts_.insert(parts_.end(), words_, 0);
        Word* last = &parts_[parts_.size() - words_];
        for (int v = 0; v < n_; ++v) {
            if (has_bit(before.data(), v)) continue;
            Word missing = 0;
            for (std::size_t w = 0; w < words_; ++w) missing |= parents[at(v) * words_ + w] & ~before[w];
            if (missing != 0) continue;
            set_bit(last, v);
            ++placed;
        }
        unite(before.data(), last, words_);
    }
    enter_values();
}

// A variable and those below it.
Bits Chain::descendants(const Word* parents, int v) const {
    Bits found(words_, 0);
    set_bit(found.data(), v);
    for (bool grown = true; grown;) {
        grown = false;
        for (int x = 0; x < n_; ++x) {
            if (has_bit(found.data(), x) || !meet(parents + at(x) * words_, found.data(), words_)) continue;
            set_bit(found.data(), x);
            grown = true;
        }
    }
    return found;
}

bool Chain::reverse(Stream& random) {
    Bits parents(at(n_) * words_), others(words_), one(words_);
    draw(random, parents.data());
    auto arcs = [&] { return count(parents.data(), parents.size()); };
    auto parents_of = [&](int v) { return parents.data() + at(v) * words_; };
    auto drop = [&](int v) { std::fill_n(parents_of(v), words_, 0); };
    // The sum over the parent sets of v, with `with` unless that is negative, that close no cycle.
    auto sum = [&](int v, int with) {
        Bits below_it = descendants(parents.data(), v);
        for (std::size_t w = 0; w < words_; ++w) others[w] = ~below_it[w];
        std::fill(one.begin(), one.end(), 0);
        if (with >= 0) set_bit(one.data(), with);
        return value(v, others.data(), with >= 0 ? one.data() : nullptr);
    };
    auto choose = [&](int v, int with, double log_sum) {
        const FamilyWeights& family = families_[at(v)];
        const Word* met = with >= 0 ? one.data() : nullptr;
        std::size_t drawn = family.draw(others.data(), met, log_sum, random.uniform());
        std::copy_n(family.set(drawn), words_, parents_of(v));
    };

    int before = arcs();
    if (before == 0) return false;
    int which = below(before, random), from = -1, to = -1;
    for (int v = 0; v < n_; ++v) {
        int own = count(parents_of(v), words_);
        if (which >= 0 && which < own) {
            from = member(parents_of(v), words_, which);
            to = v;
        }
        which -= own;
    }
    Bits old_from(parents_of(from), parents_of(from) + words_), old_to(parents_of(to), parents_of(to) + words_);
    drop(from);
    drop(to);
    // The way back: first the parents of `to`, with `from` among them, then those of `from`.
    double back = sum(to, from);
    std::copy(old_to.begin(), old_to.end(), parents_of(to));
    back += sum(from, -1);
    drop(to);
    double there = sum(from, to);
    if (std::isinf(there)) return false;
    choose(from, to, there);
    double second = sum(to, -1);
    if (std::isinf(second)) return false;
    choose(to, -1, second);
    there += second;

    double log_ratio = there - back + elementary::log(static_cast<double>(before) / arcs());
    double wanted = elementary::log(1.0 - random.uniform());
    if (power_ == 1.0 && wanted > log_ratio) return false;
    std::vector<Word> old_parts = parts_;
    std::vector<double> old_values = values_;
    double old_weight = log_weight();
    set_from_parents(parents.data());
    if (power_ != 1.0) log_ratio += (power_ - 1.0) * (log_weight() - old_weight);
    if (wanted <= log_ratio) return parts_ != old_parts;
    parts_.swap(old_parts);
    values_.swap(old_values);
    return false;
}

}  // namespace veridag::partition
