#include "search/boss/list_order.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "index.hpp"
#include "search/boss/grow_shrink_tree.hpp"

namespace veridag::boss_search {
namespace {

constexpr double nearby = 0.7;  // how often a disturbance is near the one before
constexpr double tucks = 0.3;   // how often a variable takes its ancestors with it

constexpr std::size_t rows_a_look = 32;  // of a list that take as long as all else in a look

}  // namespace

ListTable::ListTable(std::vector<Choices> all) : lists(std::move(all)), near(lists.size()), missing(lists.size()) {
    double range = 1.0;
    auto neighbour = [&](int v, int w) -> Neighbour& {
        auto& known = near[at(v)];
        auto place = std::lower_bound(known.begin(), known.end(), w,
                                      [](const Neighbour& one, int wanted) { return one.variable < wanted; });
        if (place == known.end() || place->variable != w) place = known.insert(place, {w});
        return *place;
    };
    for (int v = 0; v < variables(); ++v) {
        const Choices& list = lists[at(v)];
        Mask used = list.required;
        for (Mask set : list.sets) used |= set;
        for (std::size_t i = 0; i < list.candidates.size(); ++i) {
            if (!(used & order_search::bit(i))) continue;
            neighbour(v, list.candidates[i]).as_parent = order_search::bit(i);
            neighbour(list.candidates[i], v).as_child = order_search::bit(i);
        }
        if (!list.scores.empty()) range += list.scores.front() - list.scores.back();
    }
    for (std::size_t v = 0; v < lists.size(); ++v)
        missing[v] = (lists[v].scores.empty() ? 0.0 : lists[v].scores.back()) - 2.0 * range;
}

ListOrder::ListOrder(const ListTable& table, std::vector<int> order)
    : table_(&table),
      n_(table.variables()),
      order_(std::move(order)),
      place_(at(n_)),
      before_(at(n_), 0),
      rows_(at(n_)),
      queued_(at(n_), 0) {
    for (int i = 0; i < n_; ++i) place_[at(order_[at(i)])] = i;
    for (int v = 0; v < n_; ++v) {
        for (const Neighbour& near : table_->near[at(v)]) {
            if (place_[at(near.variable)] < place_[at(v)]) before_[at(v)] |= near.as_parent;
        }
        rows_[at(v)] = list(v).first(before_[at(v)]);
        score_ += table_->value(v, rows_[at(v)]);
    }
    for (int v : order_) wake(v);
}

bool ListOrder::complete() const {
    for (int v = 0; v < n_; ++v) {
        if (rows_[at(v)] == list(v).sets.size()) return false;
    }
    return true;
}

std::vector<int> ListOrder::parents(int v) const {
    const Choices& choices = list(v);
    return choices.members(rows_[at(v)] < choices.sets.size() ? choices.sets[rows_[at(v)]] : choices.required);
}

void ListOrder::climb(Watch& watch) {
    while (!queue_.empty()) {
        // From the front, in batches: those woken meanwhile come later.
        std::vector<int> batch;
        batch.swap(queue_);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (i % 64 == 0 && watch.stop()) {
                queue_.insert(queue_.end(), batch.begin() + static_cast<std::ptrdiff_t>(i), batch.end());
                return;
            }
            queued_[at(batch[i])] = 0;
            if (improve(batch[i])) ++watch.steps;
        }
    }
    score_ = 0.0;
    for (int v = 0; v < n_; ++v) score_ += table_->value(v, rows_[at(v)]);
}

void ListOrder::disturb(int moves, Stream& random) {
    int x = -1;
    for (int k = 0; k < moves; ++k) {
        double jump = random.uniform(), which = random.uniform();
        if (x < 0 || jump > nearby || table_->near[at(x)].empty()) {
            x = static_cast<int>(which * n_);
        } else {
            const auto& near = table_->near[at(x)];
            x = near[static_cast<std::size_t>(which * static_cast<double>(near.size()))].variable;
        }
        displace(x, random);
    }
}

void ListOrder::displace(int x, Stream& random) {
    const auto& near = table_->near[at(x)];
    double which = random.uniform(), kind = random.uniform();
    if (near.empty()) return;
    int w = near[static_cast<std::size_t>(which * static_cast<double>(near.size()))].variable;
    if (kind >= tucks) {
        move(x, reach(x, place_[at(w)]));
    } else if (place_[at(w)] < place_[at(x)]) {
        tuck(x, place_[at(w)]);
    } else {
        tuck(w, place_[at(x)]);
    }
}

// Brings x to this place on its left, and with it its ancestors on the way, so that they remain before it: the tuck of
// Lam, Andrews and Ramsey (2022), "Greedy relaxations of the sparsest permutation algorithm".
void ListOrder::tuck(int x, int to) {
    std::vector<int> moved{x};
    std::vector<char> is_ancestor(at(n_), 0);
    for (int k = place_[at(x)]; k > to; --k) {
        int v = order_[at(k)];
        if (v != x && !is_ancestor[at(v)]) continue;
        if (v != x) moved.push_back(v);
        for (int u : parents(v)) is_ancestor[at(u)] = 1;
    }
    for (auto v = moved.rbegin(); v != moved.rend(); ++v) move(*v, reach(*v, to++));
}

// How far x can go on the way to this place before it would pass a required parent or child.
int ListOrder::reach(int x, int to) const {
    int from = place_[at(x)];
    for (const Neighbour& other : table_->near[at(x)]) {
        bool is_child = list(other.variable).required & other.as_child, is_parent = list(x).required & other.as_parent;
        if (is_child && place(other) > from && place(other) <= to) to = place(other) - 1;
        if (is_parent && place(other) < from && place(other) >= to) to = place(other) + 1;
    }
    return to;
}

std::size_t ListOrder::row_of(int v, Mask before) {
    std::size_t row = list(v).first(before);
    looks_ += 1 + static_cast<std::int64_t>(row / rows_a_look);
    return row;
}

void ListOrder::wake(int v) {
    if (queued_[at(v)]) return;
    queued_[at(v)] = 1;
    queue_.push_back(v);
}

void ListOrder::wake_around(int v) {
    wake(v);
    for (const Neighbour& near : table_->near[at(v)]) wake(near.variable);
}

// Moving x past a variable that it cannot be joined with changes nothing, so only the places next to the others are
// tried.
bool ListOrder::improve(int x) {
    left_.clear();
    right_.clear();
    for (const Neighbour& w : table_->near[at(x)]) (place(w) < place_[at(x)] ? left_ : right_).push_back(&w);
    std::sort(left_.begin(), left_.end(), [&](auto* a, auto* b) { return place(*a) > place(*b); });
    std::sort(right_.begin(), right_.end(), [&](auto* a, auto* b) { return place(*a) < place(*b); });
    double own = table_->value(x, rows_[at(x)]), least = tolerance(score_), best = 0.0;
    int target = -1;
    for (const auto* side : {&left_, &right_}) {
        Mask before = before_[at(x)];
        std::size_t row = rows_[at(x)];
        double others = 0.0;
        for (const Neighbour* near : *side) {
            int w = near->variable;
            if (near->as_parent) {
                before ^= near->as_parent;
                if (misses_required(x, before)) break;
                row = row_of(x, before);
            }
            if (near->as_child) {
                Mask w_before = before_[at(w)] ^ near->as_child;
                if (misses_required(w, w_before)) break;
                others += table_->value(w, row_of(w, w_before)) - table_->value(w, rows_[at(w)]);
            }
            double gain = others + table_->value(x, row) - own;
            if (gain <= best + least) continue;
            best = gain;
            target = place_[at(w)];
        }
    }
    if (target < 0) return false;
    move(x, target);
    return true;
}

void ListOrder::choose(int v) {
    std::size_t row = row_of(v, before_[at(v)]);
    if (row == rows_[at(v)]) return;
    score_ += table_->value(v, row) - table_->value(v, rows_[at(v)]);
    rows_[at(v)] = row;
    wake_around(v);
}

void ListOrder::move(int x, int to) {
    int from = place_[at(x)], first = std::min(from, to), last = std::max(from, to);
    if (from == to) return;
    for (const Neighbour& near : table_->near[at(x)]) {
        if (place(near) < first || place(near) > last) continue;
        before_[at(x)] ^= near.as_parent;
        if (!near.as_child) continue;
        before_[at(near.variable)] ^= near.as_child;
        choose(near.variable);
    }
    choose(x);
    wake_around(x);
    auto begin = order_.begin();
    if (to < from)
        std::rotate(begin + to, begin + from, begin + from + 1);
    else
        std::rotate(begin + from, begin + from + 1, begin + to + 1);
    for (int k = first; k <= last; ++k) place_[at(order_[at(k)])] = k;
}

}  // namespace veridag::boss_search
