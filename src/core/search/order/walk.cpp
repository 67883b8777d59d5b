#include "search/order/walk.hpp"

#include <algorithm>
#include <utility>

#include "index.hpp"

namespace veridag::order_search {

Move random_move(int n, Stream& random) {
    double kind = random.uniform();
    if (kind < 0.5) {
        int i = below(n - 1, random);
        return {true, i, i + 1};
    }
    int i = below(n, random), j = below(n - 1, random);
    if (j >= i) ++j;
    return kind < 0.625 ? Move{true, std::min(i, j), std::max(i, j)} : Move{false, i, j};
}

Walk::Walk(const std::vector<Choices>& choices, bool average)
    : choices_(choices),
      average_(average),
      n_(static_cast<int>(choices.size())),
      bits_(at(n_) * at(n_), 0),
      before_(at(n_)),
      values_(at(n_)) {
    for (int v = 0; v < n_; ++v) {
        const std::vector<int>& candidates = choices_[at(v)].candidates;
        for (std::size_t i = 0; i < candidates.size(); ++i) bits_[at(v, candidates[i], n_)] = bit(i);
    }
}

void Walk::set(std::vector<int> order) {
    order_ = std::move(order);
    std::fill(before_.begin(), before_.end(), 0);
    for (int i = 0; i < n_; ++i) {
        for (int j = 0; j < i; ++j) before_[at(order_[at(i)])] |= as_parent(order_[at(j)], order_[at(i)]);
    }
    for (int v = 0; v < n_; ++v) values_[at(v)] = value(v, before_[at(v)]);
    sum_anew();
}

void Walk::sum_anew() {
    total_ = {};
    for (double value : values_) total_.add(value);
}

std::optional<Total> Walk::propose(Move move) {
    changes_.clear();
    Total change;
    bool possible =
        move.swap ? propose_swap(move.from, move.to, change) : propose_insertion(move.from, move.to, change);
    if (!possible) return std::nullopt;
    return change;
}

void Walk::make(Move move, const Total& change) {
    for (const Change& one : changes_) {
        before_[at(one.child)] = one.before;
        values_[at(one.child)] = one.value;
    }
    total_.impossible += change.impossible;
    total_.sum += change.sum;
    auto place = [&](int i) { return order_.begin() + i; };
    if (move.swap)
        std::iter_swap(place(move.from), place(move.to));
    else if (move.from < move.to)
        std::rotate(place(move.from), place(move.from) + 1, place(move.to) + 1);
    else
        std::rotate(place(move.to), place(move.from), place(move.from) + 1);
}

int Walk::best_place(int from) const {
    int x = order_[at(from)], best = from;
    Total highest = total_;
    for (int direction : {-1, 1}) {
        Total others = total_;
        others.subtract(values_[at(x)]);
        Mask before = before_[at(x)];
        for (int to = from + direction; to >= 0 && to < n_; to += direction) {
            int w = order_[at(to)];
            // x passes w: to the left w comes to have x before it, to the right it no longer has.
            Mask w_before = before_[at(w)] ^ as_parent(x, w);
            before ^= as_parent(w, x);
            if (misses_required(w, w_before) || misses_required(x, before)) break;
            others.subtract(values_[at(w)]);
            others.add(value(w, w_before));
            Total moved = others;
            moved.add(value(x, before));
            if (!moved.better_than(highest)) continue;
            highest = moved;
            best = to;
        }
    }
    return best;
}

Matrix Walk::dag() const {
    Matrix arcs(n_);
    for (int v = 0; v < n_; ++v) {
        const Choices& choices = choices_[at(v)];
        std::size_t i = choices.first(before_[at(v)]);
        for (int u : choices.members(i < choices.sets.size() ? choices.sets[i] : choices.required)) arcs.set(u, v);
    }
    return arcs;
}

bool Walk::change_child(int v, Mask before, Total& change) {
    if (before == before_[at(v)]) return true;
    if (misses_required(v, before)) return false;
    double changed = value(v, before);
    change.subtract(values_[at(v)]);
    change.add(changed);
    changes_.push_back({v, before, changed});
    return true;
}

bool Walk::propose_swap(int i, int j, Total& change) {
    int x = order_[at(i)], y = order_[at(j)];
    Mask passed_by_x = as_parent(y, x), passed_by_y = as_parent(x, y);
    for (int k = i + 1; k < j; ++k) {
        int w = order_[at(k)];
        passed_by_x |= as_parent(w, x);
        passed_by_y |= as_parent(w, y);
        if (!change_child(w, (before_[at(w)] & ~as_parent(x, w)) | as_parent(y, w), change)) return false;
    }
    return change_child(x, before_[at(x)] | passed_by_x, change) &&
           change_child(y, before_[at(y)] & ~passed_by_y, change);
}

bool Walk::propose_insertion(int from, int to, Total& change) {
    int x = order_[at(from)], direction = from < to ? 1 : -1;
    Mask passed = 0;
    for (int k = from; k != to;) {
        k += direction;
        int w = order_[at(k)];
        passed |= as_parent(w, x);
        if (!change_child(w, before_[at(w)] ^ as_parent(x, w), change)) return false;
    }
    return change_child(x, before_[at(x)] ^ passed, change);
}

}  // namespace veridag::order_search
