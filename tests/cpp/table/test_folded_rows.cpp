#include <map>
#include <random>
#include <vector>

#include "check.hpp"
#include "table/folded_rows.hpp"

TEST(rows_that_repeat_are_kept_once_in_the_order_in_which_they_came) {
    std::mt19937 random(1);
    veridag::FoldedRows folded(3);
    std::map<std::vector<std::uint16_t>, std::int64_t> weights;
    std::vector<std::vector<std::uint16_t>> order;
    for (int i = 0; i < 5000; ++i) {
        std::vector<std::uint16_t> row(3);
        for (std::uint16_t& state : row) state = static_cast<std::uint16_t>(random() % 7 * 9000);
        auto weight = static_cast<std::int64_t>(random() % 4);
        if (!weights.contains(row)) order.push_back(row);
        weights[row] += weight;
        folded.add(row, weight);
    }
    CHECK_EQUAL(folded.rows(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t v = 0; v < 3; ++v) CHECK_EQUAL(folded.state(i, v), order[i][v]);
        CHECK_EQUAL(folded.weights()[i], weights[order[i]]);
    }
    std::vector<std::uint16_t> short_row{1, 2};
    CHECK_THROWS(folded.add(short_row, 1), std::invalid_argument);
}
