#include "search/constraint/orient.hpp"

#include <algorithm>

#include "graph/equivalence.hpp"
#include "index.hpp"

namespace veridag {
namespace {

struct Collider {
    int x, z, y;
    double evidence = 0.0;
    bool contested = false;
};

class Orienter {
   public:
    Orienter(TestBench& tests, const Constraints& constraints, Skeleton& skeleton, std::size_t largest)
        : tests_(tests),
          constraints_(constraints),
          skeleton_(skeleton),
          largest_(largest),
          n_(constraints.variables()),
          result_{directed_by_constraints(constraints, skeleton), {}, {}} {
        for (int v = 0; v < n_; ++v) neighbours_.push_back(skeleton.neighbours(v));
    }

    Orientation orient() {
        separate_unknown();
        if (tests_.stopped()) return {directed_by_constraints(constraints_, skeleton_), {}, {}};
        find_colliders();
        mark_contested();
        if (!weigh()) return {directed_by_constraints(constraints_, skeleton_), {}, {}};
        for (const Collider& c : colliders_) {
            if (allows(c)) {
                direct(c.x, c.z);
                direct(c.y, c.z);
                result_.colliders.push_back({c.x, c.z, c.y});
            } else {
                result_.overruled.push_back({c.x, c.z, c.y});
            }
        }
        std::sort(result_.overruled.begin(), result_.overruled.end());
        result_.pdag = meek(result_.pdag);
        return std::move(result_);
    }

   private:
    bool is_arc(int i, int j) const { return result_.pdag.has_arc(i, j); }
    void direct(int i, int j) { result_.pdag.clear(j, i); }

    const std::vector<int>& neighbours(int v) const { return neighbours_[at(v)]; }

    // Calls visit(x, z, y) for all x - z - y with x < y not joined.
    template <class Visit>
    void each_unshielded(Visit visit) const {
        for (int z = 0; z < n_; ++z) {
            const std::vector<int>& near = neighbours(z);
            for (std::size_t i = 0; i < near.size(); ++i) {
                for (std::size_t k = i + 1; k < near.size(); ++k) {
                    if (!skeleton_.joined(near[i], near[k])) visit(near[i], z, near[k]);
                }
            }
        }
    }

    // Pairs kept apart by what is known, or by a whole blanket, have no separating set yet.
    void separate_unknown() {
        std::vector<std::pair<int, int>> pairs;
        each_unshielded([&](int x, int, int y) {
            if (!skeleton_.separation(x, y).known) pairs.emplace_back(x, y);
        });
        std::sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        std::vector<std::vector<int>> separators(pairs.size());
        std::vector<char> found(pairs.size(), 0);
        tests_.run(pairs.size(), [&](std::size_t i, TestBench::Worker& worker) {
            auto [x, y] = pairs[i];
            found[i] = find_separator(worker, x, y, neighbours(x), largest_, separators[i]) ||
                       find_separator(worker, x, y, neighbours(y), largest_, separators[i]);
        });
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (found[i]) skeleton_.separate(pairs[i].first, pairs[i].second, std::move(separators[i]));
        }
    }

    void find_colliders() {
        each_unshielded([&](int x, int z, int y) {
            Skeleton::Separation separation = skeleton_.separation(x, y);
            if (!separation.known || std::find(separation.set.begin(), separation.set.end(), z) != separation.set.end())
                return;
            if (is_arc(z, x) || is_arc(z, y)) {
                result_.overruled.push_back({x, z, y});  // what is known says otherwise
            } else {
                colliders_.push_back({x, z, y});
            }
        });
    }

    void mark_contested() {
        Matrix wanted(n_);
        for (const Collider& c : colliders_) {
            wanted.set(c.x, c.z);
            wanted.set(c.y, c.z);
        }
        std::vector<int> parents(at(n_), 0);
        for (int v = 0; v < n_; ++v) {
            for (int u : neighbours(v)) parents[at(v)] += wanted.has(u, v) || is_arc(u, v);
        }
        for (Collider& c : colliders_) {
            bool too_many = parents[at(c.z)] > constraints_.limit(c.z);
            c.contested = too_many || wanted.has(c.z, c.x) || wanted.has(c.z, c.y);
        }
    }

    // Puts the contested ones last, the one with the most evidence first among them. False if the search was stopped.
    bool weigh() {
        std::stable_partition(colliders_.begin(), colliders_.end(), [](const Collider& c) { return !c.contested; });
        auto first = std::find_if(colliders_.begin(), colliders_.end(), [](const Collider& c) { return c.contested; });
        std::span<Collider> contested(first, colliders_.end());
        bool finished = tests_.run(contested.size(), [&](std::size_t i, TestBench::Worker& worker) {
            Collider& c = contested[i];
            std::span<const int> separator = skeleton_.separation(c.x, c.y).set;
            std::vector<int> given(separator.begin(), separator.end());
            given.push_back(c.z);
            c.evidence = worker.of(c.x, c.y, given).evidence;
        });
        sort_by_evidence(contested, [](const Collider& c) { return c.evidence; });
        return finished && !tests_.stopped();
    }

    bool allows(const Collider& c) const {
        if (is_arc(c.z, c.x) || is_arc(c.z, c.y)) return false;
        int parents = 0;
        for (int u : neighbours(c.z)) parents += u == c.x || u == c.y || is_arc(u, c.z);
        return parents <= constraints_.limit(c.z);
    }

    TestBench& tests_;
    const Constraints& constraints_;
    Skeleton& skeleton_;
    std::size_t largest_;
    int n_;
    Orientation result_;
    std::vector<std::vector<int>> neighbours_;
    std::vector<Collider> colliders_;
};

}  // namespace

Orientation orient(TestBench& tests, const Constraints& constraints, Skeleton& skeleton, std::size_t largest) {
    if (tests.stopped()) return {directed_by_constraints(constraints, skeleton), {}, {}};
    return Orienter(tests, constraints, skeleton, largest).orient();
}

Matrix directed_by_constraints(const Constraints& constraints, const Skeleton& skeleton) {
    Matrix pdag = skeleton.matrix();
    for (int x = 0; x < constraints.variables(); ++x) {
        for (int y = 0; y < constraints.variables(); ++y) {
            if (skeleton.joined(x, y) && (constraints.is_required(x, y) || constraints.is_forbidden(y, x)))
                pdag.clear(y, x);
        }
    }
    return pdag;
}

}  // namespace veridag
