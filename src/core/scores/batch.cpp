#include "scores/batch.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "parallel.hpp"

namespace veridag {
namespace {

// Families that a worker takes at a time: enough that taking them costs nothing, few enough to share evenly.
constexpr std::size_t families_a_task = 16;

// Candidates times rows that are worth a thread: to start one for less takes longer than to count them.
constexpr std::size_t work_of_a_task = std::size_t{1} << 22;

}  // namespace

void check(const Families& f, int variables) {
    auto fail = [](const char* what) { throw std::invalid_argument(what); };
    if (f.offsets.size() != f.size() + 1 || f.offsets[0] != 0)
        fail("there must be one offset more than children, the first 0");
    if (f.offsets.back() != static_cast<std::int64_t>(f.parents.size()))
        fail("the last offset must be the number of parents");
    for (std::size_t i = 0; i < f.size(); ++i) {
        if (f.offsets[i] > f.offsets[i + 1]) fail("offsets must not fall");
    }
    for (std::size_t i = 0; i < f.size(); ++i) {
        if (f.children[i] < 0 || f.children[i] >= variables) fail("a child is no variable");
        auto parents = f.parents_of(i);
        for (std::size_t k = 0; k < parents.size(); ++k) {
            if (parents[k] < 0 || parents[k] >= variables) fail("a parent is no variable");
            if (parents[k] == f.children[i]) fail("a variable is its own parent");
            if (std::find(parents.begin(), parents.begin() + static_cast<std::ptrdiff_t>(k), parents[k]) !=
                parents.begin() + static_cast<std::ptrdiff_t>(k))
                fail("a parent is there twice");
        }
    }
}

void BatchScorer::local(const Families& families, double* out, int threads) {
    check(families, variables_);
    std::lock_guard<std::mutex> guard(one_call_at_a_time_);
    std::size_t tasks = (families.size() + families_a_task - 1) / families_a_task;
    have_workers(workers_for(tasks, threads));
    parallel_for(tasks, threads, [&](std::size_t task, std::size_t worker) {
        std::size_t stop = std::min(families.size(), (task + 1) * families_a_task);
        for (std::size_t i = task * families_a_task; i < stop; ++i) {
            out[i] = workers_[worker]->local(families.children[i], families.parents_of(i));
        }
    });
}

void BatchScorer::extended(std::span<const Extensions> children, int threads) {
    std::lock_guard<std::mutex> guard(one_call_at_a_time_);
    std::size_t longest = 0, all = 0;
    for (const Extensions& e : children) {
        longest = std::max(longest, e.candidates.size());
        all += e.candidates.size();
    }
    if (all == 0) return;
    have_workers(1);
    // Two tasks a thread, for they differ in work. Of many children the same candidates come one after the other, so
    // that their data is read once.
    std::size_t fewest = workers_[0]->candidates_a_task();
    std::size_t share = all / (2 * static_cast<std::size_t>(std::max(threads, 1))) + 1;
    std::size_t most = std::max(fewest, children.size() > 1 ? std::min(share, LocalScorer::most_a_task) : share);
    std::vector<Extensions> tasks;
    for (std::size_t start = 0; start < longest; start += most) {
        for (const Extensions& e : children) {
            if (start >= e.candidates.size()) continue;
            std::size_t count = std::min(most, e.candidates.size() - start);
            tasks.push_back({e.child, e.parents, e.candidates.subspan(start, count), e.out + start});
        }
    }
    have_workers(workers_for(tasks.size(), threads));
    parallel_for(tasks.size(), threads, [&](std::size_t task, std::size_t worker) {
        const Extensions& e = tasks[task];
        workers_[worker]->extended(e.child, e.parents, e.candidates, e.out);
    });
    for (const Extensions& e : children) {
        if (std::any_of(e.out, e.out + e.candidates.size(), [](double x) { return std::isnan(x); })) throw NotANumber();
    }
}

void BatchScorer::have_workers(std::size_t number) {
    while (workers_.size() < number) workers_.push_back(make_());
}

void LocalScorer::extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out) {
    for (std::size_t i = 0; i < candidates.size(); ++i) out[i] = with(child, parents, candidates[i]);
}

double LocalScorer::with(int child, std::span<const int> parents, int candidate) {
    family_.assign(parents.begin(), parents.end());
    family_.insert(std::lower_bound(family_.begin(), family_.end(), candidate), candidate);
    return local(child, family_);
}

void DiscreteLocalScorer::extended(int child, std::span<const int> parents, std::span<const int> candidates,
                                   double* out) {
    auto score = [&](Tile& tile) {
        (*functions_).forget_if_large();
        score_.sweep(tile, *functions_, out);
    };
    if (!sweep_.run(child, parents, candidates, score)) return LocalScorer::extended(child, parents, candidates, out);
    for (std::size_t i : sweep_.left_out()) out[i] = with(child, parents, candidates[i]);
}

std::size_t DiscreteLocalScorer::candidates_a_task() const {
    return std::clamp(work_of_a_task / std::max(counter_.table().rows(), std::size_t{1}), std::size_t{1}, most_a_task);
}

}  // namespace veridag
