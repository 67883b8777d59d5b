// core_tests                    runs all tests
// core_tests TEXT ...           runs those whose names contain one of the texts
// core_tests --list             lists their names
// core_tests --out-of-memory N  runs each test again and again, and has another of its allocations fail each time
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

// Whether its checks hold as far as it comes with one allocation that fails: a result is right, or there is none.
bool survives(const check::Test& test, std::int64_t allocation) {
    int before = check::failures();
    allocations::fail_after(allocation);
    try {
        test.second();
    } catch (const std::bad_alloc&) {
    }
    allocations::have_failed();
    return check::failures() == before;
}

struct Faults {
    std::int64_t made = 0, tests_with_all = 0, tests = 0, failed = 0;
};

// Every allocation of a test fails in turn, or as many of them, at equal distances, as `most` allocations in all allow.
void run_out_of_memory(const check::Test& test, std::int64_t most, Faults& faults) {
    std::int64_t before = allocations::made();
    test.second();
    std::int64_t all = allocations::made() - before;
    std::int64_t tried = std::clamp<std::int64_t>(2 * most / std::max<std::int64_t>(all, 1), 2, all);
    bool good = true;
    for (std::int64_t k = 0; k < tried; ++k) good = survives(test, k * all / tried) && good;
    good = passes(test) && good;  // nothing that it leaves behind is broken
    faults.made += tried, faults.tests_with_all += tried == all, ++faults.tests, faults.failed += !good;
    if (!good) std::printf("FAILED %s without memory\n", test.first);
}

int run_out_of_memory(std::string_view number, std::span<const char* const> texts) {
    std::int64_t most = 0;
    std::from_chars(number.data(), number.data() + number.size(), most);
    Faults faults;
    for (const check::Test& test : check::tests()) {
        if (is_wanted(test.first, texts)) run_out_of_memory(test, most, faults);
    }
    std::printf("%lld allocations failed in %lld tests (all of them in %lld), %lld tests failed\n",
                static_cast<long long>(faults.made), static_cast<long long>(faults.tests),
                static_cast<long long>(faults.tests_with_all), static_cast<long long>(faults.failed));
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
