#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

namespace veridag {

std::size_t workers_for(std::size_t tasks, int threads) {
    return std::max<std::size_t>(1, std::min(tasks, static_cast<std::size_t>(std::max(threads, 1))));
}

void parallel_for(std::size_t tasks, int threads,
                  const std::function<void(std::size_t task, std::size_t worker)>& work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_lock;
    auto run = [&](std::size_t worker) {
        try {
            for (std::size_t task; (task = next.fetch_add(1)) < tasks;) work(task, worker);
        } catch (...) {
            std::lock_guard<std::mutex> guard(failure_lock);
            if (!failure) failure = std::current_exception();
            next.store(tasks);
        }
    };
    Team team;
    for (std::size_t worker = 1; worker < workers_for(tasks, threads); ++worker) team.start(run, worker);
    run(0);
    team.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace veridag
