// The scores of families that were asked for before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace veridag {

// A family as 128 random-looking bits: the sum of those of its members. Two families share them by accident with a probability below
// 10^-20 in any search that a machine could finish.
struct FamilyKey {
    std::uint64_t low = 0, high = 0;
    bool operator==(const FamilyKey&) const = default;
};

// A hash table in one piece of memory: a large search asks for millions of families, and one allocation for each of them would take
// longer than to score them.
class FamilyMemory {
   public:
    FamilyMemory() : slots_(1024) {}

    std::size_t size() const { return size_; }

    // Null if the family is not there; valid until the next one comes.
    const double* find(const FamilyKey& family) const {
        const Slot& slot = slots_[place(family)];
        return slot.family == family ? &slot.score : nullptr;
    }

    // Keeps the score it has if it is there already.
    double insert(const FamilyKey& family, double score) {
        if (4 * (size_ + 1) > 3 * slots_.size()) grow();
        Slot& slot = slots_[place(family)];
        if (slot.family == family) return slot.score;
        slot = {family, score};
        ++size_;
        return score;
    }

   private:
    // Without a family if both halves of the key are zero, which no family has but by an accident like the above.
    struct Slot {
        FamilyKey family;
        double score = 0.0;
    };

    // The slot of the family, or the free one where it belongs.
    std::size_t place(const FamilyKey& family) const {
        std::size_t mask = slots_.size() - 1, i = static_cast<std::size_t>(family.low) & mask;
        while (slots_[i].family != FamilyKey{} && slots_[i].family != family) i = (i + 1) & mask;
        return i;
    }

    void grow() {
        std::vector<Slot> before(2 * slots_.size());
        before.swap(slots_);
        for (const Slot& slot : before) {
            if (slot.family != FamilyKey{}) slots_[place(slot.family)] = slot;
        }
    }

    std::vector<Slot> slots_;  // a power of two, at most three quarters of them taken
    std::size_t size_ = 0;
};

}  // namespace veridag
