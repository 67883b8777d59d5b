#include "search/constraint/local.hpp"
#include "index.hpp"
#include "search/sets.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace veridag {
namespace {

// Whether a subset of the smaller of two blankets separates their variables.
bool separate_by_blankets(TestBench::Worker& tests, const LocalSettings& settings, int x, int y, const Local& of_x,
                          const Local& of_y, std::vector<int>& separator) {
    std::vector<int> first = without(of_x.members, y), second = without(of_y.members, x);
    return find_separator(tests, x, y, second.size() < first.size() ? second : first, settings.largest, separator);
}

// What separates two variables, by the search around one or the other: the smaller set.
std::optional<std::span<const int>> smaller_separator(int x, int y, const Local& of_x, const Local& of_y) {
    std::optional<std::span<const int>> first = of_x.separator(y), second = of_y.separator(x);
    if (!first || !second) return first ? first : second;
    return second->size() < first->size() ? second : first;
}

// Searches around variables, made when they are first needed.
class Surroundings {
   public:
    Surroundings(TestBench& tests, const LocalSettings& settings) : tests_(tests), settings_(settings) {}

    // False if the search was stopped.
    bool explore(const std::vector<int>& targets) {
        std::vector<int> fresh;
        for (int v : targets) {
            if (!found_.contains(v)) fresh.push_back(v);
        }
        std::vector<Local> found(fresh.size());
        if (!tests_.run(fresh.size(), [&](std::size_t i, TestBench::Worker& worker) {
                found[i] = search_around(worker, settings_, fresh[i]);
            }))
            return false;
        for (std::size_t i = 0; i < fresh.size(); ++i) found_.emplace(fresh[i], std::move(found[i]));
        return true;
    }

    const Local& around(int v) const { return found_.at(v); }

    // Those that the search around v found and that found v, as far as they were explored.
    std::vector<int> mutual(int v) const {
        std::vector<int> both;
        for (int u : around(v).members) {
            if (found_.contains(u) && around(u).has(v)) both.push_back(u);
        }
        return both;
    }

    // explore(v), then all that it found; those of them that found v.
    std::vector<int> explore_mutual(int v) {
        if (!explore({v}) || !explore(around(v).members)) return {};
        return mutual(v);
    }

    std::vector<int> looped() const {
        std::vector<int> variables;
        for (const auto& [v, local] : found_) {
            if (local.looped) variables.push_back(v);
        }
        return variables;
    }

   private:
    TestBench& tests_;
    const LocalSettings& settings_;
    std::map<int, Local> found_;
};

// Of the candidates, those for which `test(worker, candidate)` holds.
template <class Condition>
std::vector<int> filtered(TestBench& tests, const std::vector<int>& candidates, Condition condition) {
    std::vector<char> holds(candidates.size(), 0);
    tests.run(candidates.size(),
              [&](std::size_t i, TestBench::Worker& worker) { holds[i] = condition(worker, candidates[i]); });
    std::vector<int> kept;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (holds[i]) kept.push_back(candidates[i]);
    }
    return kept;
}

LocalSkeleton from_blankets(TestBench& tests, const LocalSettings& settings, const std::vector<Local>& locals,
                            Skeleton skeleton) {
    const Constraints& constraints = settings.constraints;
    std::vector<std::pair<int, int>> pairs;
    for (int x = 0; x < constraints.variables(); ++x) {
        for (int y = x + 1; y < constraints.variables(); ++y) {
            if (constraints.must_join(x, y)) {
                skeleton.join(x, y);
            } else if (locals[at(x)].has(y) && locals[at(y)].has(x)) {
                pairs.emplace_back(x, y);
            }
        }
    }
    std::vector<std::vector<int>> separators(pairs.size());
    std::vector<char> separated(pairs.size(), 0);
    tests.run(pairs.size(), [&](std::size_t i, TestBench::Worker& worker) {
        auto [x, y] = pairs[i];
        separated[i] = separate_by_blankets(worker, settings, x, y, locals[at(x)], locals[at(y)], separators[i]);
    });
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        auto [x, y] = pairs[i];
        if (separated[i]) {
            skeleton.separate(x, y, std::move(separators[i]));
        } else if (!constraints.may_not_join(x, y)) {
            skeleton.join(x, y);
        }
    }
    return {std::move(skeleton), {}};
}

LocalSkeleton from_neighbours(const Constraints& constraints, const std::vector<Local>& locals, Skeleton skeleton) {
    for (int x = 0; x < constraints.variables(); ++x) {
        for (int y = x + 1; y < constraints.variables(); ++y) {
            const Local &of_x = locals[at(x)], &of_y = locals[at(y)];
            if (constraints.must_join(x, y) || (of_x.has(y) && of_y.has(x))) {
                skeleton.join(x, y);
            } else if (auto separator = smaller_separator(x, y, of_x, of_y)) {
                skeleton.separate(x, y, {separator->begin(), separator->end()});
            }
        }
    }
    return {std::move(skeleton), {}};
}

}  // namespace

bool Local::has(int v) const { return std::binary_search(members.begin(), members.end(), v); }

std::optional<std::span<const int>> Local::separator(int v) const {
    if (has(v)) return std::nullopt;
    // The last one: HPC may find a second for the same variable.
    for (std::size_t i = separators.size(); i > 0; --i) {
        if (separators.variable(i - 1) == v) return separators.set(i - 1);
    }
    return std::nullopt;
}

Local search_around(TestBench::Worker& tests, const LocalSettings& settings, int target) {
    std::vector<int> all(at(settings.constraints.variables()));
    std::iota(all.begin(), all.end(), 0);
    switch (settings.method) {
        case LocalMethod::grow_shrink: return grow_shrink(tests, settings, target);
        case LocalMethod::inter_iamb: return inter_iamb(tests, settings, target, all);
        case LocalMethod::mmpc: return mmpc(tests, settings, target);
        case LocalMethod::si_hiton_pc: return si_hiton_pc(tests, settings, target);
        case LocalMethod::hpc: break;
    }
    return hpc(tests, settings, target);
}

LocalSkeleton local_skeleton(TestBench& tests, const LocalSettings& settings) {
    const Constraints& constraints = settings.constraints;
    std::vector<Local> locals(at(constraints.variables()));
    tests.run(locals.size(), [&](std::size_t v, TestBench::Worker& worker) {
        locals[v] = search_around(worker, settings, static_cast<int>(v));
    });
    Skeleton skeleton(constraints.variables());
    LocalSkeleton found = finds_blankets(settings.method) ? from_blankets(tests, settings, locals, std::move(skeleton))
                                                          : from_neighbours(constraints, locals, std::move(skeleton));
    for (int v = 0; v < constraints.variables(); ++v) {
        if (locals[at(v)].looped) found.looped.push_back(v);
    }
    return found;
}

Neighbourhood neighbours_of(TestBench& tests, const LocalSettings& settings, int target) {
    const Constraints& constraints = settings.constraints;
    Surroundings surroundings(tests, settings);
    std::vector<int> members = surroundings.explore_mutual(target);
    std::erase_if(members, [&](int v) { return constraints.may_not_join(target, v); });
    if (finds_blankets(settings.method)) {
        members = filtered(tests, members, [&](TestBench::Worker& worker, int v) {
            std::vector<int> separator;
            return constraints.must_join(target, v) ||
                   !separate_by_blankets(worker, settings, std::min(target, v), std::max(target, v),
                                         surroundings.around(std::min(target, v)),
                                         surroundings.around(std::max(target, v)), separator);
        });
    }
    return {std::move(members), surroundings.looped()};
}

Neighbourhood blanket_of(TestBench& tests, const LocalSettings& settings, int target) {
    Surroundings surroundings(tests, settings);
    std::vector<int> members = surroundings.explore_mutual(target);
    if (finds_blankets(settings.method)) return {std::move(members), surroundings.looped()};
    // Spouses: neighbours of a neighbour z that depend on the target once z is given beside what separates them.
    std::vector<std::pair<int, int>> beyond;
    for (int z : members) {
        for (int y : surroundings.explore_mutual(z)) {
            if (y != target && !std::binary_search(members.begin(), members.end(), y)) beyond.emplace_back(y, z);
        }
    }
    std::vector<int> middle_of(beyond.size());
    std::iota(middle_of.begin(), middle_of.end(), 0);
    const std::vector<int> neighbours = members;
    std::vector<int> chosen = filtered(tests, middle_of, [&](TestBench::Worker& worker, int i) {
        auto [y, z] = beyond[at(i)];
        std::optional<std::span<const int>> known_separator =
            smaller_separator(target, y, surroundings.around(target), surroundings.around(y));
        std::vector<int> given;
        if (known_separator) {
            given.assign(known_separator->begin(), known_separator->end());
        } else if (!find_separator(worker, target, y, without(neighbours, y), settings.largest, given)) {
            return false;  // kept apart by knowledge alone
        }
        if (std::find(given.begin(), given.end(), z) != given.end()) return false;
        given.push_back(z);
        return !worker.of(target, y, given).independent;
    });
    for (int i : chosen) members.push_back(beyond[at(i)].first);
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return {std::move(members), surroundings.looped()};
}

}  // namespace veridag
