#include "search/constraint/test_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "parallel.hpp"
#include "scores/ties.hpp"

namespace veridag {

TestBench::TestBench(int variables, TestFactory make, int threads, bool cached, Progress& progress)
    : variables_(variables),
      make_(std::move(make)),
      threads_(threads),
      cached_(cached),
      progress_(progress),
      keys_(variables) {}

Decision TestBench::Worker::of(int x, int y, std::span<const int> given) {
    if (++calls_ >= 64) hand_in_counts();
    if (calls_back_) tests_.poll();
    if (tests_.stopped()) throw Stopped{};
    if (x > y) std::swap(x, y);
    given_.assign(given.begin(), given.end());
    std::sort(given_.begin(), given_.end());
    if (!tests_.cached_) return make(x, y);
    Key key = tests_.keys_.subject(x) + tests_.keys_.subject(y) + tests_.keys_.conditions(given_);
    Decision decision;
    if (tests_.cache_.find(key, decision)) return decision;
    decision = make(x, y);
    tests_.cache_.keep(key, decision);
    return decision;
}

Decision TestBench::Worker::make(int x, int y) {
    constexpr Decision nothing{0.0, false, false};
    if (given_.size() <= most_unreliable) return test_->of(x, y, given_);
    if (!test_->may_be_reliable(x, y, given_)) return nothing;
    Decision decision = test_->of(x, y, given_);
    return decision.reliable ? decision : nothing;
}

bool TestBench::run(std::size_t tasks, const std::function<void(std::size_t task, Worker& worker)>& work) {
    while (workers_.size() < workers_for(tasks, threads_))
        workers_.push_back(std::make_unique<Worker>(*this, make_(), workers_.empty()));
    // Short tasks are taken several at a time, so that threads do not wait for the counter.
    std::size_t portion = std::clamp<std::size_t>(tasks / (64 * workers_for(tasks, threads_)), 1, 16);
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex lock;
    std::condition_variable finished;
    std::size_t active = workers_for(tasks, threads_) - 1;
    auto go = [&](Worker& worker) {
        try {
            for (std::size_t start; (start = next.fetch_add(portion)) < tasks;) {
                for (std::size_t task = start; task < std::min(tasks, start + portion) && !stopped(); ++task)
                    work(task, worker);
            }
        } catch (const Stopped&) {
            progress_.request_stop();
        } catch (...) {
            std::lock_guard<std::mutex> guard(lock);
            if (!failure) failure = std::current_exception();
            next.store(tasks);
        }
        worker.hand_in_counts();
    };
    Team team;
    for (std::size_t k = 1; k < workers_for(tasks, threads_); ++k) {
        team.start([&, k] {
            go(*workers_[k]);
            std::lock_guard<std::mutex> guard(lock);
            if (--active == 0) finished.notify_all();
        });
    }
    go(*workers_[0]);
    std::unique_lock<std::mutex> waiting(lock);
    while (!finished.wait_for(waiting, std::chrono::milliseconds(20), [&] { return active == 0; })) {
        waiting.unlock();
        poll();  // the others may have long to go
        waiting.lock();
    }
    waiting.unlock();
    team.join();
    if (failure) std::rethrow_exception(failure);
    return !stopped();
}

bool is_more(double evidence, double other) {
    if (std::isinf(evidence) || std::isinf(other)) return evidence > other;
    return evidence - other > tie * std::max({1.0, std::fabs(evidence), std::fabs(other)});
}

std::vector<std::size_t> most_evidence_first(std::span<const double> evidence) {
    std::vector<std::size_t> order(evidence.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return evidence[a] > evidence[b]; });
    for (std::size_t start = 0, end = 0; start < order.size(); start = end) {
        for (end = start + 1; end < order.size() && !is_more(evidence[order[end - 1]], evidence[order[end]]);) ++end;
        std::sort(order.begin() + static_cast<std::ptrdiff_t>(start), order.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return order;
}

bool find_separator(TestBench::Worker& tests, int x, int y, std::span<const int> from, std::size_t largest,
                    std::vector<int>& separator) {
    for (std::size_t size = 0; size <= std::min(largest, from.size()); ++size) {
        bool reliable = size < most_unreliable;
        auto separates = [&](std::span<const int> set) {
            Decision decision = tests.of(x, y, set);
            reliable = reliable || decision.reliable;
            if (!decision.independent) return false;
            separator.assign(set.begin(), set.end());
            return true;
        };
        if (any_subset(from, size, separates)) return true;
        if (!reliable) return false;
    }
    return false;
}

}  // namespace veridag
