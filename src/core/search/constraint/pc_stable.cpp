#include <algorithm>
#include <mutex>

#include "index.hpp"
#include "search/constraint/skeleton.hpp"

namespace veridag {
namespace {

struct Pair {
    int x, y;
    bool separated = false;
    bool reliable = true;  // some test of this level
};

struct Separated {
    int x, y;
    std::vector<int> by;
};

class PcStable {
   public:
    PcStable(TestBench& tests, const Constraints& constraints, std::size_t largest)
        : tests_(tests), constraints_(constraints), largest_(largest), n_(constraints.variables()), skeleton_(n_) {}

    Skeleton search() {
        for (int x = 0; x < n_; ++x) {
            for (int y = x + 1; y < n_; ++y) {
                if (!constraints_.may_not_join(x, y)) skeleton_.join(x, y);
            }
        }
        std::vector<Pair> pairs = test_without_condition();
        for (std::size_t level = 1; level <= largest_ && !pairs.empty() && !tests_.stopped(); ++level) {
            sort_neighbours();
            // The pairs that may take longest come first, so that no thread is left with one at the end; what is found
            // does not depend on it.
            auto neighbours = [&](const Pair& pair) {
                return neighbours_[at(pair.x)].size() + neighbours_[at(pair.y)].size();
            };
            std::stable_sort(pairs.begin(), pairs.end(),
                             [&](const Pair& a, const Pair& b) { return neighbours(a) > neighbours(b); });
            tests_.run(pairs.size(),
                       [&](std::size_t i, TestBench::Worker& worker) { search_separator(pairs[i], level, worker); });
            for (Separated& pair : separated_) {
                skeleton_.disconnect(pair.x, pair.y);
                skeleton_.separate(pair.x, pair.y, std::move(pair.by));
            }
            separated_.clear();
            drop_finished(pairs, level);
        }
        return std::move(skeleton_);
    }

   private:
    struct Dependence {
        int with;
        double evidence;
    };

    // Level 0, at which all pairs are tested: of those that are independent nothing is kept but that. Returns the
    // others.
    std::vector<Pair> test_without_condition() {
        auto is_tested = [&](int x, int y) { return skeleton_.joined(x, y) && !constraints_.must_join(x, y); };
        std::vector<std::vector<Dependence>> later(at(n_));  // of each variable, those with variables after it
        std::vector<int> end(at(n_), 0);                     // and the first of these that is not tested yet
        tests_.run(at(n_), [&](std::size_t row, TestBench::Worker& worker) {
            int x = static_cast<int>(row);
            for (int y = x + 1; y < n_; end[row] = ++y) {
                if (!is_tested(x, y)) continue;
                Decision decision = worker.of(x, y, {});
                if (!decision.independent) later[row].push_back({y, decision.evidence});
            }
        });
        std::vector<std::size_t> counts(at(n_), 0);
        std::size_t count = 0;
        for (std::size_t x = 0; x < later.size(); ++x) {
            count += later[x].size();
            counts[x] += later[x].size();
            for (const Dependence& dependence : later[x]) ++counts[at(dependence.with)];
        }
        std::vector<Pair> pairs;
        pairs.reserve(count);
        dependences_.resize(at(n_));
        for (std::size_t v = 0; v < counts.size(); ++v) dependences_[v].reserve(counts[v]);
        for (int x = 0; x < n_; ++x) {
            auto next = later[at(x)].begin();
            for (int y = x + 1; y < end[at(x)]; ++y) {
                if (!is_tested(x, y)) continue;
                if (next != later[at(x)].end() && next->with == y) {
                    dependences_[at(x)].push_back(*next);
                    dependences_[at(y)].push_back({x, next->evidence});
                    pairs.push_back({x, y});
                    ++next;
                } else {
                    skeleton_.disconnect(x, y);
                    skeleton_.separate(x, y, {});
                }
            }
            later[at(x)] = {};
        }
        drop_finished(pairs, 0);
        return pairs;
    }

    // A level only takes edges away, so a pair whose neighbours are too few stays so.
    void drop_finished(std::vector<Pair>& pairs, std::size_t level) const {
        std::vector<std::size_t> others(at(n_));
        for (int v = 0; v < n_; ++v) others[at(v)] = skeleton_.neighbours(v).size() - 1;
        std::erase_if(pairs, [&](const Pair& pair) {
            return pair.separated || (level >= most_unreliable && !pair.reliable) ||
                   std::max(others[at(pair.x)], others[at(pair.y)]) < level + 1;
        });
    }

    // Without any condition; zero if it is not known since the pair must be joined.
    double evidence(int v, int with) const {
        const std::vector<Dependence>& own = dependences_[at(v)];
        auto found = std::lower_bound(own.begin(), own.end(), with,
                                      [](const Dependence& dependence, int u) { return dependence.with < u; });
        return found != own.end() && found->with == with ? found->evidence : 0.0;
    }

    void sort_neighbours() {
        neighbours_.assign(at(n_), {});
        for (int v = 0; v < n_; ++v) {
            neighbours_[at(v)] = skeleton_.neighbours(v);
            sort_by_evidence(std::span<int>(neighbours_[at(v)]), [&](int u) { return evidence(v, u); });
        }
    }

    void search_separator(Pair& pair, std::size_t level, TestBench::Worker& worker) {
        std::vector<int> first = neighbours_[at(pair.x)], second = neighbours_[at(pair.y)];
        std::erase(first, pair.y);
        std::erase(second, pair.x);
        pair.reliable = false;
        auto separates = [&](std::span<const int> set) {
            Decision decision = worker.of(pair.x, pair.y, set);
            pair.reliable = pair.reliable || decision.reliable;
            if (!decision.independent) return false;
            std::vector<int> separator(set.begin(), set.end());
            std::sort(separator.begin(), separator.end());
            std::lock_guard<std::mutex> guard(lock_);
            separated_.push_back({pair.x, pair.y, std::move(separator)});
            return pair.separated = true;
        };
        if (any_subset(first, level, separates)) return;
        std::vector<int> sorted = first;
        std::sort(sorted.begin(), sorted.end());
        auto is_tried = [&](std::span<const int> set) {
            return std::all_of(set.begin(), set.end(),
                               [&](int v) { return std::binary_search(sorted.begin(), sorted.end(), v); });
        };
        any_subset(second, level, [&](std::span<const int> set) {
            if (!is_tried(set)) return separates(set);
            worker.count_repeat();
            return false;
        });
    }

    TestBench& tests_;
    const Constraints& constraints_;
    std::size_t largest_;
    int n_;
    Skeleton skeleton_;
    std::vector<std::vector<Dependence>> dependences_;  // of each variable, ascending
    std::vector<Separated> separated_;                  // at this level
    std::mutex lock_;                                   // of the list of these
    std::vector<std::vector<int>> neighbours_;
};

}  // namespace

std::vector<int> Skeleton::neighbours(int x) const {
    std::vector<int> found;
    for (int y = 0; y < variables(); ++y) {
        if (joined(x, y)) found.push_back(y);
    }
    return found;
}

Skeleton::Separation Skeleton::separation(int x, int y) const {
    if (!separated_.has(std::min(x, y), std::max(x, y))) return {};
    auto found = sets_.find(place(x, y));
    return {true, found == sets_.end() ? std::span<const int>{} : found->second};
}

void Skeleton::separate(int x, int y, std::vector<int> set) {
    separated_.set(std::min(x, y), std::max(x, y));
    if (!set.empty()) sets_[place(x, y)] = std::move(set);
}

Skeleton pc_stable(TestBench& tests, const Constraints& constraints, std::size_t largest) {
    return PcStable(tests, constraints, largest).search();
}

}  // namespace veridag
