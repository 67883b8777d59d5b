#include "search/ges/ges.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "graph/equivalence.hpp"

namespace veridag {
namespace {

using Set = std::vector<int>;  // ascending

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool contains(const Set& set, int v) { return std::binary_search(set.begin(), set.end(), v); }

Set united(const Set& a, const Set& b) {
    Set both;
    both.reserve(a.size() + b.size() + 1);
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

Set with(Set set, int v) {
    auto place = std::lower_bound(set.begin(), set.end(), v);
    if (place == set.end() || *place != v) set.insert(place, v);
    return set;
}

Set without(Set set, int v) {
    auto place = std::lower_bound(set.begin(), set.end(), v);
    if (place != set.end() && *place == v) set.erase(place);
    return set;
}

Set minus(const Set& a, const Set& b) {
    Set rest;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
    return rest;
}

// A completed PDAG with its lists, which follow the matrix as it changes.
class Pattern {
   public:
    explicit Pattern(int size) : n(size), a(at(n) * at(n), 0), adjacent(at(n)), parents(at(n)), neighbours(at(n)) {}

    bool has(int i, int j) const { return a[at(i) * at(n) + at(j)]; }
    bool arc(int i, int j) const { return has(i, j) && !has(j, i); }
    bool joined(int i, int j) const { return has(i, j) || has(j, i); }

    // The members of `set` that are joined to v.
    Set joined_to(int v, const Set& set) const {
        Set found;
        std::copy_if(set.begin(), set.end(), std::back_inserter(found), [&](int u) { return u != v && joined(u, v); });
        return found;
    }

    // Becomes `next`; the variables that gained, lost or turned an edge, ascending.
    Set become(Matrix next) {
        Set touched;
        for (int i = 0; i < n; ++i) {
            std::size_t row = at(i) * at(n);
            if (std::equal(a.begin() + static_cast<std::ptrdiff_t>(row), a.begin() + static_cast<std::ptrdiff_t>(row + at(n)),
                           next.begin() + static_cast<std::ptrdiff_t>(row))) {
                continue;
            }
            for (int j = 0; j < n; ++j) {
                if (a[row + at(j)] == next[row + at(j)]) continue;
                touched.insert(touched.end(), {i, j});
                adjacent[at(i)] = with(std::move(adjacent[at(i)]), j);
                adjacent[at(j)] = with(std::move(adjacent[at(j)]), i);
            }
        }
        a = std::move(next);
        std::sort(touched.begin(), touched.end());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        for (int v : touched) {
            std::erase_if(adjacent[at(v)], [&](int u) { return !joined(u, v); });
            parents[at(v)].clear();
            neighbours[at(v)].clear();
            for (int u : adjacent[at(v)]) {
                if (arc(u, v)) parents[at(v)].push_back(u);
                if (has(u, v) && has(v, u)) neighbours[at(v)].push_back(u);
            }
        }
        return touched;
    }

    int n;
    Matrix a;
    std::vector<Set> adjacent, parents, neighbours;
};

// Calls visit with every clique in `pool` of at most `limit` members, the empty one first.
template <class Visit>
void for_each_clique(const Pattern& g, const Set& pool, int limit, Visit&& visit) {
    Set clique;
    auto grow = [&](auto&& self, std::size_t first) -> void {
        visit(static_cast<const Set&>(clique));
        if (static_cast<int>(clique.size()) >= limit) return;
        for (std::size_t k = first; k < pool.size(); ++k) {
            if (!std::all_of(clique.begin(), clique.end(), [&](int c) { return g.joined(c, pool[k]); })) continue;
            clique.push_back(pool[k]);
            self(self, k + 1);
            clique.pop_back();
        }
    };
    if (limit >= 0) grow(grow, 0);
}

// Required and forbidden arcs.
class Knowledge {
   public:
    Knowledge(const Constraints& constraints, int n) : n_(n), banned_(constraints.forbidden) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                if (!constraints.is_required(i, j, n)) continue;
                required_.emplace_back(i, j);
                banned_[at(j) * at(n) + at(i)] = 1;
            }
        }
        empty_ = required_.empty() && std::all_of(banned_.begin(), banned_.end(), [](Byte b) { return b == 0; });
        fixed_.assign(required_.empty() ? 0 : banned_.size(), 0);
        for (auto [i, j] : required_) fixed_[at(i) * at(n) + at(j)] = fixed_[at(j) * at(n) + at(i)] = 1;
    }

    bool empty() const { return empty_; }
    // The arc is forbidden, or its reverse is required.
    bool bans(int from, int to) const { return banned_[at(from) * at(n_) + at(to)]; }
    // One of the two arcs between i and j is required.
    bool keeps(int i, int j) const { return !fixed_.empty() && fixed_[at(i) * at(n_) + at(j)]; }

    // The DAG of the class that extends the completed PDAG with what is known oriented, if there is any.
    std::optional<Matrix> member(const Matrix& completed) const {
        MixedGraph g(n_, completed.data());
        for (auto [i, j] : required_) {
            if (!g.a[at(i) * at(n_) + at(j)]) return std::nullopt;
        }
        std::vector<std::pair<int, int>> oriented;
        for (int j = 0; j < n_ && !empty_; ++j) {
            for (int i : g.adjacent[at(j)]) {
                if (!g.a[at(i) * at(n_) + at(j)] || !bans(i, j)) continue;
                if (!g.edge(i, j) || bans(j, i)) return std::nullopt;
                g.orient(j, i);
                oriented.emplace_back(j, i);
            }
        }
        // Without this an extension might have v-structures that the class has not.
        for (auto [i, j] : oriented) {
            for (int k : g.adjacent[at(j)]) {
                if (k != i && g.arc(k, j) && !g.joined(i, k)) return std::nullopt;
            }
        }
        Extension found = extend(n_, g.a.data());
        if (!found.stuck.empty()) return std::nullopt;
        return std::move(found.dag);
    }

   private:
    int n_;
    bool empty_;
    Matrix banned_, fixed_;
    std::vector<std::pair<int, int>> required_;
};

// A step to another class: x -> y comes, x -> y or x - y goes, or the edge of x and y becomes x -> y. `set` is T, H or C.
struct Operator {
    double gain;
    int x, y;
    Set set;
    std::vector<int> path;  // one that was found to break the condition on paths; as long as it is there, no other is looked for
};

bool precedes(const Operator& a, const Operator& b) { return std::tie(a.y, a.x, a.set) < std::tie(b.y, b.x, b.set); }

// What the phases share: where the search is, and what it knows.
struct State {
    Criterion& criterion;
    Knowledge knowledge;
    int max_indegree;
    Reporter& reporter;
    Pattern g;
    double score = 0.0;
    std::int64_t steps = 0;

    bool stop() { return reporter.stop(steps, score); }

    double local(int y, const Set& parents) { return criterion.local(y, parents); }

    // A family that is ruled out says nothing of a class that is not.
    double gain(double after, double before) const {
        return before == minus_infinity && std::isfinite(score) ? minus_infinity : after - before;
    }

    double tolerance() const { return std::isfinite(score) ? tie * std::abs(score) : 0.0; }
};

// A kind of operator.
class Phase {
   public:
    explicit Phase(State& state) : s(state), g(state.g) {}
    virtual ~Phase() = default;

    // The operators on the target y that improve the score and are valid but for paths and knowledge.
    virtual std::vector<Operator> operators(int y) = 0;
    // Whether the condition on paths holds, and others that hang on more than the surroundings of the target.
    virtual bool is_open(Operator&) { return true; }
    // A PDAG with an extension in the class that the operator leads to.
    virtual Matrix applied(const Operator& op) const = 0;

   protected:
    // Whether the path that was in the way is still there.
    bool still_leads(const Operator& op) const {
        for (std::size_t k = 1; k < op.path.size(); ++k) {
            if (!g.has(op.path[k - 1], op.path[k])) return false;
        }
        return !op.path.empty();
    }

    // Whether a semi-directed path leads from y to x, other than the edge from y to x itself, around the blocked variables.
    bool leads(Operator& op, const Set& blocked) {
        from_.resize(at(g.n));
        seen_.resize(at(g.n), 0);
        ++visit_;
        for (int v : blocked) seen_[at(v)] = visit_;
        seen_[at(op.y)] = visit_;
        front_.assign(1, op.y);
        for (std::size_t next = 0; next < front_.size(); ++next) {
            int v = front_[next];
            for (int u : g.adjacent[at(v)]) {
                if (!g.has(v, u) || seen_[at(u)] == visit_ || (v == op.y && u == op.x)) continue;
                from_[at(u)] = v;
                if (u == op.x) {
                    remember(op);
                    return true;
                }
                seen_[at(u)] = visit_;
                front_.push_back(u);
            }
        }
        return false;
    }

    static void orient(Matrix& a, int n, int i, int j) {
        a[at(i) * at(n) + at(j)] = 1;
        a[at(j) * at(n) + at(i)] = 0;
    }

    State& s;
    const Pattern& g;

   private:
    void remember(Operator& op) const {
        op.path.assign(1, op.x);
        while (op.path.back() != op.y) op.path.push_back(from_[at(op.path.back())]);
        std::reverse(op.path.begin(), op.path.end());
    }

    std::vector<std::int64_t> seen_;
    std::int64_t visit_ = 0;
    std::vector<int> front_, from_;
};

// Insert(X, Y, T): Chickering (2002), definition 12, theorem 15 and corollary 16.
class Insertion : public Phase {
   public:
    explicit Insertion(State& state) : Phase(state), rows_(at(state.g.n)), shared_(at(state.g.n)), covered_(at(state.g.n)) {}

    // NA_YX and T together are a clique C of neighbours of y, and T is what of C is not joined to x. So for a given C, those x are
    // asked for that are joined to no other neighbour of y.
    std::vector<Operator> operators(int y) override {
        const Set& parents = g.parents[at(y)];
        const Set& neighbours = g.neighbours[at(y)];
        count_joined(neighbours, shared_);
        Set candidates = insertable(y);
        std::vector<Operator> found;
        Rows rows;
        for_each_clique(g, neighbours, s.max_indegree - 1 - static_cast<int>(parents.size()), [&](const Set& clique) {
            if (s.stop()) return;
            count_joined(clique, covered_);
            Set base = united(parents, clique);
            Row& row = rows[base];
            if (auto known = rows_[at(y)].find(base); known != rows_[at(y)].end()) row = std::move(known->second);
            wanted_.clear();
            for (int x : candidates) {
                if (shared_[at(x)] == covered_[at(x)] && is_allowed(x, y, clique)) wanted_.push_back(x);
            }
            complete(row, y, base);
            if (s.reporter.stopped()) return;
            for (int x : wanted_) {
                double gain = s.gain(row.with[at(x)], row.alone);
                if (gain > 0.0) found.push_back({gain, x, y, beyond(clique, x), {}});
            }
        });
        rows_[at(y)] = std::move(rows);
        return found;
    }

    bool is_open(Operator& op) override {
        // A parent of x that is not joined to y compels x -> y. It saves carrying out an operator only to find that.
        if (s.knowledge.bans(op.x, op.y) && g.joined_to(op.y, g.parents[at(op.x)]).size() < g.parents[at(op.x)].size()) return false;
        return !still_leads(op) && !leads(op, united(g.joined_to(op.x, g.neighbours[at(op.y)]), op.set));
    }

    Matrix applied(const Operator& op) const override {
        Matrix a = g.a;
        orient(a, g.n, op.x, op.y);
        for (int t : op.set) orient(a, g.n, t, op.y);
        return a;
    }

   private:
    // The scores of a target with some parents alone and with each variable added; unknown ones are not a number.
    struct Row {
        double alone = 0.0;
        std::vector<double> with;
    };
    using Rows = std::map<Set, Row>;

    // So many families are scored between two looks at the reporter.
    static constexpr std::size_t batch = 64;

    void complete(Row& row, int y, const Set& base) {
        if (row.with.empty()) {
            row.alone = s.local(y, base);
            row.with.assign(at(g.n), std::nan(""));
        }
        missing_.clear();
        for (int x : wanted_) {
            if (std::isnan(row.with[at(x)])) missing_.push_back(x);
        }
        for (std::size_t first = 0; first < missing_.size() && !s.stop(); first += batch) {
            std::span<const int> some(missing_.data() + first, std::min(batch, missing_.size() - first));
            double scores[batch];
            s.criterion.toggled(y, base, some, scores);
            for (std::size_t k = 0; k < some.size(); ++k) row.with[at(some[k])] = scores[k];
        }
    }

    void count_joined(const Set& to, std::vector<int>& counts) const {
        std::fill(counts.begin(), counts.end(), 0);
        for (int u : to) {
            for (int x : g.adjacent[at(u)]) ++counts[at(x)];
        }
    }

    Set insertable(int y) const {
        Set found;
        for (int x = 0; x < g.n; ++x) {
            if (x == y || g.joined(x, y)) continue;
            // With a parent that is not joined to x, y is a collider and x -> y compelled.
            bool must = s.knowledge.bans(x, y) && g.joined_to(x, g.parents[at(y)]).size() < g.parents[at(y)].size();
            if (!must && !(s.knowledge.bans(x, y) && s.knowledge.bans(y, x))) found.push_back(x);
        }
        return found;
    }

    // Every t in T and x are the ends of a v-structure at y.
    bool is_allowed(int x, int y, const Set& clique) const {
        if (s.knowledge.empty() || covered_[at(x)] == static_cast<int>(clique.size())) return true;
        if (s.knowledge.bans(x, y)) return false;
        return std::none_of(clique.begin(), clique.end(), [&](int t) { return !g.joined(t, x) && s.knowledge.bans(t, y); });
    }

    Set beyond(const Set& clique, int x) const {
        Set rest;
        std::copy_if(clique.begin(), clique.end(), std::back_inserter(rest), [&](int t) { return !g.joined(t, x); });
        return rest;
    }

    std::vector<Rows> rows_;
    std::vector<int> shared_, covered_;
    Set wanted_, missing_;
};

// Delete(X, Y, H): Chickering (2002), definition 13, theorem 17 and corollary 18.
class Deletion : public Phase {
   public:
    using Phase::Phase;

    std::vector<Operator> operators(int y) override {
        const Set& parents = g.parents[at(y)];
        std::vector<Operator> found;
        for (int x : united(parents, g.neighbours[at(y)])) {
            if (s.stop()) break;
            if (s.knowledge.keeps(x, y)) continue;
            Set common = g.joined_to(x, g.neighbours[at(y)]);
            for_each_clique(g, common, g.n, [&](const Set& clique) {
                Set h = minus(common, clique);
                // Every h in H is the collider of a v-structure with the ends x and y.
                if (std::any_of(h.begin(), h.end(), [&](int v) { return s.knowledge.bans(x, v) || s.knowledge.bans(y, v); })) return;
                Set family = united(parents, clique);
                double gain = s.gain(s.local(y, without(family, x)), s.local(y, with(family, x)));
                if (gain > 0.0) found.push_back({gain, x, y, std::move(h), {}});
            });
        }
        return found;
    }

    Matrix applied(const Operator& op) const override {
        Matrix a = g.a;
        a[at(op.x) * at(g.n) + at(op.y)] = a[at(op.y) * at(g.n) + at(op.x)] = 0;
        for (int h : op.set) {
            orient(a, g.n, op.y, h);
            if (g.has(op.x, h)) orient(a, g.n, op.x, h);
        }
        return a;
    }
};

// Turn(X, Y, C): Hauser and Buhlmann (2012), propositions 31 and 34, without interventions. C are the neighbours of y that are its
// parents in the DAG in which the arc y -> x is turned.
class Turning : public Phase {
   public:
    using Phase::Phase;

    std::vector<Operator> operators(int y) override {
        std::vector<Operator> found;
        for (int x : g.adjacent[at(y)]) {
            if (s.stop()) break;
            if (s.knowledge.keeps(x, y) && s.knowledge.bans(x, y)) continue;
            if (g.arc(y, x)) turn_arc(x, y, found);
            if (g.has(x, y) && g.has(y, x)) turn_edge(x, y, found);
        }
        return found;
    }

    // An edge has no condition on paths: those of its chain component are taken care of by the separation.
    bool is_open(Operator& op) override {
        return !g.arc(op.y, op.x) || (!still_leads(op) && !leads(op, united(op.set, g.neighbours[at(op.x)])));
    }

    Matrix applied(const Operator& op) const override {
        Matrix a = g.a;
        bool was_arc = g.arc(op.y, op.x);
        for (int z : g.neighbours[at(op.y)]) {
            if (contains(op.set, z)) orient(a, g.n, z, op.y);
            else orient(a, g.n, op.y, z);
        }
        for (int w : g.neighbours[at(op.x)]) {
            if (!was_arc && contains(op.set, w)) orient(a, g.n, w, op.x);
            else orient(a, g.n, op.x, w);
        }
        orient(a, g.n, op.x, op.y);
        return a;
    }

   private:
    int room(int y) const { return s.max_indegree - 1 - static_cast<int>(g.parents[at(y)].size()); }

    // y -> x, compelled. A neighbour of y that is joined to x is a parent of x, so it has to come before y.
    void turn_arc(int x, int y, std::vector<Operator>& found) {
        Set common = g.joined_to(x, g.neighbours[at(y)]);
        const Set& of_x = g.parents[at(x)];
        for_each_clique(g, g.neighbours[at(y)], room(y), [&](const Set& c) {
            if (!std::includes(c.begin(), c.end(), common.begin(), common.end())) return;
            add(x, y, c, united(g.parents[at(y)], c), without(of_x, y), found);
        });
    }

    // x - y, and y -> x is not covered: it would be if all of C were joined to x, and turning it would stay in the class.
    void turn_edge(int x, int y, std::vector<Operator>& found) {
        Set others = without(g.neighbours[at(y)], x);
        Set common = g.joined_to(x, others);
        for_each_clique(g, others, room(y), [&](const Set& c) {
            Set apart = minus(c, common);
            if (apart.empty() || s.knowledge.bans(x, y) || !separates(c, common, others)) return;
            if (std::any_of(apart.begin(), apart.end(), [&](int t) { return s.knowledge.bans(t, y); })) return;
            add(x, y, c, united(g.parents[at(y)], c), united(g.parents[at(x)], minus(c, apart)), found);
        });
    }

    // Whether the common part of C and N separates C \ N from N \ C among the neighbours of y.
    bool separates(const Set& c, const Set& common, const Set& among) const {
        Set left = among, front = minus(c, common);
        for (int v : c) left = without(std::move(left), v);
        while (!front.empty()) {
            int v = front.back();
            front.pop_back();
            for (int u : g.joined_to(v, left)) {
                if (contains(common, u)) return false;
                left = without(std::move(left), u);
                front.push_back(u);
            }
        }
        return true;
    }

    void add(int x, int y, const Set& c, const Set& of_y, const Set& of_x, std::vector<Operator>& found) {
        double before = s.local(y, of_y) + s.local(x, with(of_x, y));
        double gain = s.gain(s.local(y, with(of_y, x)) + s.local(x, of_x), before);
        if (gain > 0.0) found.push_back({gain, x, y, c, {}});
    }
};

class Search {
   public:
    Search(Criterion& criterion, const Constraints& constraints, const Matrix& start, Reporter& reporter)
        : n_(criterion.variables()), s_{criterion, Knowledge(constraints, n_), constraints.max_indegree, reporter, Pattern(n_)} {
        Extension found = extend(n_, start.data());
        if (!found.stuck.empty()) throw std::invalid_argument("the start of the search has no consistent extension");
        s_.g.become(cpdag(n_, found.dag.data()));
        std::optional<Matrix> member = s_.knowledge.member(s_.g.a);
        if (!member) throw std::invalid_argument("no member of the class at the start has all required and no forbidden arcs");
        for (const Set& parents : parents_in(*member)) {
            if (static_cast<int>(parents.size()) > s_.max_indegree) throw std::invalid_argument("the start has more parents than max_indegree");
        }
        s_.score = total(*member);
    }

    GesResult run(bool turning) {
        for (bool again = true; again;) {
            Matrix before = s_.g.a;
            double score = s_.score;
            again = climb<Insertion>() && climb<Deletion>() && turning && climb<Turning>();
            if (!turning || s_.reporter.stopped()) break;
            s_.score = total(*s_.knowledge.member(s_.g.a));
            if (s_.score > score + s_.tolerance()) continue;
            if (s_.score < score) s_.g.become(before);
            again = false;
        }
        Matrix dag = *s_.knowledge.member(s_.g.a);
        double score = total(dag);
        return {s_.g.a, std::move(dag), score, s_.steps, s_.reporter.stopped()};
    }

   private:
    std::vector<Set> parents_in(const Matrix& dag) const {
        std::vector<Set> parents(at(n_));
        for (int i = 0; i < n_; ++i) {
            for (int j = 0; j < n_; ++j) {
                if (dag[at(i) * at(n_) + at(j)]) parents[at(j)].push_back(i);
            }
        }
        return parents;
    }

    double total(const Matrix& dag) {
        std::vector<Set> parents = parents_in(dag);
        double sum = 0.0;
        for (int v = 0; v < n_; ++v) sum += s_.local(v, parents[at(v)]);
        return sum;
    }

    // Takes the best operator of one kind while there is one; false if the search is to stop.
    template <class Kind>
    bool climb() {
        s_.score = total(*s_.knowledge.member(s_.g.a));
        Kind phase(s_);
        std::vector<std::vector<Operator>> lists(at(n_));
        Set stale(at(n_));
        for (int v = 0; v < n_; ++v) stale[at(v)] = v;
        while (true) {
            for (int y : stale) {
                if (s_.stop()) return false;
                lists[at(y)] = phase.operators(y);
                auto better = [](const Operator& a, const Operator& b) { return a.gain != b.gain ? a.gain > b.gain : precedes(a, b); };
                std::sort(lists[at(y)].begin(), lists[at(y)].end(), better);
            }
            if (s_.stop()) return false;
            std::optional<Step> step = best(phase, lists);
            if (s_.reporter.stopped()) return false;
            if (!step) return true;
            stale = take(*step);
        }
    }

    struct Step {
        Matrix completed;
        double score;
    };

    // Insertions and deletions end by themselves; turns might go round in circles if the criterion is not score-equivalent.
    template <class Kind>
    static constexpr bool must_improve = std::is_same_v<Kind, Turning>;

    // The operators of all targets from the best on, until the first valid one and those that tie with it have been seen.
    template <class Kind>
    std::optional<Step> best(Kind& phase, std::vector<std::vector<Operator>>& lists) {
        using Place = std::tuple<double, int, std::size_t>;  // gain, target (the smaller first), place in its list
        std::priority_queue<Place> heads;
        auto push = [&](int y, std::size_t k) {
            if (k < lists[at(y)].size()) heads.emplace(lists[at(y)][k].gain, -y, k);
        };
        for (int y = 0; y < n_; ++y) push(y, 0);
        const Operator* chosen = nullptr;
        double enough = s_.tolerance();
        std::optional<Step> step;
        // Without knowledge only the operator that is taken has to be carried out.
        bool has_to_be_seen = !s_.knowledge.empty() || must_improve<Kind>;
        while (!heads.empty()) {
            auto [gain, negative, k] = heads.top();
            heads.pop();
            if (chosen ? gain < enough : gain <= enough) break;
            push(-negative, k + 1);
            Operator& op = lists[at(-negative)][k];
            if (chosen && !precedes(op, *chosen)) continue;
            if (!phase.is_open(op)) continue;
            if (has_to_be_seen) {
                std::optional<Step> reached = outcome(phase, op);
                if (s_.stop()) return std::nullopt;
                if (!reached) continue;
                step = std::move(reached);
            }
            if (!chosen) enough = gain - s_.tolerance();
            chosen = &op;
        }
        return chosen && !step ? outcome(phase, *chosen) : step;
    }

    template <class Kind>
    std::optional<Step> outcome(Kind& phase, const Operator& op) {
        Extension found = extend(n_, phase.applied(op).data());
        if (!found.stuck.empty()) throw std::logic_error("a valid operator led to a graph without consistent extension");
        Step step{cpdag(n_, found.dag.data()), s_.score + op.gain};
        if (s_.knowledge.empty() && !must_improve<Kind> && std::isfinite(step.score)) return step;
        std::optional<Matrix> member = s_.knowledge.member(step.completed);
        if (!member) return std::nullopt;
        if (must_improve<Kind> || !std::isfinite(step.score)) step.score = total(*member);
        if (must_improve<Kind> && !(step.score > s_.score + s_.tolerance())) return std::nullopt;
        return step;
    }

    // The variables whose operators may have changed.
    Set take(Step& step) {
        Set touched = s_.g.become(std::move(step.completed));
        s_.score = step.score;
        ++s_.steps;
        Set stale = touched;
        for (int v : touched) stale.insert(stale.end(), s_.g.adjacent[at(v)].begin(), s_.g.adjacent[at(v)].end());
        std::sort(stale.begin(), stale.end());
        stale.erase(std::unique(stale.begin(), stale.end()), stale.end());
        return stale;
    }

    int n_;
    State s_;
};

}  // namespace

GesResult ges(Criterion& criterion, const Constraints& constraints, const Matrix& start_cpdag, bool turning, Reporter& reporter) {
    return Search(criterion, constraints, start_cpdag, reporter).run(turning);
}

}  // namespace veridag
