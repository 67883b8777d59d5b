// Memory that runs out on request: the tests are linked with an operator new that can be told to fail once.
#pragma once

#include <cstdint>

namespace allocations {

// Those made so far, by all threads.
std::int64_t made();

// Makes the allocation after so many others throw std::bad_alloc, and none after it.
void fail_after(std::int64_t others);

// Whether the one that was to fail has been reached; none fails from now on.
bool have_failed();

}  // namespace allocations
