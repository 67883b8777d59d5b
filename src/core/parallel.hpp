// Work shared between threads: tasks are numbered, and whoever is free takes the next.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace veridag {

// Threads that are joined at the end of the scope at the latest. The standard's jthread does the same, but older
// libraries of Apple have none.
class Team {
   public:
    Team() = default;
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team() { join(); }

    template <class... Work>
    void start(Work&&... work) {
        threads_.emplace_back(std::forward<Work>(work)...);
    }
    void join() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

   private:
    std::vector<std::thread> threads_;
};

// How many threads parallel_for will use: never more than there are tasks.
std::size_t workers_for(std::size_t tasks, int threads);

// Calls work(task, worker) for every task in [0, tasks), with worker in [0, workers_for(tasks, threads)); two calls
// with the same worker never overlap. The first exception stops the rest and is thrown again here.
void parallel_for(std::size_t tasks, int threads,
                  const std::function<void(std::size_t task, std::size_t worker)>& work);

}  // namespace veridag
