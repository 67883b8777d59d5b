#include <algorithm>

#include "index.hpp"
#include "search/constraint/skeleton.hpp"

namespace veridag {
namespace {

struct Pair {
    int x, y;
    bool separated = false;
    bool reliable = true;  // some test of this level
    double evidence = 0.0;
    std::vector<int> separator{};
};

class PcStable {
   public:
    PcStable(TestBench& tests, const Constraints& constraints, std::size_t largest)
        : tests_(tests), constraints_(constraints), largest_(largest), n_(constraints.variables()), skeleton_(n_) {}

    Skeleton search() {
        std::vector<Pair> pairs;
        for (int x = 0; x < n_; ++x) {
            for (int y = x + 1; y < n_; ++y) {
                if (constraints_.may_not_join(x, y)) continue;
                skeleton_.join(x, y);
                if (!constraints_.must_join(x, y)) pairs.push_back({x, y});
            }
        }
        evidence_.assign(at(n_) * at(n_), 0.0);
        for (std::size_t level = 0; level <= largest_ && !pairs.empty(); ++level) {
            sort_neighbours();
            // The pairs that may take longest come first, so that no thread is left with one at the end; what is found
            // does not depend on it.
            auto neighbours = [&](const Pair& pair) {
                return neighbours_[at(pair.x)].size() + neighbours_[at(pair.y)].size();
            };
            std::stable_sort(pairs.begin(), pairs.end(),
                             [&](const Pair& a, const Pair& b) { return neighbours(a) > neighbours(b); });
            bool finished = tests_.run(pairs.size(), [&](std::size_t i, TestBench::Worker& worker) {
                search_separator(pairs[i], level, worker);
            });
            for (Pair& pair : pairs) {
                if (level == 0) evidence_[at(pair.x, pair.y, n_)] = evidence_[at(pair.y, pair.x, n_)] = pair.evidence;
                if (!pair.separated) continue;
                skeleton_.disconnect(pair.x, pair.y);
                skeleton_.separate(pair.x, pair.y, std::move(pair.separator));
            }
            if (!finished) break;
            // A level only takes edges away, so a pair whose neighbours are too few stays so.
            std::vector<std::size_t> others(at(n_));
            for (int v = 0; v < n_; ++v) others[at(v)] = skeleton_.neighbours(v).size() - 1;
            std::erase_if(pairs, [&](const Pair& pair) {
                return pair.separated || (level >= most_unreliable && !pair.reliable) ||
                       std::max(others[at(pair.x)], others[at(pair.y)]) < level + 1;
            });
        }
        return std::move(skeleton_);
    }

   private:
    void sort_neighbours() {
        neighbours_.assign(at(n_), {});
        for (int v = 0; v < n_; ++v) {
            neighbours_[at(v)] = skeleton_.neighbours(v);
            const double* evidence = evidence_.data() + at(v) * at(n_);
            sort_by_evidence(std::span<int>(neighbours_[at(v)]), [&](int u) { return evidence[u]; });
        }
    }

    void search_separator(Pair& pair, std::size_t level, TestBench::Worker& worker) const {
        std::vector<int> first = neighbours_[at(pair.x)], second = neighbours_[at(pair.y)];
        std::erase(first, pair.y);
        std::erase(second, pair.x);
        pair.reliable = false;
        auto separates = [&](std::span<const int> set) {
            Decision decision = worker.of(pair.x, pair.y, set);
            if (level == 0) pair.evidence = decision.evidence;
            pair.reliable = pair.reliable || decision.reliable;
            if (!decision.independent) return false;
            pair.separator.assign(set.begin(), set.end());
            std::sort(pair.separator.begin(), pair.separator.end());
            return pair.separated = true;
        };
        if (any_subset(first, level, separates) || level == 0) return;
        std::vector<int> sorted = first;
        std::sort(sorted.begin(), sorted.end());
        auto is_tried = [&](std::span<const int> set) {
            return std::all_of(set.begin(), set.end(),
                               [&](int v) { return std::binary_search(sorted.begin(), sorted.end(), v); });
        };
        any_subset(second, level, [&](std::span<const int> set) { return !is_tried(set) && separates(set); });
    }

    TestBench& tests_;
    const Constraints& constraints_;
    std::size_t largest_;
    int n_;
    Skeleton skeleton_;
    std::vector<double> evidence_;  // for dependence without any condition
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

Skeleton pc_stable(TestBench& tests, const Constraints& constraints, std::size_t largest) {
    return PcStable(tests, constraints, largest).search();
}

}  // namespace veridag
