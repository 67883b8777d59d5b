// Searches for the neighbours of a variable, its parents and children.
#include <algorithm>
#include <limits>

#include "index.hpp"
#include "search/constraint/local.hpp"
#include "search/sets.hpp"

namespace veridag {
namespace {

// The variables that may be neighbours of the target, and those that are known to be.
struct PossibleNeighbours {
    std::vector<int> open, certain;

    PossibleNeighbours(const Constraints& constraints, int target) {
        for (int v = 0; v < constraints.variables(); ++v) {
            if (v == target || constraints.may_not_join(target, v)) continue;
            (constraints.must_join(target, v) ? certain : open).push_back(v);
        }
    }
};

// Takes out, in the order of entry, whoever a subset of the rest separates from the target.
void take_out_separated(TestBench::Worker& tests, const LocalSettings& settings, int target, std::vector<int>& members,
                        Local& found) {
    for (int v : std::vector<int>(members)) {
        if (settings.constraints.must_join(target, v)) continue;
        std::vector<int> rest = without(members, v), separator;
        if (!find_separator(tests, target, v, rest, settings.largest, separator)) continue;
        found.separators.add(v, separator);
        members = std::move(rest);
    }
}

Local with_members(Local found, std::vector<int> members) {
    std::sort(members.begin(), members.end());
    found.members = std::move(members);
    return found;
}

struct Candidate {
    int variable;
    double weakest = std::numeric_limits<double>::infinity();  // evidence of dependence over all sets tried
};

class MaxMin {
   public:
    MaxMin(TestBench::Worker& tests, const LocalSettings& settings, int target)
        : tests_(tests), settings_(settings), target_(target) {}

    Local search() {
        PossibleNeighbours candidates(settings_.constraints, target_);
        for (int v : candidates.open) open_.push_back({v});
        try_sets({}, -1);
        for (int v : candidates.certain) enter(v);
        while (!open_.empty()) {
            auto best = open_.begin();
            for (auto other = open_.begin(); other != open_.end(); ++other) {
                if (is_more(other->weakest, best->weakest)) best = other;
            }
            int v = best->variable;
            open_.erase(best);
            enter(v);
        }
        take_out_separated(tests_, settings_, target_, members_, found_);
        return with_members(std::move(found_), std::move(members_));
    }

   private:
    // Only the sets with the variable that just entered are new.
    void enter(int v) {
        try_sets(members_, v);
        members_.push_back(v);
    }

    // Tests every candidate given the subsets of `others`, each with `always` (unless that is -1), and drops those
    // found independent.
    void try_sets(const std::vector<int>& others, int always) {
        std::size_t fixed = always < 0 ? 0 : 1;
        if (fixed > settings_.largest) return;
        std::size_t most = std::min(settings_.largest - fixed, others.size());
        std::vector<Candidate> left;
        for (Candidate& candidate : open_) {
            bool dropped = false;
            reliable_ = true;
            for (std::size_t size = 0; size <= most && !dropped && reliable_; ++size) {
                reliable_ = size + fixed < most_unreliable;
                dropped =
                    any_subset(others, size, [&](std::span<const int> set) { return drops(candidate, set, always); });
            }
            if (!dropped) left.push_back(candidate);
        }
        open_ = std::move(left);
    }

    bool drops(Candidate& candidate, std::span<const int> set, int always) {
        set_.assign(set.begin(), set.end());
        if (always >= 0) set_.push_back(always);
        Decision decision = tests_.of(target_, candidate.variable, set_);
        reliable_ = reliable_ || decision.reliable;
        if (!decision.reliable && set_.size() > most_unreliable) return false;  // it says nothing
        candidate.weakest = std::min(candidate.weakest, decision.evidence);
        if (decision.independent) found_.separators.add(candidate.variable, set_);
        return decision.independent;
    }

    TestBench::Worker& tests_;
    const LocalSettings& settings_;
    int target_;
    Local found_;
    std::vector<Candidate> open_;
    std::vector<int> members_, set_;
    bool reliable_ = true;  // some test with a set of the size that is tried
};

// The parts of HPC, with the paper's names: PCS, a superset of the neighbours; SPS, one of the spouses.
class Hybrid {
   public:
    Hybrid(TestBench::Worker& tests, const LocalSettings& settings, int target)
        : tests_(tests), settings_(settings), constraints_(settings.constraints), target_(target) {}

    Local search() {
        find_pcs();
        std::vector<int> universe = find_sps();
        universe.insert(universe.end(), pcs_.begin(), pcs_.end());
        universe.push_back(target_);
        std::sort(universe.begin(), universe.end());
        Local pc = iapc(target_, universe);
        std::vector<int> members = pc.members;
        for (int v : pcs_) {
            if (pc.has(v)) continue;
            Local around = iapc(v, universe);
            pc.looped = pc.looped || around.looped;
            if (around.has(target_)) members.push_back(v);
        }
        found_.looped = pc.looped;
        for (int v : pcs_) {
            std::optional<std::span<const int>> separator = pc.separator(v);
            if (separator && std::find(members.begin(), members.end(), v) == members.end())
                found_.separators.add(v, *separator);
        }
        std::erase_if(members, [&](int v) { return constraints_.may_not_join(target_, v); });
        return with_members(std::move(found_), std::move(members));
    }

   private:
    // DE-PCS: those that no variable alone, nor none, separates from the target.
    void find_pcs() {
        for (int v = 0; v < constraints_.variables(); ++v) {
            if (v == target_) continue;
            if (!constraints_.must_join(target_, v) && tests_.of(target_, v, {}).independent) {
                found_.separators.add(v, {});
            } else {
                pcs_.push_back(v);
            }
        }
        if (settings_.largest == 0) return;
        for (int v : std::vector<int>(pcs_)) {
            if (constraints_.must_join(target_, v)) continue;
            for (int z : pcs_) {
                if (z == v || !tests_.of(target_, v, {&z, 1}).independent) continue;
                found_.separators.add(v, {&z, 1});
                std::erase(pcs_, v);
                break;
            }
        }
    }

    // DE-SPS: those that depend on the target once one of PCS is given, and for which no other such one takes that
    // away.
    std::vector<int> find_sps() {
        std::vector<char> is_spouse(static_cast<std::size_t>(constraints_.variables()), 0);
        for (int x : pcs_) {
            std::vector<int> spouses;
            for (std::size_t i = 0; i < found_.separators.size(); ++i) {
                int v = found_.separators.variable(i);
                std::span<const int> separator = found_.separators.set(i);
                if (std::find(separator.begin(), separator.end(), x) != separator.end()) continue;
                std::vector<int> given(separator.begin(), separator.end());
                given.push_back(x);
                if (!tests_.of(target_, v, given).independent) spouses.push_back(v);
            }
            std::sort(spouses.begin(), spouses.end());
            for (int v : std::vector<int>(spouses)) {
                for (int z : spouses) {
                    if (z == v || !tests_.of(target_, v, std::vector<int>{x, z}).independent) continue;
                    std::erase(spouses, v);
                    break;
                }
            }
            for (int v : spouses) is_spouse[at(v)] = 1;
        }
        std::vector<int> sps;
        for (int v = 0; v < constraints_.variables(); ++v) {
            if (is_spouse[at(v)]) sps.push_back(v);
        }
        return sps;
    }

    // The neighbours of a variable among a few others: its blanket there, less what a subset of that separates from it.
    Local iapc(int target, const std::vector<int>& universe) {
        Local blanket = inter_iamb(tests_, settings_, target, universe);
        Local pc;
        pc.looped = blanket.looped;
        for (int v : universe) {
            if (v != target && !blanket.has(v)) pc.separators.add(v, blanket.members);
        }
        for (int v : blanket.members) {
            std::vector<int> separator;
            if (!constraints_.must_join(target, v) &&
                find_separator(tests_, target, v, without(blanket.members, v), settings_.largest, separator)) {
                pc.separators.add(v, separator);
            } else {
                pc.members.push_back(v);
            }
        }
        return pc;
    }

    TestBench::Worker& tests_;
    const LocalSettings& settings_;
    const Constraints& constraints_;
    int target_;
    Local found_;
    std::vector<int> pcs_;
};

}  // namespace

Local mmpc(TestBench::Worker& tests, const LocalSettings& settings, int target) {
    return MaxMin(tests, settings, target).search();
}

Local si_hiton_pc(TestBench::Worker& tests, const LocalSettings& settings, int target) {
    PossibleNeighbours candidates(settings.constraints, target);
    Local found;
    std::vector<std::pair<double, int>> open;
    for (int v : candidates.open) {
        Decision decision = tests.of(target, v, {});
        if (decision.independent) {
            found.separators.add(v, {});
        } else {
            open.emplace_back(decision.evidence, v);
        }
    }
    sort_by_evidence(std::span(open), [](const auto& candidate) { return candidate.first; });
    std::vector<int> members = candidates.certain, separator;
    for (const auto& [evidence, v] : open) {
        if (find_separator(tests, target, v, members, settings.largest, separator)) {
            found.separators.add(v, separator);
        } else {
            members.push_back(v);
        }
    }
    take_out_separated(tests, settings, target, members, found);
    return with_members(std::move(found), std::move(members));
}

Local hpc(TestBench::Worker& tests, const LocalSettings& settings, int target) {
    return Hybrid(tests, settings, target).search();
}

}  // namespace veridag
