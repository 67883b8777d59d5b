#include "exact/k_best.hpp"
#include "index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace veridag {
namespace {

using Set = std::uint32_t;

constexpr std::uint32_t none = ~std::uint32_t{0};

// A network over a set W of variables: its last sink v with a row of v, and a network over W without v.
struct Entry {
    double score;
    std::uint64_t sinks : 20;
    std::uint64_t row : 20;   // counted from the first of v
    std::uint64_t rest : 24;  // its place among the networks over W without v
};
static_assert(sizeof(Entry) == 16);

int last_sink(const Entry& entry) { return std::bit_width(static_cast<Set>(entry.sinks)) - 1; }

// How many networks there are over so many variables; infinitely many, for our purposes, from seven on.
constexpr std::array<double, 7> networks_over{1, 1, 3, 25, 543, 29281, 3781503};

// The most networks over all sets of the variables together.
double most_entries(int variables, std::size_t k) {
    double sets = 1.0, entries = 0.0;  // sets of this size
    for (int size = 0; size <= variables; ++size) {
        double most = static_cast<double>(k);
        entries += sets * (at(size) < networks_over.size() ? std::min(most, networks_over[at(size)]) : most);
        sets = sets * (variables - size) / (size + 1);
    }
    return entries;
}

// The rows of a variable whose parents lie in a set, the best first, found as they are asked for. Rows are counted from
// the variable's first.
class RowsWithin {
   public:
    RowsWithin(const Candidates& candidates, int v)
        : sets_(candidates.set(candidates.begin(v))),
          rows_(candidates.end(v) - candidates.begin(v)),
          row_of_(std::size_t{1} << candidates.variables(), none) {
        for (std::size_t row = 0; row < rows_; ++row) {
            if (row_of_[sets_[row]] != none) throw std::invalid_argument("a parent set is there twice");
            row_of_[sets_[row]] = static_cast<std::uint32_t>(row);
        }
        best_ = row_of_;
        for (std::size_t set = 1; set < best_.size(); ++set) {
            for (std::size_t left = set; left; left &= left - 1)
                best_[set] = std::min(best_[set], best_[set & ~(left & -left)]);
        }
    }

    void restart(Set allowed) {
        allowed_ = allowed;
        found_.clear();
        next_ = rows_;
        if (best_[allowed] == none) return;
        found_.push_back(best_[allowed]);
        next_ = best_[allowed] + std::size_t{1};
    }

    // Whether there is one of this rank.
    bool has(std::size_t rank) {
        if (rank > 0 && found_.size() == 1 && std::size_t{4} << std::popcount(allowed_) < rows_ - next_) list_subsets();
        for (; found_.size() <= rank && next_ < rows_; ++next_) {
            if (!(sets_[next_] & ~Word{allowed_})) found_.push_back(static_cast<std::uint32_t>(next_));
        }
        return rank < found_.size();
    }

    std::uint32_t operator[](std::size_t rank) const { return found_[rank]; }

   private:
    // All at once, where the subsets are fewer than the rows.
    void list_subsets() {
        found_.clear();
        for (Set subset = allowed_;; subset = (subset - 1) & allowed_) {
            if (row_of_[subset] != none) found_.push_back(row_of_[subset]);
            if (subset == 0) break;
        }
        std::sort(found_.begin(), found_.end());
        next_ = rows_;
    }

    const Word* sets_;
    std::size_t rows_;
    std::vector<std::uint32_t> row_of_,
        best_;  // by set: the row that has these parents, and the best with parents among them
    Set allowed_ = 0;
    std::size_t next_ = 0;
    std::vector<std::uint32_t> found_;
};

// A sink with a row, and one of the networks over the other variables.
struct Pair {
    double score;
    std::uint32_t sink, rank, rest;

    bool operator<(const Pair& other) const {  // of equal ones the one with the smaller numbers is the greater
        if (score != other.score) return score < other.score;
        return std::tie(other.sink, other.rank, other.rest) < std::tie(sink, rank, rest);
    }
};

class KBest {
   public:
    KBest(const Candidates& candidates, std::size_t k, Progress& progress)
        : c_(candidates), n_(candidates.variables()), k_(k), progress_(progress) {
        if (n_ > max_k_best_variables) throw std::invalid_argument("too many variables for the k best networks");
        if (k < 1 || k > max_k_best) throw std::invalid_argument("k is out of range");
        for (int v = 0; v < n_; ++v) rows_.emplace_back(c_, v);
    }

    KBestResult run() {
        KBestResult result;
        entries_.reserve(static_cast<std::size_t>(most_entries(n_, k_)));
        entries_.push_back({0.0, 0, 0, 0});
        starts_ = {0, 1};
        Set all = static_cast<Set>((std::uint64_t{1} << n_) - 1);
        for (Set set = 1; set <= all; ++set) {
            if (!add_networks_over(set)) return result;
            starts_.push_back(entries_.size());
        }
        result.finished = true;
        for (std::size_t place = 0; place < number_over(all); ++place) result.choices.push_back(choice(all, place));
        sort(result);
        return result;
    }

   private:
    const Entry& entry(Set set, std::size_t place) const { return entries_[starts_[set] + place]; }
    std::size_t number_over(Set set) const { return starts_[set + 1] - starts_[set]; }

    // Every pair of a sink's row and a network over the others, the best first. A network with several sinks comes up
    // once for each, and is taken when it comes with the last. One of the k best has one of the k best over the others:
    // with k better ones in its place there would be k better ones. So no more pairs are looked at than the k best have
    // sinks. False if stopped.
    bool add_networks_over(Set set) {
        open_.clear();
        auto push = [&](std::uint32_t v, std::uint32_t rank, std::uint32_t rest) {
            Set others = set & ~(Set{1} << v);
            if (rest >= number_over(others) || !rows_[v].has(rank)) return;
            double local = c_.score(c_.begin(static_cast<int>(v)) + rows_[v][rank]);
            open_.push_back({entry(others, rest).score + local, v, rank, rest});
            std::push_heap(open_.begin(), open_.end());
        };
        for (Set left = set; left; left &= left - 1) {
            auto v = static_cast<std::uint32_t>(std::countr_zero(left));
            rows_[v].restart(set & ~(Set{1} << v));
            push(v, 0, 0);
        }
        bool stopped = progress_.stop(set, minus_infinity);
        for (std::size_t found = 0; !open_.empty() && !stopped;) {
            std::pop_heap(open_.begin(), open_.end());
            Pair pair = open_.back();
            open_.pop_back();
            found += take(set, pair);
            if (found == k_) break;
            push(pair.sink, pair.rank, pair.rest + 1);
            if (pair.rest == 0) push(pair.sink, pair.rank + 1, 0);
            if ((++pairs_ & 0x3ff) == 0) stopped = progress_.stop(set, minus_infinity);
        }
        return !stopped;
    }

    // Enters the network if the pair's sink is the last one that it has, and says whether that is so.
    bool take(Set set, const Pair& pair) {
        Set own = Set{1} << pair.sink;
        std::uint32_t row = rows_[pair.sink][pair.rank];
        auto parents = static_cast<Set>(*c_.set(c_.begin(static_cast<int>(pair.sink)) + row));
        Set others = static_cast<Set>(entry(set & ~own, pair.rest).sinks) & ~parents;
        if (others > own) return false;
        entries_.push_back({pair.score, others | own, row, pair.rest});
        return true;
    }

    std::vector<std::size_t> choice(Set set, std::size_t place) const {
        std::vector<std::size_t> rows(at(n_));
        while (set) {
            const Entry& last = entry(set, place);
            int v = last_sink(last);
            rows[at(v)] = c_.begin(v) + last.row;
            set &= ~(Set{1} << v);
            place = last.rest;
        }
        return rows;
    }

    // By sums over the variables in their order, which rounding may tell from those over the sinks.
    void sort(KBestResult& result) const {
        std::vector<double> sums;
        for (const auto& rows : result.choices) {
            sums.push_back(std::accumulate(rows.begin(), rows.end(), 0.0,
                                           [&](double sum, std::size_t row) { return sum + c_.score(row); }));
        }
        std::vector<std::size_t> order(sums.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
        std::vector<std::vector<std::size_t>> sorted;
        for (std::size_t i : order) {
            sorted.push_back(std::move(result.choices[i]));
            result.scores.push_back(sums[i]);
        }
        result.choices = std::move(sorted);
    }

    const Candidates& c_;
    int n_;
    std::size_t k_;
    Progress& progress_;
    std::vector<RowsWithin> rows_;
    std::vector<std::size_t> starts_;  // of the networks over each set
    std::vector<Entry> entries_;
    std::vector<Pair> open_;  // a heap
    std::int64_t pairs_ = 0;  // looked at
};

}  // namespace

double k_best_bytes(int variables, std::size_t k) {
    double subsets = static_cast<double>(std::size_t{1} << variables);
    return most_entries(variables, k) * sizeof(Entry) +
           subsets * (sizeof(std::size_t) + 2.0 * sizeof(std::uint32_t) * variables);
}

KBestResult k_best(const Candidates& candidates, std::size_t k, Progress& progress) {
    return KBest(candidates, k, progress).run();
}

}  // namespace veridag
