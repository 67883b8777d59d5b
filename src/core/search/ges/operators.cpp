#include "search/ges/operators.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "search/ges/cliques.hpp"

namespace veridag::ges_search {

bool precedes(const Operator& a, const Operator& b) { return std::tie(a.y, a.x, a.set) < std::tie(b.y, b.x, b.set); }

double State::gain(double after, double before) const {
    return before == minus_infinity && std::isfinite(score) ? minus_infinity : after - before;
}

double State::tolerance() const { return std::isfinite(score) ? tie * std::abs(score) : 0.0; }

// ---- paths

// From both ends, level by level, the end with the smaller level first: most often one of them has little around it.
bool Kind::leads(Operator& op, const Set& blocked) {
    seen_.resize(at(g.size()), 0);
    visit_ += 3;
    for (int v : blocked) seen_[at(v)] = visit_;
    auto begin = [&](Front& front, int v, std::int64_t mark) {
        front.from.resize(at(g.size()));
        front.reached.assign(1, v);
        front.next = 0;
        front.mark = seen_[at(v)] = mark;
    };
    begin(from_y_, op.y, visit_ + 1);
    begin(to_x_, op.x, visit_ + 2);
    auto waiting = [](const Front& front) { return front.reached.size() - front.next; };
    int meeting = -1;
    while (waiting(from_y_) > 0 && waiting(to_x_) > 0) {
        bool is_forward = waiting(from_y_) <= waiting(to_x_);
        bool has_met =
            is_forward ? advance(from_y_, to_x_, true, op, meeting) : advance(to_x_, from_y_, false, op, meeting);
        if (!has_met) continue;
        keep_path(op, meeting);
        return true;
    }
    return false;
}

// One level on. `meeting` is then the last variable that the path reached from y.
bool Kind::advance(Front& front, Front& other, bool is_forward, const Operator& op, int& meeting) {
    for (std::size_t end = front.reached.size(); front.next < end; ++front.next) {
        int v = front.reached[front.next];
        for (int u : is_forward ? g.after(v) : g.before(v)) {
            std::int64_t& seen = seen_[at(u)];
            if (seen == front.mark || seen == visit_) continue;
            if (seen == other.mark) {
                if ((v == op.y && u == op.x) || (v == op.x && u == op.y)) continue;
                meeting = is_forward ? v : u;
                (is_forward ? other.from : front.from)[at(meeting)] = is_forward ? u : v;
                return true;
            }
            seen = front.mark;
            front.from[at(u)] = v;
            front.reached.push_back(u);
        }
    }
    return false;
}

void Kind::keep_path(Operator& op, int meeting) const {
    op.path.assign(1, meeting);
    while (op.path.back() != op.y) op.path.push_back(from_y_.from[at(op.path.back())]);
    std::reverse(op.path.begin(), op.path.end());
    while (op.path.back() != op.x) op.path.push_back(to_x_.from[at(op.path.back())]);
}

// ---- Delete

std::vector<Operator> Deletion::operators(int y, double least) {
    std::vector<Operator> found;
    for (int x : g.before(y)) {
        if (s.stop()) break;
        add(x, y, least, found);
    }
    return found;
}

void Deletion::add(int x, int y, double least, std::vector<Operator>& found) {
    if (s.constraints.keeps(x, y)) return;
    const Set& parents = g.parents(y);
    Set common = g.joined_to(x, g.neighbours(y));
    // What is deleted with the clique C = NA \ H, if it is allowed.
    auto gain = [&](const Set& clique) {
        // Every h in H is the collider of a v-structure with the ends x and y.
        for (int h : common) {
            if (contains(clique, h)) continue;
            if (s.constraints.bans(x, h) || s.constraints.bans(y, h)) return minus_infinity;
        }
        family_.clear();
        std::set_union(parents.begin(), parents.end(), clique.begin(), clique.end(), std::back_inserter(family_));
        auto place = std::lower_bound(family_.begin(), family_.end(), x);
        if (place == family_.end() || *place != x) place = family_.insert(place, x);
        double before = s.local(y, family_);
        family_.erase(place);
        return s.gain(s.local(y, family_), before);
    };
    auto visit = [&](const Set& clique, double gained) {
        if (gained > least) found.push_back({gained, x, y, minus(common, clique)});
    };
    if (std::optional<std::vector<Set>> cliques = all_cliques(g, common, g.size())) {
        for (const Set& clique : *cliques) visit(clique, gain(clique));
        return;
    }
    climb_cliques(g, common, g.is_clique(common) ? common : Set(), g.size(), s.tolerance(), gain, visit);
}

void Deletion::apply(const Operator& op) {
    s.here.remove(op.x, op.y, minus(g.joined_to(op.x, g.neighbours(op.y)), op.set));
}

// ---- Turn

std::vector<Operator> Turning::operators(int y, double least) {
    std::vector<Operator> found;
    for (int x : g.adjacent(y)) {
        if (s.stop()) break;
        if (s.constraints.keeps(x, y) && s.constraints.bans(x, y)) continue;
        if (g.has_arc(y, x)) turn_arc(x, y, least, found);
        if (g.has_edge(x, y)) turn_edge(x, y, least, found);
    }
    return found;
}

// An edge has no condition on paths: those of its chain component are taken care of by the separation.
bool Turning::is_open(Operator& op) { return !g.has_arc(op.y, op.x) || !leads(op, united(op.set, g.neighbours(op.x))); }

void Turning::apply(const Operator& op) { s.here.turn(op.x, op.y, op.set); }

// y -> x, compelled. A neighbour of y that is joined to x is a parent of x, so it has to come before y.
void Turning::turn_arc(int x, int y, double least, std::vector<Operator>& found) {
    Set common = g.joined_to(x, g.neighbours(y)), pool;
    if (!g.is_clique(common)) return;
    for (int z : g.neighbours(y)) {
        if (!contains(common, z) && g.joins_all(z, common)) pool.push_back(z);
    }
    int rest = room(y) - static_cast<int>(common.size());
    std::optional<std::vector<Set>> cliques = all_cliques(g, pool, rest);
    if (!cliques) cliques = all_cliques(g, pool, std::min(rest, 1));
    if (!cliques) cliques = all_cliques(g, pool, std::min(rest, 0));
    if (!cliques) return;
    Set of_x = without(g.parents(x), y);
    for (const Set& t : *cliques) add(x, y, united(common, t), of_x, least, found);
}

// x - y, and y -> x is not covered: it would be if all of C were joined to x, and turning it would stay in the class.
void Turning::turn_edge(int x, int y, double least, std::vector<Operator>& found) {
    if (s.constraints.bans(x, y)) return;
    Set others = without(g.neighbours(y), x);
    Set common = g.joined_to(x, others);
    std::optional<std::vector<Set>> cliques = all_cliques(g, others, room(y));
    if (!cliques) cliques = all_cliques(g, others, std::min(room(y), 1));
    if (!cliques) return;
    for (const Set& c : *cliques) {
        Set apart = minus(c, common);
        if (apart.empty() || !separates(c, common, others)) continue;
        if (std::any_of(apart.begin(), apart.end(), [&](int t) { return s.constraints.bans(t, y); })) continue;
        add(x, y, c, united(g.parents(x), minus(c, apart)), least, found);
    }
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

void Turning::add(int x, int y, const Set& c, const Set& of_x, double least, std::vector<Operator>& found) {
    Set of_y = united(g.parents(y), c);
    double before = s.local(y, of_y) + s.local(x, with(of_x, y));
    double gain = s.gain(s.local(y, with(of_y, x)) + s.local(x, of_x), before);
    if (gain > least) found.push_back({gain, x, y, c});
}

}  // namespace veridag::ges_search
