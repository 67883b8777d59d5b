// core_tests                    runs all tests
// core_tests TEXT ...           runs those whose names contain one of the texts
// core_tests --list             lists their names
// core_tests --out-of-memory N  runs each test again and again, and has another allocation fail each time, up to 100 N
#include <algorithm>
#include <charconv>
#include <exception>
#include <new>
#include <span>
#include <string_view>

#include "allocations.hpp"
#include "check.hpp"

namespace {

bool is_wanted(std::string_view name, std::span<const char* const> texts) {
    return texts.empty() ||
           std::any_of(texts.begin(), texts.end(), [&](const char* text) { return name.find(text) != name.npos; });
}

// Whether all its checks held and nothing was thrown.
bool passes(const check::Test& test) {
    int before = check::failures();
    try {
        test.second();
    } catch (const std::exception& error) {
        std::printf("%s: an exception: %s\n", test.first, error.what());
        return false;
    }
    return check::failures() == before;
}

struct Faults {
    std::int64_t made = 0;
    int tests_to_the_end = 0, tests = 0, failed = 0;
};

// Has one allocation of a test fail after another: each of the first `all`, then fewer and fewer. Its checks must hold
// as far as it comes: a result is right, or there is none.
void run_out_of_memory(const check::Test& test, std::int64_t all, Faults& faults) {
    int before = check::failures();
    bool reached = true;
    for (std::int64_t k = 0; reached && k < 100 * all; k += k < all ? 1 : k / 4) {
        allocations::fail_after(k);
        try {
            test.second();
        } catch (const std::bad_alloc&) {}
        reached = allocations::have_failed();
        faults.made += reached;
    }
    bool good = check::failures() == before;
    if (!good) std::printf("FAILED %s without memory\n", test.first);
    faults.tests_to_the_end += !reached, ++faults.tests, faults.failed += !good;
}

int run_out_of_memory(std::string_view number, std::span<const char* const> texts) {
    std::int64_t all = 0;
    std::from_chars(number.data(), number.data() + number.size(), all);
    Faults faults;
    for (const check::Test& test : check::tests()) {
        if (is_wanted(test.first, texts)) run_out_of_memory(test, all, faults);
    }
    std::printf("%lld allocations failed in %d tests, %d of them up to their end; %d failed\n",
                static_cast<long long>(faults.made), faults.tests, faults.tests_to_the_end, faults.failed);
    return faults.failed > 0 || faults.made == 0;
}

}  // namespace

int main(int count, char** words) {
    std::span<const char* const> texts(words + 1, static_cast<std::size_t>(count - 1));
    if (texts.size() > 1 && std::string_view(texts[0]) == "--out-of-memory")
        return run_out_of_memory(texts[1], texts.subspan(2));
    bool only_list = !texts.empty() && std::string_view(texts[0]) == "--list";
    int passed = 0, failed = 0;
    for (const check::Test& test : check::tests()) {
        if (only_list) {
            std::printf("%s\n", test.first);
        } else if (is_wanted(test.first, texts)) {
            bool good = passes(test);
            ++(good ? passed : failed);
            if (!good) std::printf("FAILED %s\n", test.first);
        }
    }
    if (only_list) return 0;
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
