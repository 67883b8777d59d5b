#include "exact/clusters.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "exact/support.hpp"
#include "index.hpp"

namespace veridag {
namespace {

// A cluster whose sum has come so far above 1 seldom comes below it again.
constexpr double most_sum = 1.5;

// With fewer clusters than this from growing alone, so many of them are wandered on from.
constexpr std::size_t enough = 20, most_wanderers = 15;

// A cluster that variables join and leave, and that knows its sum.
class Cluster {
   public:
    explicit Cluster(const Support& support)
        : support_(support),
          inside_(at(support.n), 0),
          met_(support.weight.size(), 0),
          met_weight_(at(support.n), 0.0),
          gain_(at(support.n), 0.0) {}

    double sum() const { return sum_; }
    bool contains(int v) const { return inside_[at(v)]; }
    const std::vector<int>& members() const { return members_; }

    // Whether some member has a row that only v would make meet the cluster.
    bool helps(int v) const { return gain_[at(v)] > no_weight; }

    // What taking v in would add to the sum: its rows that do not meet the cluster, less what v makes others meet.
    double change(int v) const { return 1.0 - met_weight_[at(v)] - gain_[at(v)]; }

    // What dropping v would add to the sum: the rows of others that meet the cluster in v alone, less its own that do
    // not meet it.
    double change_without(int v) const {
        double change = met_weight_[at(v)] - 1.0;
        for (std::size_t row : support_.of_parent[at(v)]) {
            if (met_[row] == 1 && contains(support_.child[row])) change += support_.weight[row];
        }
        return change;
    }

    void take(int v) {
        sum_ += change(v);
        inside_[at(v)] = 1;
        members_.push_back(v);
        for (std::size_t row : support_.of_child[at(v)]) {
            if (met_[row] == 0) add_gain(row, 1.0);
        }
        for (std::size_t row : support_.of_parent[at(v)]) {
            if (met_[row]++ > 0) continue;
            met_weight_[at(support_.child[row])] += support_.weight[row];
            if (contains(support_.child[row])) add_gain(row, -1.0);
        }
    }

    void drop(int v) {
        for (std::size_t row : support_.of_parent[at(v)]) {
            if (--met_[row] > 0) continue;
            met_weight_[at(support_.child[row])] -= support_.weight[row];
            if (contains(support_.child[row])) add_gain(row, 1.0);
        }
        for (std::size_t row : support_.of_child[at(v)]) {
            if (met_[row] == 0) add_gain(row, -1.0);
        }
        inside_[at(v)] = 0;
        std::erase(members_, v);
        sum_ -= change(v);
    }

    void clear() {
        while (!members_.empty()) drop(members_.back());
        sum_ = 0.0;
        std::fill(met_weight_.begin(), met_weight_.end(), 0.0);  // rounding does not add up
        std::fill(gain_.begin(), gain_.end(), 0.0);
    }

   private:
    void add_gain(std::size_t row, double sign) {
        for (int u : support_.parents[row]) gain_[at(u)] += sign * support_.weight[row];
    }

    const Support& support_;
    double sum_ = 0.0;
    std::vector<int> members_;
    std::vector<char> inside_;
    std::vector<int> met_;  // how many members are parents in the row
    std::vector<double> met_weight_, gain_;
};

struct Found {
    double sum;
    std::vector<int> members;  // ascending
};

// A smaller cluster that is violated as much cuts off more.
void shrink(Cluster& cluster) {
    std::vector<int> members = cluster.members();
    for (int v : members) {
        if (cluster.members().size() == 2) return;
        double before = cluster.sum();
        cluster.drop(v);
        if (cluster.sum() > before + 1e-9) cluster.take(v);
    }
}

// A copy made small, in the order of names.
Found smallest(const Support& support, const Cluster& cluster) {
    Cluster copy(support);
    for (int v : cluster.members()) copy.take(v);
    shrink(copy);
    Found found{copy.sum(), copy.members()};
    std::sort(found.members.begin(), found.members.end());
    return found;
}

std::vector<Found> by_sum(const std::map<std::vector<int>, double>& clusters) {
    std::vector<Found> sorted;
    for (const auto& [members, sum] : clusters) sorted.push_back({sum, members});
    std::stable_sort(sorted.begin(), sorted.end(), [](const Found& a, const Found& b) { return a.sum < b.sum; });
    return sorted;
}

// Grows the cluster from an arc by the variable that adds least as long as one helps, and goes back to the best of what
// it was.
Found grow(const Support& support, Cluster& cluster, int first, int second) {
    cluster.clear();
    cluster.take(first);
    cluster.take(second);
    double least = cluster.sum();
    std::size_t size = 2;
    while (cluster.sum() < most_sum && least > no_weight) {
        int next = -1;
        double change = 0.0;
        for (int v = 0; v < support.n; ++v) {
            if (cluster.contains(v) || !cluster.helps(v)) continue;
            double own = cluster.change(v);
            if (next < 0 || own < change - 1e-12) next = v, change = own;
        }
        if (next < 0) break;
        cluster.take(next);
        if (cluster.sum() < least - 1e-9) least = cluster.sum(), size = cluster.members().size();
    }
    while (cluster.members().size() > size) cluster.drop(cluster.members().back());
    if (cluster.sum() < 1.0) shrink(cluster);
    Found found{cluster.sum(), cluster.members()};
    std::sort(found.members.begin(), found.members.end());
    return found;
}

// Goes on from a cluster by the best move, in or out, of a variable that was not moved just now; tells of every cluster
// from which no move leads down.
template <class Tell>
void wander(const Support& support, Cluster& cluster, Tell tell) {
    constexpr int rest = 7;
    std::vector<int> moved(at(support.n), -rest);
    bool fell = true;
    for (int step = 0; step < 4 * support.n; ++step) {
        int next = -1;
        double change = 0.0;
        for (int v = 0; v < support.n; ++v) {
            bool inside = cluster.contains(v);
            if (step - moved[at(v)] < rest || (inside && cluster.members().size() <= 2)) continue;
            double own = inside ? cluster.change_without(v) : cluster.change(v);
            if (next < 0 || own < change - 1e-12) next = v, change = own;
        }
        if (next < 0) return;
        if (fell && change > -1e-9) tell();
        fell = change < -1e-9;
        moved[at(next)] = step;
        if (cluster.contains(next))
            cluster.drop(next);
        else
            cluster.take(next);
    }
}

Bits to_bits(const std::vector<int>& members, std::size_t words) {
    Bits bits(words, 0);
    for (int v : members) set_bit(bits.data(), v);
    return bits;
}

}  // namespace

std::vector<Bits> violated_clusters(const Candidates& candidates, std::span<const double> x, double margin,
                                    std::size_t most) {
    Support support(candidates, x);
    Cluster cluster(support);
    std::map<std::vector<int>, double> found;  // sums that differ by rounding are of the same cluster
    std::set<std::pair<int, int>> begun;
    std::map<std::vector<int>, double> starts;
    auto keep = [&](const Found& one) {
        if (one.sum < 1.0 - margin) found.emplace(one.members, one.sum);
    };
    for (std::size_t row = 0; row < support.weight.size(); ++row) {
        for (int u : support.parents[row]) {
            if (!begun.insert(std::minmax(u, support.child[row])).second) continue;
            Found grown = grow(support, cluster, u, support.child[row]);
            keep(grown);
            starts.emplace(std::move(grown.members), grown.sum);
        }
    }
    if (found.size() < enough) {
        std::vector<Found> sorted = by_sum(starts);
        if (sorted.size() > most_wanderers) sorted.resize(most_wanderers);
        sorted.push_back({0.0, {}});
        for (int v = 0; v < support.n; ++v) sorted.back().members.push_back(v);  // large clusters are found from above
        for (const Found& start : sorted) {
            cluster.clear();
            for (int v : start.members) cluster.take(v);
            wander(support, cluster, [&] {
                if (cluster.sum() < 1.0 - margin) keep(smallest(support, cluster));
            });
        }
    }
    std::vector<Found> sorted = by_sum(found);
    std::vector<Bits> clusters;
    for (std::size_t k = 0; k < std::min(most, sorted.size()); ++k)
        clusters.push_back(to_bits(sorted[k].members, candidates.words()));
    return clusters;
}

std::vector<Bits> cycles(const Candidates& candidates, std::span<const std::size_t> choice) {
    int n = candidates.variables();
    std::vector<int> state(at(n), 0);  // 0: not seen, otherwise the walk that came by
    for (int v : candidates.order_of(choice)) state[at(v)] = -1;
    std::vector<Bits> all;
    for (int start = 0; start < n; ++start) {
        if (state[at(start)] != 0) continue;
        // Every variable left has a parent among those left, so that a walk over parents comes round.
        std::vector<int> walk;
        int v = start;
        while (state[at(v)] == 0) {
            state[at(v)] = start + 1;
            walk.push_back(v);
            int next = 0;
            while (!has_bit(candidates.set(choice[at(v)]), next) || state[at(next)] == -1) ++next;
            v = next;
        }
        if (state[at(v)] != start + 1) continue;  // came to the cycle of an earlier walk
        auto entry = std::find(walk.begin(), walk.end(), v);
        all.push_back(to_bits({entry, walk.end()}, candidates.words()));
    }
    return all;
}

std::vector<Bits> mutual_pairs(const Candidates& candidates) {
    std::vector<Bits> parents(at(candidates.variables()), Bits(candidates.words(), 0));
    for (std::size_t row = 0; row < candidates.rows(); ++row) {
        for (std::size_t w = 0; w < candidates.words(); ++w)
            parents[at(candidates.child(row))][w] |= candidates.set(row)[w];
    }
    std::vector<Bits> pairs;
    for (int v = 0; v < candidates.variables(); ++v) {
        for (int u = 0; u < v; ++u) {
            if (has_bit(parents[at(v)].data(), u) && has_bit(parents[at(u)].data(), v))
                pairs.push_back(to_bits({u, v}, candidates.words()));
        }
    }
    return pairs;
}

std::vector<std::int64_t> cluster_rows(const Candidates& candidates, const Bits& cluster, bool outside) {
    std::vector<std::int64_t> rows;
    for (int v = 0; v < candidates.variables(); ++v) {
        if (!has_bit(cluster.data(), v)) continue;
        for (std::size_t row = candidates.begin(v); row < candidates.end(v); ++row) {
            if (candidates.meets(row, cluster.data()) != outside) rows.push_back(static_cast<std::int64_t>(row));
        }
    }
    return rows;
}

}  // namespace veridag
