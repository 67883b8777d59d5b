#include "search/boss/tree_order.hpp"

#include <algorithm>
#include <utility>

#include "index.hpp"

namespace veridag::boss_search {

TreeOrder::TreeOrder(std::vector<GrowShrinkTree>& trees, const Constraints& constraints, std::vector<int> order,
                     Watch& watch)
    : trees_(trees),
      constraints_(constraints),
      watch_(watch),
      n_(static_cast<int>(order.size())),
      order_(std::move(order)),
      nodes_(order_.size()),
      values_(order_.size()) {
    choose(0, n_ - 1);
}

// Anew for the variables from one place to another, when the order between them has changed.
void TreeOrder::choose(int first, int last) {
    Bits before(words_for(n_), 0);
    for (int place = 0; place <= last; ++place) {
        int v = order_[at(place)];
        if (place >= first) {
            nodes_[at(v)] = watch_.stop() ? GrowShrinkTree::root : trees_[at(v)].trace(before.data());
            values_[at(v)] = trees_[at(v)].score(nodes_[at(v)]);
        }
        set_bit(before.data(), v);
    }
    total_ = {};
    for (double value : values_) total_.add(value);
}

void TreeOrder::climb() {
    for (bool gained = true; gained;) {
        gained = false;
        for (int x : std::vector<int>(order_)) {
            if (watch_.stop()) return;
            int from = static_cast<int>(std::find(order_.begin(), order_.end(), x) - order_.begin());
            int to = best_place(from);
            if (to == from) continue;
            auto begin = order_.begin();
            if (to < from)
                std::rotate(begin + to, begin + from, begin + from + 1);
            else
                std::rotate(begin + from, begin + from + 1, begin + to + 1);
            choose(std::min(from, to), std::max(from, to));
            ++watch_.steps;
            gained = true;
        }
    }
}

int TreeOrder::best_place(int from) {
    int x = order_[at(from)], best = from;
    Total highest = total_;
    Bits before(words_for(n_), 0);
    for (int k = 0; k < from; ++k) set_bit(before.data(), order_[at(k)]);
    auto offer = [&](int to, Total others) {
        others.add(value(x, before));
        if (!others.better_than(highest)) return;
        highest = others;
        best = to;
    };
    Bits here = before;
    Total others = total_;
    others.subtract(values_[at(x)]);
    for (int to = from - 1; to >= 0; --to) {  // those that x passes may have it as a parent then
        int w = order_[at(to)];
        if (constraints_.is_required(w, x) || watch_.stop()) break;
        clear_bit(before.data(), w);
        set_bit(before.data(), x);
        others.subtract(values_[at(w)]);
        others.add(value(w, before));
        clear_bit(before.data(), x);
        offer(to, others);
    }
    before = std::move(here);
    others = total_;
    others.subtract(values_[at(x)]);
    for (int to = from + 1; to < n_; ++to) {  // and may not any more
        int w = order_[at(to)];
        if (constraints_.is_required(x, w) || watch_.stop()) break;
        others.subtract(values_[at(w)]);
        others.add(value(w, before));
        set_bit(before.data(), w);
        offer(to, others);
    }
    return best;
}

}  // namespace veridag::boss_search
