#include "check.hpp"

int main() {
    int failed = 0;
    for (const auto& [name, body] : check::tests()) {
        int before = check::failures();
        body();
        if (check::failures() > before) {
            ++failed;
            std::printf("FAILED %s\n", name);
        }
    }
    std::printf("%zu passed, %d failed\n", check::tests().size() - static_cast<std::size_t>(failed), failed);
    return failed > 0;
}
