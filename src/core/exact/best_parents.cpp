#include "exact/best_parents.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "index.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace veridag {
namespace {

// The first three members, for which the compiler has no instruction for many sets at a time; the member that is next.
std::size_t within_lanes([[maybe_unused]] BestParents::Rank* ranks, [[maybe_unused]] std::size_t size) {
#ifdef __SSE2__
    if (size < 8) return 1;
    const __m128i first = _mm_set1_epi32(0x00007fff), second = _mm_set1_epi64x(0x7fff7fff),
                  third = _mm_set_epi64x(0, 0x7fff7fff7fff7fff);
    for (std::size_t s = 0; s < size; s += 8) {
        auto* place = reinterpret_cast<__m128i*>(ranks + s);
        __m128i all = _mm_loadu_si128(place);
        all =
            _mm_min_epi16(all, _mm_or_si128(_mm_slli_si128(all, 2), first));  // the greatest rank where it is not to be
        all = _mm_min_epi16(all, _mm_or_si128(_mm_slli_si128(all, 4), second));
        all = _mm_min_epi16(all, _mm_or_si128(_mm_slli_si128(all, 8), third));
        _mm_storeu_si128(place, all);
    }
    return 8;
#else
    return 1;
#endif
}

}  // namespace

BestParents::BestParents(const Candidates& candidates, std::vector<int> order, int low)
    : order_(std::move(order)), low_(low), own_(order_.size()) {
    if (order_.size() > 64) throw std::invalid_argument("too many variables for sets of one word");
    std::vector<int> place(order_.size());
    for (int p = 0; p < variables(); ++p) place[at(order_[at(p)])] = p;
    for (int p = 0; p < variables(); ++p) {
        Own& own = own_[at(p)];
        int v = order_[at(p)];
        for (std::size_t row = candidates.begin(v); row < candidates.end(v); ++row) {
            Word set = 0;
            for (int u = 0; u < candidates.variables(); ++u) {
                if (has_bit(candidates.set(row), u)) set |= Word{1} << place[at(u)];
            }
            own.sets.push_back(set);
            own.scores.push_back(candidates.score(row));
        }
        own.sets.push_back(0);
        own.scores.push_back(minus_infinity);
        if (can_fill(p)) group(own);
    }
}

void BestParents::group(Own& own) const {
    Word inside = (Word{1} << low_) - 1;
    std::map<Word, std::map<std::uint32_t, Rank>> sorted;
    for (std::size_t rank = 0; rank + 1 < own.sets.size(); ++rank)  // of rows of the same parents, the first
        sorted[own.sets[rank] & ~inside].emplace(static_cast<std::uint32_t>(own.sets[rank] & inside),
                                                 static_cast<Rank>(rank));
    for (const auto& [high, rows] : sorted) {
        std::size_t first = own.entries.size();
        for (auto [set, rank] : rows) own.entries.push_back({set, rank});
        own.groups.push_back({high, first, own.entries.size()});
    }
}

void BestParents::fill(int place, Word high, Rank* ranks) const {
    const Own& own = own_[at(place)];
    std::size_t size = std::size_t{1} << low_;
    std::fill(ranks, ranks + size, static_cast<Rank>(own.scores.size() - 1));
    for (const Group& rows : own.groups) {
        if (rows.high & ~high) continue;
        for (std::size_t k = rows.first; k < rows.last; ++k)
            ranks[own.entries[k].low] = std::min(ranks[own.entries[k].low], own.entries[k].rank);
    }
    // What is within a set is within all that include it, one member at a time.
    std::size_t step = within_lanes(ranks, size);
    for (; step < size; step *= 2) {
        for (std::size_t base = step; base < size; base += 2 * step) {
            for (std::size_t s = base; s < base + step; ++s) ranks[s] = std::min(ranks[s], ranks[s - step]);
        }
    }
}

}  // namespace veridag
