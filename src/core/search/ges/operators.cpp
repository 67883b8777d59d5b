#include "search/ges/operators.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <tuple>

namespace veridag::ges_search {
namespace {

// So many families are scored between two looks at the progress.
constexpr std::size_t batch = 64;

}  // namespace

bool precedes(const Operator& a, const Operator& b) { return std::tie(a.y, a.x, a.set) < std::tie(b.y, b.x, b.set); }

double State::gain(double after, double before) const {
    return before == minus_infinity && std::isfinite(score) ? minus_infinity : after - before;
}

double State::tolerance() const { return std::isfinite(score) ? tie * std::abs(score) : 0.0; }

// ---- paths

bool Phase::still_leads(const Operator& op) const {
    for (std::size_t k = 1; k < op.path.size(); ++k) {
        if (!g.has(op.path[k - 1], op.path[k])) return false;
    }
    return !op.path.empty();
}

bool Phase::leads(Operator& op, const Set& blocked) {
    from_.resize(at(g.size()));
    seen_.resize(at(g.size()), 0);
    ++visit_;
    for (int v : blocked) seen_[at(v)] = visit_;
    seen_[at(op.y)] = visit_;
    front_.assign(1, op.y);
    for (std::size_t next = 0; next < front_.size(); ++next) {
        int v = front_[next];
        for (int u : g.adjacent(v)) {
            if (!g.has(v, u) || seen_[at(u)] == visit_ || (v == op.y && u == op.x)) continue;
            from_[at(u)] = v;
            if (u == op.x) {
                keep_path(op);
                return true;
            }
            seen_[at(u)] = visit_;
            front_.push_back(u);
        }
    }
    return false;
}

void Phase::keep_path(Operator& op) const {
    op.path.assign(1, op.x);
    while (op.path.back() != op.y) op.path.push_back(from_[at(op.path.back())]);
    std::reverse(op.path.begin(), op.path.end());
}

// ---- Insert

Insertion::Insertion(State& state) : Phase(state), rows_(at(g.size())), shared_(at(g.size())), covered_(at(g.size())) {}

// NA_YX and T together are a clique C of neighbours of y, and T is what of C is not joined to x. So for a given C,
// those x are asked for that are joined to no other neighbour of y.
std::vector<Operator> Insertion::operators(int y) {
    const Set& parents = g.parents(y);
    const Set& neighbours = g.neighbours(y);
    count_joined(neighbours, shared_);
    Set candidates = insertable(y);
    std::vector<Operator> found;
    Rows rows;
    for_each_clique(g, neighbours, s.constraints.max_indegree() - 1 - static_cast<int>(parents.size()),
                    [&](const Set& clique) {
                        if (s.stop()) return;
                        count_joined(clique, covered_);
                        Set base = united(parents, clique);
                        Row& row = rows[base];
                        if (auto cached = rows_[at(y)].find(base); cached != rows_[at(y)].end())
                            row = std::move(cached->second);
                        wanted_.clear();
                        for (int x : candidates) {
                            if (shared_[at(x)] == covered_[at(x)] && is_allowed(x, y, clique)) wanted_.push_back(x);
                        }
                        complete(row, y, base);
                        if (s.progress.stopped()) return;
                        for (int x : wanted_) {
                            double gain = s.gain(row.with[at(x)], row.alone);
                            if (gain > 0.0) found.push_back({gain, x, y, g.apart_from(x, clique), {}});
                        }
                    });
    rows_[at(y)] = std::move(rows);
    return found;
}

bool Insertion::is_open(Operator& op) {
    // A parent of x that is not joined to y compels x -> y. It saves carrying out an operator only to find that.
    if (s.constraints.bans(op.x, op.y) && g.joined_to(op.y, g.parents(op.x)).size() < g.parents(op.x).size())
        return false;
    return !still_leads(op) && !leads(op, united(g.joined_to(op.x, g.neighbours(op.y)), op.set));
}

Matrix Insertion::applied(const Operator& op) const {
    Matrix a = g.matrix();
    a.orient(op.x, op.y);
    for (int t : op.set) a.orient(t, op.y);
    return a;
}

void Insertion::complete(Row& row, int y, const Set& base) {
    if (row.with.empty()) {
        row.alone = s.local(y, base);
        row.with.assign(at(g.size()), std::nan(""));
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

void Insertion::count_joined(const Set& to, std::vector<int>& counts) const {
    std::fill(counts.begin(), counts.end(), 0);
    for (int u : to) {
        for (int x : g.adjacent(u)) ++counts[at(x)];
    }
}

Set Insertion::insertable(int y) const {
    Set found;
    for (int x = 0; x < g.size(); ++x) {
        if (x == y || g.joined(x, y)) continue;
        // With a parent that is not joined to x, y is a collider and x -> y compelled.
        bool must = s.constraints.bans(x, y) && g.joined_to(x, g.parents(y)).size() < g.parents(y).size();
        if (!must && !(s.constraints.bans(x, y) && s.constraints.bans(y, x))) found.push_back(x);
    }
    return found;
}

// Every t in T and x are the ends of a v-structure at y.
bool Insertion::is_allowed(int x, int y, const Set& clique) const {
    if (s.constraints.empty() || covered_[at(x)] == static_cast<int>(clique.size())) return true;
    if (s.constraints.bans(x, y)) return false;
    return std::none_of(clique.begin(), clique.end(),
                        [&](int t) { return !g.joined(t, x) && s.constraints.bans(t, y); });
}

// ---- Delete

std::vector<Operator> Deletion::operators(int y) {
    const Set& parents = g.parents(y);
    std::vector<Operator> found;
    for (int x : united(parents, g.neighbours(y))) {
        if (s.stop()) break;
        if (s.constraints.keeps(x, y)) continue;
        Set common = g.joined_to(x, g.neighbours(y));
        for_each_clique(g, common, g.size(), [&](const Set& clique) {
            Set h = minus(common, clique);
            // Every h in H is the collider of a v-structure with the ends x and y.
            if (std::any_of(h.begin(), h.end(),
                            [&](int v) { return s.constraints.bans(x, v) || s.constraints.bans(y, v); }))
                return;
            Set family = united(parents, clique);
            double gain = s.gain(s.local(y, without(family, x)), s.local(y, with(family, x)));
            if (gain > 0.0) found.push_back({gain, x, y, std::move(h), {}});
        });
    }
    return found;
}

Matrix Deletion::applied(const Operator& op) const {
    Matrix a = g.matrix();
    a.disconnect(op.x, op.y);
    for (int h : op.set) {
        a.orient(op.y, h);
        if (g.has(op.x, h)) a.orient(op.x, h);
    }
    return a;
}

// ---- Turn

std::vector<Operator> Turning::operators(int y) {
    std::vector<Operator> found;
    for (int x : g.adjacent(y)) {
        if (s.stop()) break;
        if (s.constraints.keeps(x, y) && s.constraints.bans(x, y)) continue;
        if (g.has_arc(y, x)) turn_arc(x, y, found);
        if (g.has_edge(x, y)) turn_edge(x, y, found);
    }
    return found;
}

// An edge has no condition on paths: those of its chain component are taken care of by the separation.
bool Turning::is_open(Operator& op) {
    return !g.has_arc(op.y, op.x) || (!still_leads(op) && !leads(op, united(op.set, g.neighbours(op.x))));
}

Matrix Turning::applied(const Operator& op) const {
    Matrix a = g.matrix();
    bool was_arc = g.has_arc(op.y, op.x);
    for (int z : g.neighbours(op.y)) {
        if (contains(op.set, z)) {
            a.orient(z, op.y);
        } else {
            a.orient(op.y, z);
        }
    }
    for (int w : g.neighbours(op.x)) {
        if (!was_arc && contains(op.set, w)) {
            a.orient(w, op.x);
        } else {
            a.orient(op.x, w);
        }
    }
    a.orient(op.x, op.y);
    return a;
}

// y -> x, compelled. A neighbour of y that is joined to x is a parent of x, so it has to come before y.
void Turning::turn_arc(int x, int y, std::vector<Operator>& found) {
    Set common = g.joined_to(x, g.neighbours(y));
    for_each_clique(g, g.neighbours(y), room(y), [&](const Set& c) {
        if (!std::includes(c.begin(), c.end(), common.begin(), common.end())) return;
        add(x, y, c, united(g.parents(y), c), without(g.parents(x), y), found);
    });
}

// x - y, and y -> x is not covered: it would be if all of C were joined to x, and turning it would stay in the class.
void Turning::turn_edge(int x, int y, std::vector<Operator>& found) {
    Set others = without(g.neighbours(y), x);
    Set common = g.joined_to(x, others);
    for_each_clique(g, others, room(y), [&](const Set& c) {
        Set apart = minus(c, common);
        if (apart.empty() || s.constraints.bans(x, y) || !separates(c, common, others)) return;
        if (std::any_of(apart.begin(), apart.end(), [&](int t) { return s.constraints.bans(t, y); })) return;
        add(x, y, c, united(g.parents(y), c), united(g.parents(x), minus(c, apart)), found);
    });
}

// Whether the common part of C and N separates C \ N from N \ C among the neighbours of y.
bool Turning::separates(const Set& c, const Set& common, const Set& among) const {
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

void Turning::add(int x, int y, const Set& c, const Set& of_y, const Set& of_x, std::vector<Operator>& found) {
    double before = s.local(y, of_y) + s.local(x, with(of_x, y));
    double gain = s.gain(s.local(y, with(of_y, x)) + s.local(x, of_x), before);
    if (gain > 0.0) found.push_back({gain, x, y, c, {}});
}

}  // namespace veridag::ges_search
