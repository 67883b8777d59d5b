#include "search/order_climb.hpp"

#include <algorithm>
#include <cmath>

#include "sampling/random.hpp"

namespace veridag {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// An order with the best row of every variable. A variable without a candidate counts as much worse than all others.
class Order {
   public:
    Order(const Candidates& candidates, std::vector<int> order)
        : table_(&candidates), order_(std::move(order)), rows_(order_.size()), missing_(order_.size()), before_(candidates.words()) {
        double range = 1.0;
        for (int v = 0; v < size(); ++v) {
            if (candidates.begin(v) < candidates.end(v)) range += candidates.score(candidates.begin(v)) - candidates.score(candidates.end(v) - 1);
        }
        for (int v = 0; v < size(); ++v) {
            missing_[at(v)] = (candidates.begin(v) < candidates.end(v) ? candidates.score(candidates.end(v) - 1) : 0.0) - 2.0 * range;
        }
        choose();
    }

    int size() const { return table_->variables(); }
    double score() const { return score_; }
    const std::vector<std::size_t>& rows() const { return rows_; }

    bool complete() const {
        for (int v = 0; v < size(); ++v) {
            if (rows_[at(v)] == table_->end(v)) return false;
        }
        return true;
    }

    // Moves the variable at this place to the best other place, if that gains more than `least`; whether it does.
    bool improve(int place, double least) {
        int v = order_[at(place)];
        double own = value(v, rows_[at(v)]), best = least, lost = 0.0;
        int target = place;
        auto try_place = [&](int to) {
            double gain = lost + value(v, table_->best_within(v, before_.data())) - own;
            if (gain > best) best = gain, target = to;
        };
        gather(place);
        for (int to = place - 1; to >= 0; --to) {  // those that v passes may have it as a parent then
            int w = order_[at(to)];
            clear_bit(before_.data(), w);
            lost += value(w, best_with(w, v)) - value(w, rows_[at(w)]);
            try_place(to);
        }
        gather(place);
        lost = 0.0;
        for (int to = place + 1; to < size(); ++to) {  // and may not any more
            int w = order_[at(to)];
            if (rows_[at(w)] != table_->end(w) && has_bit(table_->set(rows_[at(w)]), v)) {
                lost += value(w, table_->best_within(w, before_.data())) - value(w, rows_[at(w)]);
            }
            set_bit(before_.data(), w);
            try_place(to);
        }
        if (target == place) return false;
        move(place, target);
        choose();
        return true;
    }

    void move(int from, int to) {
        auto begin = order_.begin();
        if (to < from) std::rotate(begin + to, begin + from, begin + from + 1);
        else std::rotate(begin + from, begin + from + 1, begin + to + 1);
    }

    void choose() {
        std::fill(before_.begin(), before_.end(), Word{0});
        score_ = 0.0;
        for (int v : order_) {
            rows_[at(v)] = table_->best_within(v, before_.data());
            score_ += value(v, rows_[at(v)]);
            set_bit(before_.data(), v);
        }
    }

   private:
    double value(int v, std::size_t row) const { return row == table_->end(v) ? missing_[at(v)] : table_->score(row); }

    void gather(int place) {
        std::fill(before_.begin(), before_.end(), Word{0});
        for (int k = 0; k < place; ++k) set_bit(before_.data(), order_[at(k)]);
    }

    // The best row of w within what is before, v added: better than its row now only if v is in it. `before_` is up to w, without it.
    std::size_t best_with(int w, int v) {
        set_bit(before_.data(), v);
        std::size_t found = rows_[at(w)];
        for (std::size_t row = table_->begin(w); row < found; ++row) {
            if (table_->within(row, before_.data())) found = row;
        }
        clear_bit(before_.data(), v);
        return found;
    }

    const Candidates* table_;
    std::vector<int> order_;
    std::vector<std::size_t> rows_;
    std::vector<double> missing_;
    Bits before_;
    double score_ = 0.0;
};

bool climb(Order& order, double tolerance, Stream& random, Reporter& reporter, std::int64_t& steps) {
    for (bool better = true; better;) {
        better = false;
        for (int k = 0; k < order.size(); ++k) {
            if (order.improve(static_cast<int>(random.uniform() * order.size()), tolerance)) better = true, ++steps;
        }
        for (int k = 0; k < order.size() && !better; ++k) {  // all of them, before it is believed that none helps
            if (order.improve(k, tolerance)) better = true, ++steps;
        }
        if (reporter.stop(steps, order.score())) return false;
    }
    return true;
}

}  // namespace

ClimbResult climb_orders(const Candidates& candidates, std::vector<int> start, const ClimbSettings& settings, Reporter& reporter) {
    Stream random(settings.seed, 0x636c696d62ULL, 0);
    ClimbResult result;
    Order current(candidates, std::move(start));
    double tolerance = tie * (1.0 + std::abs(current.score()));
    bool going = climb(current, tolerance, random, reporter, result.steps);
    Order best = current;
    for (std::int64_t failed = 0; going && failed < settings.rounds; ++failed) {
        Order next = current;
        int moves = 2 + static_cast<int>(random.uniform() * 4);
        for (int k = 0; k < moves; ++k) next.move(static_cast<int>(random.uniform() * next.size()), static_cast<int>(random.uniform() * next.size()));
        next.choose();
        going = climb(next, tolerance, random, reporter, result.steps);
        // A little downhill is gone now and then, so that the search leaves what it cannot better.
        if (next.score() > current.score() - (random.uniform() < 0.1 ? 1e-4 * std::abs(current.score()) : 0.0)) current = next;
        if (next.score() > best.score() + tolerance) best = next, failed = 0;
    }
    if (!best.complete()) return result;
    result.choice = best.rows();
    result.score = best.score();
    return result;
}

}  // namespace veridag
