// The move of one variable to any place: into a part, or into a new part between two, before the first or after the
// last, by the weights of all places. What another variable sees of the one that moves is only whether it comes before,
// and whether it is in the part just before and alone there: so a few values for each variable give all weights. Most
// places are so bad that bounds are enough.
#include <algorithm>
#include <cmath>

#include "elementary.hpp"
#include "index.hpp"
#include "posterior/partition/below.hpp"
#include "posterior/partition/chain.hpp"
#include "posterior/partition/sets.hpp"
#include "scores/ties.hpp"

namespace veridag::partition {
namespace {

// Places whose weights are below that of the best by this factor's logarithm are left out.
constexpr double out_of_reach = 30.0;

// Place 2 i is a part of its own before part i of the others, place 2 i + 1 is in that part. Where the variable is then
// as seen from part k.
Where seen_from(std::size_t k, std::size_t place) {
    bool is_alone = place % 2 == 0;
    std::size_t next = (place + 1) / 2;
    if (k < next) return later;
    if (k > next) return earlier;
    return is_alone ? alone : joined;
}

}  // namespace

bool Chain::relocate(Stream& random) {
    int v = below(n_, random);
    std::size_t old = take_out(v);
    bound_places(v, old);
    std::size_t place = choose_place(v, old, random);
    put(v, place);
    return place != old;
}

std::size_t Chain::take_out(int v) {
    std::size_t i = 0;
    while (!has_bit(part(i), v)) ++i;
    clear_bit(&parts_[i * words_], v);
    if (!is_empty(part(i), words_)) return 2 * i + 1;
    auto gone = parts_.begin() + static_cast<std::ptrdiff_t>(i * words_);
    parts_.erase(gone, gone + static_cast<std::ptrdiff_t>(words_));
    return 2 * i;
}

void Chain::bound_places(int v, std::size_t old) {
    std::size_t parts = number_of_parts();
    own_.resize(parts + 1);
    before_.assign((parts + 1) * words_, 0);
    places_.assign(2 * parts + 1, 0.0);
    std::vector<double> here(4 * parts, 0.0);  // sums over the variables of each part
    double ahead = 0.0;                        // of the parts that the variable comes after
    for (std::size_t i = 0; i <= parts; ++i) {
        const Word* before = &before_[i * words_];
        const Word* last = i > 0 ? part(i - 1) : nullptr;
        own_[i] = i == old / 2 ? Bound{values_[at(v)], true} : families_[at(v)].bound(before, last);
        places_[2 * i] = ahead + own_[i].high;
        if (i == parts) break;
        for_each(part(i), words_, [&](int x) {
            Around& around = around_[at(x)];
            around = families_[at(x)].around(before, last, v);
            around.at[seen_from(i, old)] = {values_[at(x)], true};
            for (std::size_t k = 0; k < 4; ++k) here[4 * i + k] += around.at[k].high;
        });
        ahead += here[4 * i + later];
        places_[2 * i + 1] = ahead + own_[i].high;
        std::copy_n(before, words_, &before_[(i + 1) * words_]);
        unite(&before_[(i + 1) * words_], part(i), words_);
    }
    double behind = 0.0, behind_next = 0.0;  // of the parts after part i, and after the one that follows it
    for (std::size_t i = parts; i-- > 0;) {
        places_[2 * i] += here[4 * i + alone] + behind;
        places_[2 * i + 1] += (i + 1 < parts ? here[4 * (i + 1) + joined] : 0.0) + behind_next;
        behind_next = behind;
        behind += here[4 * i + earlier];
    }
}

// The logarithm of the weight of a place; minus infinity if it is below `least`.
double Chain::weigh(int v, std::size_t place, double least) {
    if (!(places_[place] >= least)) return minus_infinity;
    double surplus = places_[place] - least;
    std::size_t parts = number_of_parts(), next = (place + 1) / 2;
    auto sharpen = [&](Bound& bound, int x, const Word* before, const Word* last) {
        if (bound.exact || surplus < 0.0) return;
        Bound sharp = sharp_value(x, before, last, bound.high - surplus);
        surplus += sharp.high - bound.high;
        bound = sharp;
    };
    const Word* last = place > 1 ? part(place / 2 - 1) : nullptr;
    sharpen(own_[place / 2], v, &before_[place / 2 * words_], last);
    Bits before(words_, 0), joint(words_, 0);
    for (std::size_t k = 0; k < parts; ++k) {
        std::copy_n(&before_[k * words_], words_, before.begin());
        last = k > 0 ? part(k - 1) : nullptr;
        if (k >= next) set_bit(before.data(), v);
        if (k == next) {
            if (place % 2 == 0) {
                std::fill(joint.begin(), joint.end(), 0);
            } else {
                std::copy_n(part(k - 1), words_, joint.begin());
            }
            set_bit(joint.data(), v);
            last = joint.data();
        }
        Where where = seen_from(k, place);
        for_each(part(k), words_, [&](int x) { sharpen(around_[at(x)].at[where], x, before.data(), last); });
        if (surplus < 0.0) return minus_infinity;
    }
    double total = own_[place / 2].high;
    for (std::size_t k = 0; k < parts; ++k) {
        Where where = seen_from(k, place);
        for_each(part(k), words_, [&](int x) { total += around_[at(x)].at[where].high; });
    }
    return total;
}

std::size_t Chain::choose_place(int v, std::size_t old, Stream& random) {
    double reach = out_of_reach / power_, best = weigh(v, old, minus_infinity);
    for (std::size_t k = 0; k < places_.size(); ++k) {
        places_[k] = weigh(v, k, best - reach);
        best = std::max(best, places_[k]);
    }
    double total = 0.0, so_far = 0.0;
    for (double& place : places_) total += place = elementary::exp(power_ * (place - best));
    double wanted = random.uniform() * total;
    std::size_t found = old;
    for (std::size_t k = 0; k < places_.size(); ++k) {
        if (places_[k] == 0.0) continue;
        found = k;
        so_far += places_[k];
        if (so_far > wanted) break;
    }
    return found;
}

void Chain::put(int v, std::size_t place) {
    values_[at(v)] = own_[place / 2].high;
    for (std::size_t k = 0; k < number_of_parts(); ++k) {
        Where where = seen_from(k, place);
        for_each(part(k), words_, [&](int x) { values_[at(x)] = around_[at(x)].at[where].high; });
    }
    auto here = static_cast<std::ptrdiff_t>(place / 2 * words_);
    if (place % 2 == 0) parts_.insert(parts_.begin() + here, words_, 0);
    set_bit(&parts_[place / 2 * words_], v);
}

}  // namespace veridag::partition
