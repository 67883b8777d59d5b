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

// All forms but those for wider alignment: the address sanitizer brings its own of whatever is left out.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return count++ == failing ? nullptr : std::malloc(size > 0 ? size : 1);
}

void* operator new(std::size_t size) {
    if (void* memory = operator new(size, std::nothrow)) return memory;
    throw std::bad_alloc();
}

void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return operator new(size, std::nothrow); }

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
