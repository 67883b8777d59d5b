#include "allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

constexpr std::int64_t never = INT64_MAX;
std::atomic<std::int64_t> count{0}, failing{never};

}  // namespace

namespace allocations {

std::int64_t made() { return count; }

void fail_after(std::int64_t others) { failing = count + others; }

bool have_failed() { return failing.exchange(never) < count; }

}  // namespace allocations

// The other forms of the standard library call these.
void* operator new(std::size_t size) {
    if (count++ == failing) throw std::bad_alloc();
    if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
    throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
