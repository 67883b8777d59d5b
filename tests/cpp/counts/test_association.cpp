#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "counts/association.hpp"

using veridag::strongest_associations;
using veridag::Table;

namespace {

struct Sample {
    std::vector<int> arities;
    std::vector<std::vector<std::uint8_t>> columns;

    Sample(std::vector<int> r, std::size_t rows, unsigned seed) : arities(std::move(r)), columns(arities.size()) {
        std::mt19937 random(seed);
        for (std::size_t i = 0; i < rows; ++i) {
            unsigned hidden = random();
            for (std::size_t v = 0; v < arities.size(); ++v)
                columns[v].push_back(
                    static_cast<std::uint8_t>((random() % 3 ? hidden : random()) % unsigned(arities[v])));
        }
    }

    Table table() const {
        std::vector<veridag::StateArray> pointers;
        for (const auto& column : columns) pointers.emplace_back(column.data());
        return Table(std::move(pointers), arities, columns[0].size(), nullptr);
    }

    double information(std::size_t u, std::size_t v) const {
        double n = static_cast<double>(columns[0].size()), sum = 0.0;
        for (int a = 0; a < arities[u]; ++a) {
            for (int b = 0; b < arities[v]; ++b) {
                double both = 0.0, first = 0.0, second = 0.0;
                for (std::size_t i = 0; i < columns[0].size(); ++i) {
                    both += columns[u][i] == a && columns[v][i] == b;
                    first += columns[u][i] == a;
                    second += columns[v][i] == b;
                }
                if (both > 0.0) sum += both * std::log(both * n / (first * second));
            }
        }
        return sum;
    }
};

}  // namespace

TEST(strongest_associations_are_mutual_informations_in_a_fixed_unit) {
    Sample sample({2, 3, 4, 20, 2}, 300, 1);  // 20 states are more than bit rows are made for
    std::vector<std::int64_t> found = strongest_associations(sample.table(), 2, 1);
    double unit = 0.0;
    for (std::size_t v = 0; v < 5; ++v) {
        std::vector<double> all;
        for (std::size_t u = 0; u < 5; ++u) {
            if (u != v) all.push_back(sample.information(u, v));
        }
        std::sort(all.begin(), all.end(), std::greater<>{});
        for (std::size_t k = 0; k < 2; ++k) {
            if (unit == 0.0) unit = static_cast<double>(found[0]) / all[0];
            CHECK_NEAR(static_cast<double>(found[2 * v + k]) / unit, all[k], 1e-9);
        }
    }
}

TEST(strongest_associations_do_not_depend_on_threads_rows_or_states) {
    Sample sample({2, 3, 4, 20, 2, 5, 3}, 257, 2), other = sample;
    for (std::size_t v = 0; v < other.columns.size(); ++v) {
        std::reverse(other.columns[v].begin(), other.columns[v].end());
        for (auto& state : other.columns[v]) state = static_cast<std::uint8_t>(other.arities[v] - 1 - state);
    }
    std::vector<std::int64_t> found = strongest_associations(sample.table(), 3, 1);
    CHECK(found == strongest_associations(other.table(), 3, 1));
    CHECK(found == strongest_associations(sample.table(), 3, 4));
}

TEST(strongest_associations_of_fewer_variables_end_with_the_smallest_number) {
    Sample sample({2, 2}, 50, 3);
    std::vector<std::int64_t> found = strongest_associations(sample.table(), 3, 1);
    CHECK_EQUAL(found[0], found[3]);
    CHECK_EQUAL(found[1], std::numeric_limits<std::int64_t>::min());
}
