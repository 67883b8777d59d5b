#include "exact/order_climb.hpp"

#include <algorithm>
#include <cmath>

#include "index.hpp"
#include "random.hpp"

namespace veridag {
namespace {

// An order with the best row of every variable. A variable without a candidate counts as much worse than all others.
class Order {
   public:
    Order(const Candidates& candidates, std::vector<int> order)
        : table_(&candidates),
          order_(std::move(order)),
          rows_(order_.size()),
          missing_(order_.size()),
          before_(candidates.words()) {
        double range = 1.0;
        for (int v = 0; v < size(); ++v) {
            if (candidates.begin(v) < candidates.end(v))
                range += candidates.score(candidates.begin(v)) - candidates.score(candidates.end(v) - 1);
        }
        for (int v = 0; v < size(); ++v) {
            missing_[at(v)] =
                (candidates.begin(v) < candidates.end(v) ? candidates.score(candidates.end(v) - 1) : 0.0) - 2.0 * range;
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
    // Passing a variable changes something only where one of the two is in a candidate of the other.
    bool improve(int place, double least) {
        int v = order_[at(place)];
        double best = 0.0;
        int target = place;
        auto pass = [&](int to, std::size_t row, double lost) {
            double gain = lost + value(v, row) - value(v, rows_[at(v)]);
            if (gain > best + least) best = gain, target = to;  // of equal ones the first
        };
        gather(place);
        double lost = 0.0;
        std::size_t row = rows_[at(v)];
        for (int to = place - 1; to >= 0; --to) {  // those that v passes may have it as a parent then
            int w = order_[at(to)];
            clear_bit(before_.data(), w);
            if (table_->may_have(v, w)) row = first_within(row, table_->end(v));
            if (!table_->may_have(w, v)) continue;
            lost += value(w, best_with(w, v)) - value(w, rows_[at(w)]);
            pass(to, row, lost);
        }
        gather(place);
        lost = 0.0;
        row = rows_[at(v)];
        for (int to = place + 1; to < size(); ++to) {  // and may not any more
            int w = order_[at(to)];
            if (rows_[at(w)] != table_->end(w) && has_bit(table_->set(rows_[at(w)]), v)) {
                lost += value(w, first_within(rows_[at(w)], table_->end(w))) - value(w, rows_[at(w)]);
            }
            set_bit(before_.data(), w);
            if (!table_->may_have(v, w)) continue;
            row = first_within(table_->begin(v), row);
            pass(to, row, lost);
        }
        if (target == place) return false;
        move(place, target);
        choose_between(v, std::min(place, target), std::max(place, target));
        return true;
    }

    void move(int from, int to) {
        auto begin = order_.begin();
        if (to < from)
            std::rotate(begin + to, begin + from, begin + from + 1);
        else
            std::rotate(begin + from, begin + from + 1, begin + to + 1);
    }

    void choose() {
        std::fill(before_.begin(), before_.end(), Word{0});
        for (int v : order_) {
            rows_[at(v)] = table_->best_within(v, before_.data());
            set_bit(before_.data(), v);
        }
        add_up();
    }

   private:
    double value(int v, std::size_t row) const { return row == table_->end(v) ? missing_[at(v)] : table_->score(row); }

    void gather(int place) {
        std::fill(before_.begin(), before_.end(), Word{0});
        for (int k = 0; k < place; ++k) set_bit(before_.data(), order_[at(k)]);
    }

    // After v has moved between two places, which concerns v and those between that may have it as a parent.
    void choose_between(int v, int first, int last) {
        gather(first);
        for (int place = first; place <= last; ++place) {
            int w = order_[at(place)];
            if (w == v || table_->may_have(w, v)) rows_[at(w)] = table_->best_within(w, before_.data());
            set_bit(before_.data(), w);
        }
        add_up();
    }

    void add_up() {
        score_ = 0.0;
        for (int v : order_) score_ += value(v, rows_[at(v)]);
    }

    // The first row of these, the best, that is within what is before; `last` if there is none.
    std::size_t first_within(std::size_t row, std::size_t last) const {
        while (row < last && !table_->within(row, before_.data())) ++row;
        return row;
    }

    // The best row of w within what is before, v added: better than its row now only if v is in it. `before_` is up to
    // w, without it.
    std::size_t best_with(int w, int v) {
        set_bit(before_.data(), v);
        std::size_t found = first_within(table_->begin(w), rows_[at(w)]);
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

bool climb(Order& order, double tolerance, Stream& random, Progress& progress, std::int64_t& steps) {
    for (bool better = true; better;) {
        better = false;
        for (int k = 0; k < order.size(); ++k) {
            if (order.improve(static_cast<int>(random.uniform() * order.size()), tolerance)) better = true, ++steps;
        }
        for (int k = 0; k < order.size() && !better; ++k) {  // all of them, before it is believed that none helps
            if (order.improve(k, tolerance)) better = true, ++steps;
        }
        if (progress.stop(steps, order.score())) return false;
    }
    return true;
}

}  // namespace

ClimbResult climb_orders(const Candidates& candidates, std::vector<int> start, const ClimbSettings& settings,
                         Progress& progress) {
    Stream random(settings.seed, 0x636c696d62ULL, 0);
    ClimbResult result;
    Order current(candidates, std::move(start));
    double tolerance = tie * (1.0 + std::abs(current.score()));
    bool going = climb(current, tolerance, random, progress, result.steps);
    Order best = current;
    for (std::int64_t failed = 0; going && failed < settings.rounds; ++failed) {
        Order next = current;
        int moves = 2 + static_cast<int>(random.uniform() * 4);
        for (int k = 0; k < moves; ++k)
            next.move(static_cast<int>(random.uniform() * next.size()),
                      static_cast<int>(random.uniform() * next.size()));
        next.choose();
        going = climb(next, tolerance, random, progress, result.steps);
        // A little downhill is gone now and then, so that the search leaves what it cannot better.
        double downhill = random.uniform() < 0.1 ? 1e-4 * std::abs(current.score()) : 0.0;
        if (next.score() > current.score() - downhill - tolerance) current = next;
        if (next.score() > best.score() + tolerance) best = next, failed = 0;
    }
    if (!best.complete()) return result;
    result.choice = best.rows();
    result.score = best.score();
    return result;
}

}  // namespace veridag
