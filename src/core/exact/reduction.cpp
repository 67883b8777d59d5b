#include "exact/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "index.hpp"
#include "random.hpp"

namespace veridag {
namespace {

// Variables are placed as soon as one of their free rows has all its parents placed; what cannot be placed is a
// cluster, all of whose members' free rows meet it. Placing can be undone.
class Placement {
   public:
    explicit Placement(const Candidates& candidates)
        : table_(candidates), placed_(at(candidates.variables()), 0), of_parent_(at(candidates.variables())) {}

    bool placed(int v) const { return placed_[at(v)]; }
    const std::vector<int>& order() const { return order_; }
    bool complete() const { return order_.size() == placed_.size(); }

    void add_free(std::size_t row) {
        int missing = 0;
        for (int u = 0; u < table_.variables(); ++u) {
            if (!has_bit(table_.set(row), u)) continue;
            of_parent_[at(u)].push_back(children_.size());
            missing += !placed(u);
        }
        children_.push_back(table_.child(row));
        missing_.push_back(missing);
        if (missing == 0) place(table_.child(row));
    }

    // Places v, whatever it lacks, and all that can be placed then.
    void place(int v) {
        if (placed(v)) return;
        std::size_t next = order_.size();
        put(v);
        for (; next < order_.size(); ++next) {
            for (std::size_t k : of_parent_[at(order_[next])]) {
                if (--missing_[k] == 0 && !placed(children_[k])) put(children_[k]);
            }
        }
    }

    void undo_to(std::size_t size) {
        for (; order_.size() > size; order_.pop_back()) {
            placed_[at(order_.back())] = 0;
            for (std::size_t k : of_parent_[at(order_.back())]) ++missing_[k];
        }
    }

   private:
    void put(int v) {
        placed_[at(v)] = 1;
        order_.push_back(v);
    }

    const Candidates& table_;
    std::vector<char> placed_;
    std::vector<int> order_;               // those placed
    std::vector<int> children_, missing_;  // of each free row: whose it is, and how many of its parents are not placed
    std::vector<std::vector<std::size_t>> of_parent_;  // the free rows of which each variable is a parent
};

class Ascent {
   public:
    Ascent(const Candidates& candidates, std::uint64_t seed)
        : table_(candidates),
          n_(candidates.variables()),
          random_(seed, 0x617363656e64ULL, 0),
          bound_{0.0, std::vector<double>(candidates.rows()), {}, {}, {}},
          placement_(candidates) {
        for (int v = 0; v < n_; ++v) {
            if (table_.begin(v) == table_.end(v)) {
                bound_.score = minus_infinity;
                return;
            }
            double top = table_.score(table_.begin(v));
            bound_.score += top;
            for (std::size_t row = table_.begin(v); row < table_.end(v); ++row) {
                bound_.loss[row] = top - table_.score(row);
                if (bound_.loss[row] <= none_) placement_.add_free(row);
            }
        }
    }

    Bound run() {
        while (bound_.score > minus_infinity && !placement_.complete()) charge(smallest());
        if (placement_.complete()) bound_.order = order();
        return std::move(bound_);
    }

   private:
    // What is not placed is a cluster. Without a member, what is left when the others are closed again may still be
    // one, and a smaller one.
    std::vector<int> smallest() {
        std::size_t base = placement_.order().size();
        std::vector<int> members = left();
        for (std::size_t k = members.size(); k > 1; --k)
            std::swap(members[k - 1], members[static_cast<std::size_t>(random_.uniform() * static_cast<double>(k))]);
        for (int v : members) {
            if (placement_.placed(v)) continue;
            std::size_t before = placement_.order().size();
            placement_.place(v);
            if (placement_.complete()) placement_.undo_to(before);
        }
        members = left();
        placement_.undo_to(base);
        return members;
    }

    // Places all variables again, as many as possible at a time: a better start than the order in which clusters fell.
    std::vector<int> order() const {
        std::vector<std::vector<std::size_t>> free(at(n_));
        for (std::size_t row = 0; row < table_.rows(); ++row) {
            if (bound_.loss[row] <= none_) free[at(table_.child(row))].push_back(row);
        }
        std::vector<int> order, waiting = all();
        Bits placed(table_.words(), 0);
        while (!waiting.empty()) {
            std::erase_if(waiting, [&](int v) {
                if (std::none_of(free[at(v)].begin(), free[at(v)].end(),
                                 [&](std::size_t row) { return table_.within(row, placed.data()); }))
                    return false;
                set_bit(placed.data(), v);
                order.push_back(v);
                return true;
            });
        }
        return order;
    }

    std::vector<int> all() const {
        std::vector<int> members(at(n_));
        std::iota(members.begin(), members.end(), 0);
        return members;
    }

    std::vector<int> left() const {
        std::vector<int> members;
        for (int v = 0; v < n_; ++v) {
            if (!placement_.placed(v)) members.push_back(v);
        }
        return members;
    }

    void charge(const std::vector<int>& members) {
        Bits cluster(table_.words(), 0);
        for (int v : members) set_bit(cluster.data(), v);
        outside_.clear();
        double least = -minus_infinity;
        for (int v : members) {
            for (std::size_t row = table_.begin(v); row < table_.end(v); ++row) {
                if (table_.meets(row, cluster.data())) continue;
                outside_.push_back(row);
                least = std::min(least, bound_.loss[row]);
            }
        }
        bound_.score -= least;
        bound_.clusters.push_back(std::move(cluster));
        bound_.charges.push_back(least);
        for (std::size_t row : outside_) {
            bound_.loss[row] -= least;
            if (bound_.loss[row] <= none_) placement_.add_free(row);
        }
    }

    static constexpr double none_ = 1e-9;  // a loss below this is rounding
    const Candidates& table_;
    int n_;
    Stream random_;
    Bound bound_;
    Placement placement_;
    std::vector<std::size_t> outside_;
};

// Tarjan's algorithm, over the parents that kept rows have.
class Components {
   public:
    Components(const Candidates& candidates, const std::vector<char>& keep)
        : n_(candidates.variables()),
          parents_(at(n_), Bits(candidates.words(), 0)),
          index_(at(n_), 0),
          low_(at(n_), 0),
          on_stack_(at(n_), 0) {
        for (std::size_t row = 0; row < candidates.rows(); ++row) {
            if (!keep[row]) continue;
            for (std::size_t w = 0; w < candidates.words(); ++w)
                parents_[at(candidates.child(row))][w] |= candidates.set(row)[w];
        }
        for (int v = 0; v < n_; ++v) {
            if (index_[at(v)] == 0) visit(v);
        }
    }

    std::vector<std::vector<int>> all;

   private:
    void visit(int v) {
        index_[at(v)] = low_[at(v)] = ++count_;
        stack_.push_back(v);
        on_stack_[at(v)] = 1;
        for (int u = 0; u < n_; ++u) {
            if (!has_bit(parents_[at(v)].data(), u)) continue;
            if (index_[at(u)] == 0) {
                visit(u);
                low_[at(v)] = std::min(low_[at(v)], low_[at(u)]);
            } else if (on_stack_[at(u)]) {
                low_[at(v)] = std::min(low_[at(v)], index_[at(u)]);
            }
        }
        if (low_[at(v)] != index_[at(v)]) return;
        all.emplace_back();
        for (int u = -1; u != v;) {
            u = stack_.back();
            stack_.pop_back();
            on_stack_[at(u)] = 0;
            all.back().push_back(u);
        }
        std::sort(all.back().begin(), all.back().end());
    }

    int n_, count_ = 0;
    std::vector<Bits> parents_;
    std::vector<int> index_, low_;
    std::vector<char> on_stack_;
    std::vector<int> stack_;
};

Part make_part(const Candidates& candidates, const std::vector<char>& keep, std::vector<int> variables) {
    Bits inside(candidates.words(), 0);
    for (int v : variables) set_bit(inside.data(), v);
    std::vector<std::int64_t> offsets{0}, parent_offsets{0};
    std::vector<std::size_t> rows;
    std::vector<double> scores;
    std::vector<std::int32_t> parents;
    for (int v : variables) {
        std::vector<Bits> better;
        for (std::size_t row = candidates.begin(v); row < candidates.end(v); ++row) {
            if (!keep[row]) continue;
            Bits own(candidates.set(row), candidates.set(row) + candidates.words());
            for (std::size_t w = 0; w < own.size(); ++w) own[w] &= inside[w];
            auto includes = [&](const Bits& other) {
                for (std::size_t w = 0; w < own.size(); ++w) {
                    if (other[w] & ~own[w]) return false;
                }
                return true;
            };
            if (std::any_of(better.begin(), better.end(), includes)) continue;
            rows.push_back(row);
            scores.push_back(candidates.score(row));
            for (std::size_t k = 0; k < variables.size(); ++k) {
                if (has_bit(own.data(), variables[k])) parents.push_back(static_cast<std::int32_t>(k));
            }
            parent_offsets.push_back(static_cast<std::int64_t>(parents.size()));
            better.push_back(std::move(own));
        }
        offsets.push_back(static_cast<std::int64_t>(rows.size()));
    }
    int size = static_cast<int>(variables.size());
    return {std::move(variables), std::move(rows), Candidates(size, offsets, scores, parent_offsets, parents)};
}

}  // namespace

Bound dual_ascent(const Candidates& candidates, std::uint64_t seed) { return Ascent(candidates, seed).run(); }

std::vector<Part> split(const Candidates& candidates, const std::vector<char>& keep) {
    std::vector<Part> parts;
    for (std::vector<int>& component : Components(candidates, keep).all)
        parts.push_back(make_part(candidates, keep, std::move(component)));
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.variables < b.variables; });
    return parts;
}

}  // namespace veridag
