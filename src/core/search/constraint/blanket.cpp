// Searches for Markov blankets.
#include <algorithm>
#include <set>

#include "search/constraint/local.hpp"
#include "search/sets.hpp"

namespace veridag {
namespace {

// One pass in the order of entry: whoever does not depend on the target given the rest leaves at once. Whether somebody
// left.
bool shrink_once(TestBench::Worker& tests, const Constraints& constraints, int target, std::vector<int>& blanket) {
    bool changed = false;
    for (int v : std::vector<int>(blanket)) {
        if (constraints.must_join(target, v)) continue;
        std::vector<int> rest = without(blanket, v);
        if (!tests.of(target, v, rest).independent) continue;
        blanket = std::move(rest);
        changed = true;
    }
    return changed;
}

std::vector<int> sorted(std::vector<int> set) {
    std::sort(set.begin(), set.end());
    return set;
}

}  // namespace

Local grow_shrink(TestBench::Worker& tests, const LocalSettings& settings, int target) {
    const Constraints& constraints = settings.constraints;
    std::vector<int> blanket;
    std::vector<std::pair<double, int>> outside;
    for (int v = 0; v < constraints.variables(); ++v) {
        if (v == target) continue;
        if (constraints.must_join(target, v)) {
            blanket.push_back(v);
        } else {
            outside.emplace_back(tests.of(target, v, {}).evidence, v);
        }
    }
    sort_by_evidence(std::span(outside), [](const auto& candidate) { return candidate.first; });
    for (bool changed = true; changed;) {
        changed = false;
        for (auto& [evidence, v] : outside) {
            if (v < 0 || !tests.of(target, v, blanket).shows_dependence()) continue;
            blanket.push_back(v);
            v = -1;
            changed = true;
        }
    }
    while (shrink_once(tests, constraints, target, blanket)) {}
    return {sorted(std::move(blanket)), {}, false};
}

Local inter_iamb(TestBench::Worker& tests, const LocalSettings& settings, int target, std::span<const int> universe) {
    const Constraints& constraints = settings.constraints;
    std::vector<int> blanket;
    for (int v : universe) {
        if (constraints.must_join(target, v)) blanket.push_back(v);
    }
    std::set<std::vector<int>> seen{sorted(blanket)};
    while (true) {
        int best = -1;
        double most = 0.0;
        for (int v : universe) {
            if (v == target || std::find(blanket.begin(), blanket.end(), v) != blanket.end()) continue;
            Decision decision = tests.of(target, v, blanket);
            if (!decision.shows_dependence() || (best >= 0 && !is_more(decision.evidence, most))) continue;
            best = v;
            most = decision.evidence;
        }
        if (best < 0) return {sorted(std::move(blanket)), {}, false};
        blanket.push_back(best);
        while (shrink_once(tests, constraints, target, blanket)) {}
        // Where a variable enters and then drives others or itself out, the same sets could come again for ever.
        if (!seen.insert(sorted(blanket)).second) return {sorted(std::move(blanket)), {}, true};
    }
}

}  // namespace veridag
