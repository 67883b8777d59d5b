#include "independence/contingency.hpp"

#include <algorithm>
#include <limits>

namespace veridag {
namespace {

double square_over(Count n, Count rows, Count columns) {
    auto x = static_cast<double>(n);
    return x * x / (static_cast<double>(rows) * static_cast<double>(columns));
}

// The number of each row's group and the size of each group, without hidden rows.
struct Groups {
    std::vector<std::uint64_t> of_row;
    std::vector<Count> size;
};

Groups group(RowKeys& keys, const Table& table, const std::vector<char>& hidden) {
    Groups groups;
    groups.size.assign(keys.number(), 0);
    groups.of_row = keys.keys();
    for (std::size_t i = 0; i < groups.of_row.size(); ++i) {
        if (hidden.empty() || !hidden[i]) groups.size[groups.of_row[i]] += table.weights() ? table.weights()[i] : 1;
    }
    return groups;
}

bool is_first(char& seen) {
    bool first = !seen;
    seen = 1;
    return first;
}

}  // namespace

ContingencyStatistics Contingency::of(int x, int y, std::span<const int> given) {
    const Table& table = counter_.table();
    ContingencyStatistics sums;
    for (int z : given) sums.strata *= table.observed_arity(z);
    if (table.observed_arity(x) < table.observed_arity(y))
        std::swap(x, y);  // the statistics are symmetric; fewest states last count fastest
    std::size_t R = at(table.observed_arity(x)), C = at(table.observed_arity(y));
    if (counter_.is_sparse(sums.strata * static_cast<double>(R * C))) {
        add_sparse(x, y, given, sums);
    } else {
        variables_.assign(given.begin(), given.end());
        std::stable_sort(variables_.begin(), variables_.end(),
                         [&](int a, int b) { return table.observed_arity(a) > table.observed_arity(b); });
        variables_.insert(variables_.end(), {x, y});
        auto counts = counter_.dense(variables_, std::numeric_limits<std::size_t>::max());
        sums.n = counter_.counted();
        for (std::size_t start = 0; start < counts.size(); start += R * C)
            add_stratum(counts.data() + start, R, C, sums);
    }
    sums.g2 = std::max(0.0, 2.0 * sums.g2);
    sums.x2 = std::max(0.0, sums.x2);
    return sums;
}

// G2 is twice the sum of n log(n n_k / (n_ik n_jk)); X2 is the sum of n^2 n_k / (n_ik n_jk), less the number of
// observations.
void Contingency::add_stratum(const Count* counts, std::size_t R, std::size_t C, ContingencyStatistics& sums) {
    row_sums_.assign(R, 0);
    column_sums_.assign(C, 0);
    Count total = 0;
    for (std::size_t i = 0; i < R; ++i) {
        for (std::size_t j = 0; j < C; ++j) {
            row_sums_[i] += counts[i * C + j];
            column_sums_[j] += counts[i * C + j];
        }
        total += row_sums_[i];
    }
    if (total == 0) return;
    double g2 = functions_.x_log_x(total), x2 = 0.0;
    int rows = 0, columns = 0;
    for (std::size_t i = 0; i < R; ++i) {
        g2 -= functions_.x_log_x(row_sums_[i]);
        rows += row_sums_[i] > 0;
        for (std::size_t j = 0; j < C; ++j) {
            Count n = counts[i * C + j];
            if (n == 0) continue;
            g2 += functions_.x_log_x(n);
            x2 += square_over(n, row_sums_[i], column_sums_[j]);
        }
    }
    for (Count n : column_sums_) {
        g2 -= functions_.x_log_x(n);
        columns += n > 0;
    }
    sums.g2 += g2;
    sums.x2 += static_cast<double>(total) * (x2 - 1.0);
    sums.adjusted_df += static_cast<double>(rows - 1) * (columns - 1);
}

void Contingency::add_sparse(int x, int y, std::span<const int> given, ContingencyStatistics& sums) {
    const Table& table = counter_.table();
    variables_.assign(given.begin(), given.end());
    variables_.insert(variables_.end(), {x, y});
    mark_gaps(table, variables_, hidden_);
    auto grouped_by = [&](bool with_x, bool with_y) {
        keys_.start(table.rows());
        for (int z : given) keys_.add(table, z);
        if (with_x) keys_.add(table, x);
        if (with_y) keys_.add(table, y);
        return group(keys_, table, hidden_);
    };
    Groups z = grouped_by(false, false), xz = grouped_by(true, false), yz = grouped_by(false, true),
           xyz = grouped_by(true, true);
    for (Count n : z.size) {
        sums.g2 += functions_.x_log_x(n);
        sums.n += n;
    }
    for (Count n : xz.size) sums.g2 -= functions_.x_log_x(n);
    for (Count n : yz.size) sums.g2 -= functions_.x_log_x(n);
    for (Count n : xyz.size) sums.g2 += functions_.x_log_x(n);
    std::vector<double> rows(z.size.size(), 0.0), columns(z.size.size(), 0.0);
    std::vector<char> seen_xz(xz.size.size(), 0), seen_yz(yz.size.size(), 0), seen_xyz(xyz.size.size(), 0);
    for (std::size_t i = 0; i < table.rows(); ++i) {
        std::uint64_t k = z.of_row[i], a = xz.of_row[i], b = yz.of_row[i], c = xyz.of_row[i];
        if (xyz.size[c] == 0) continue;  // hidden, or of weight zero
        if (is_first(seen_xz[a])) rows[k] += 1.0;
        if (is_first(seen_yz[b])) columns[k] += 1.0;
        if (is_first(seen_xyz[c]))
            sums.x2 += static_cast<double>(z.size[k]) * square_over(xyz.size[c], xz.size[a], yz.size[b]);
    }
    sums.x2 -= static_cast<double>(sums.n);
    for (std::size_t k = 0; k < z.size.size(); ++k) {
        if (z.size[k] > 0) sums.adjusted_df += (rows[k] - 1.0) * (columns[k] - 1.0);
    }
}

}  // namespace veridag
