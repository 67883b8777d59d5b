// Searches around one variable: its neighbours, or its Markov blanket, from tests of it against the others.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "search/constraint/skeleton.hpp"
#include "search/constraint/test_bench.hpp"

namespace veridag {

enum class LocalMethod { grow_shrink, inter_iamb, mmpc, si_hiton_pc, hpc };

// Those that look for Markov blankets first; the others look for neighbours.
inline bool finds_blankets(LocalMethod method) {
    return method == LocalMethod::grow_shrink || method == LocalMethod::inter_iamb;
}

struct LocalSettings {
    LocalMethod method;
    const Constraints& constraints;
    std::size_t largest;  // most variables in the sets tried as separators
};

// Sets that each separate a variable from the target, in the order in which they were found. Nearly all variables of a
// wide table have one, so they lie behind each other in one list.
class Separators {
   public:
    std::size_t size() const { return found_.size(); }
    int variable(std::size_t i) const { return found_[i].variable; }
    // Valid until the next one comes.
    std::span<const int> set(std::size_t i) const {
        std::uint32_t start = i == 0 ? 0 : found_[i - 1].end;
        return std::span(members_).subspan(start, found_[i].end - start);
    }

    void add(int variable, std::span<const int> set) {
        members_.insert(members_.end(), set.begin(), set.end());
        found_.push_back({variable, static_cast<std::uint32_t>(members_.size())});
    }

   private:
    struct Found {
        int variable;
        std::uint32_t end;  // of its set among the members, where the next one starts
    };

    std::vector<Found> found_;
    std::vector<int> members_;
};

// What a search around one variable found: the members of its blanket, or those that may be its neighbours; in the
// latter case also what separates it from the others. `looped` says that the tests contradict each other: the search
// came back to a set it had left.
struct Local {
    std::vector<int> members;  // ascending
    Separators separators;
    bool looped = false;

    bool has(int v) const;
    std::optional<std::span<const int>> separator(int v) const;
};

// One variable's search, without correction for symmetry.
Local search_around(TestBench::Worker& tests, const LocalSettings& settings, int target);

struct LocalSkeleton {
    Skeleton skeleton;
    std::vector<int> looped;  // variables whose search did
};

// All variables' searches, put together: two variables are joined if each finds the other. Two in each other's blanket
// are joined unless a subset of the smaller blanket separates them (Margaritis 2003). A variable outside the blanket is
// separated by all of it, which says little about directions: such pairs have no separation here, and `orient` looks
// for a small one where it needs it.
LocalSkeleton local_skeleton(TestBench& tests, const LocalSettings& settings);

struct Neighbourhood {
    std::vector<int> members;  // ascending
    std::vector<int> looped;
};

// The neighbours or the Markov blanket of one variable, corrected for symmetry, with searches around as few others as
// this takes.
Neighbourhood neighbours_of(TestBench& tests, const LocalSettings& settings, int target);
Neighbourhood blanket_of(TestBench& tests, const LocalSettings& settings, int target);

// ---- the searches themselves

// Grow-Shrink (Margaritis 2003): variables enter, those that depend most on the target by itself first, as long as one
// depends on it given those that are in; then those leave that do not depend on it given the rest.
Local grow_shrink(TestBench::Worker& tests, const LocalSettings& settings, int target);

// Inter-IAMB (Tsamardinos et al. 2003; Yaramakala and Margaritis 2005): the variable that depends most on the target
// given those that are in enters, and after each those leave that do not. Only the variables of `universe` take part.
Local inter_iamb(TestBench::Worker& tests, const LocalSettings& settings, int target, std::span<const int> universe);

// Max-min parents and children (Tsamardinos, Brown and Aliferis 2006).
Local mmpc(TestBench::Worker& tests, const LocalSettings& settings, int target);

// Semi-interleaved HITON-PC (Aliferis et al. 2010).
Local si_hiton_pc(TestBench::Worker& tests, const LocalSettings& settings, int target);

// Hybrid parents and children (Gasse, Aussem and Elghazel 2014).
Local hpc(TestBench::Worker& tests, const LocalSettings& settings, int target);

}  // namespace veridag
