// core_tests           runs all tests
// core_tests TEXT ...  runs those whose names contain one of the texts
// core_tests --list    lists their names
#include <algorithm>
#include <exception>
#include <span>
#include <string_view>

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

}  // namespace

int main(int count, char** words) {
    std::span<const char* const> texts(words + 1, static_cast<std::size_t>(count - 1));
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
