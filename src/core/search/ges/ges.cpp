#include "search/ges/ges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "graph/equivalence.hpp"
#include "search/ges/agenda.hpp"
#include "search/ges/class_constraints.hpp"
#include "search/ges/operators.hpp"

namespace veridag {
namespace ges_search {
namespace {

// Trials go on until they have asked for so many scores without finding anything better, or for so many times those
// that the search before asked for. With sparse networks they rarely do; where all variables depend on each other,
// every trial looks at all of them.
constexpr std::int64_t least_effort = 1'000'000, relative_effort = 1;

Matrix extended(const Matrix& start) {
    Extension found = extend(start);
    if (!found.stuck.empty()) throw std::invalid_argument("the start of the search has no consistent extension");
    return std::move(found.dag);
}

// A member that is allowed, of the class of some DAG.
Matrix allowed(const ClassConstraints& constraints, const Matrix& dag) {
    if (constraints.empty() && constraints.max_indegree() >= dag.size() - 1) return dag;
    std::optional<Matrix> member = constraints.member(EquivalenceClass(dag).pattern());
    if (!member) throw std::invalid_argument("no member of the class at the start is allowed");
    return *std::move(member);
}

class Search {
   public:
    Search(Criterion& criterion, ClassConstraints constraints, const Matrix& start, const GesSettings& settings,
           Progress& progress)
        : n_(criterion.variables()),
          settings_(settings),
          s_{criterion, std::move(constraints), progress, EquivalenceClass(start)},
          insertion_(s_),
          deletion_(s_),
          turning_(s_),
          insert_(n_, insertion_),
          delete_(n_, deletion_),
          turn_(n_, turning_),
          changed_at_(at(n_), 0) {
        s_.score = s_.best = total();
    }

    GesResult run() {
        if (settings_.order == GesOrder::phases) {
            run_phases();
        } else {
            climb_mixed();
            if (settings_.order == GesOrder::extended) try_more();
        }
        std::optional<Matrix> found;
        if (settings_.equivalent) found = s_.constraints.member(s_.pattern());
        Matrix dag = found ? *std::move(found) : s_.here.member();
        double score = 0.0;
        for (int v = 0; v < n_; ++v) score += s_.local(v, dag.parents_of(v));
        return {s_.pattern().matrix(), std::move(dag), score, s_.steps, s_.progress.stopped()};
    }

   private:
    // ---- the orders

    void run_phases() {
        while (true) {
            std::size_t mark = s_.here.mark();
            double score = s_.score;
            climb(insert_);
            climb(delete_);
            if (!settings_.turning) return;
            climb(turn_);
            if (s_.progress.stopped()) return;
            if (s_.score > score + s_.tolerance()) continue;
            if (s_.score < score) s_.here.go_back(mark);
            return;
        }
    }

    void climb(Agenda& agenda) {
        while (step(agenda)) continue;
    }

    // Steps of whichever kind helps, those that simplify first, until none does.
    void climb_mixed() {
        while (step(delete_) || (settings_.turning && step(turn_)) || step(insert_)) continue;
    }

    // ---- the extended search

    // What is known of a trial that led to nothing: it will do so again, unless one of the targets has changed whose
    // operators were looked at.
    struct Trial {
        std::int64_t time;
        Set looked_at;
    };
    // Of a deletion, or of a variable and -1.
    using Trials = std::map<std::tuple<int, int, Set>, Trial>;

    bool is_vain(const Trials& vain, const Trials::key_type& what) const {
        auto found = vain.find(what);
        return found != vain.end() && !has_changed(found->second.looked_at, found->second.time);
    }

    bool has_changed(const Set& targets, std::int64_t since) const {
        return std::any_of(targets.begin(), targets.end(), [&](int v) { return changed_at_[at(v)] > since; });
    }

    void try_more() {
        s_.here.forget();
        std::int64_t before = s_.criterion.calls();
        most_calls_ = before + std::max(least_effort, relative_effort * before);
        Trials vain;
        while (try_deletions(vain) || try_variables(vain)) continue;
    }

    bool is_enough() { return s_.stop() || s_.criterion.calls() > most_calls_; }

    // Deletes an edge and goes on without making the same arc again, but perhaps its reverse. True if any such trial
    // led to something better.
    bool try_deletions(Trials& vain) {
        bool has_helped = false;
        std::int64_t listed = time_;
        for (const Operator& op : deletions()) {
            if (is_enough()) return false;
            Trials::key_type what{op.y, op.x, op.set};
            if (has_changed({op.y}, listed) || is_vain(vain, what)) continue;
            s_.barred = {op.x, op.y};
            Set looked_at = attempt({op.y}, [&] { return take(deletion_, op, false); });
            if (s_.progress.stopped()) return false;
            has_helped = has_helped || looked_at.empty();
            if (!looked_at.empty()) vain[what] = {time_, std::move(looked_at)};
        }
        return has_helped;
    }

    // Takes a variable out of the network and goes on from there: arcs that hold each other in place come anew.
    bool try_variables(Trials& vain) {
        bool has_helped = false;
        for (int v = 0; v < n_; ++v) {
            if (is_enough()) return false;
            Trials::key_type what{v, -1, {}};
            if (s_.pattern().adjacent(v).size() < 2 || is_vain(vain, what)) continue;
            Set looked_at = attempt({v}, [&] { return isolate(v); });
            if (s_.progress.stopped()) return false;
            has_helped = has_helped || looked_at.empty();
            if (!looked_at.empty()) vain[what] = {time_, std::move(looked_at)};
        }
        return has_helped;
    }

    // Deletes the edges of a variable that may be deleted, each time the one that costs least.
    bool isolate(int v) {
        bool is_changed = false;
        while (!s_.stop()) {
            std::vector<Operator> all;
            for (int u : s_.pattern().before(v)) deletion_.add(u, v, minus_infinity, all);
            for (int u : s_.pattern().after(v)) deletion_.add(v, u, minus_infinity, all);
            sort_by_gain(all);
            auto taken = std::find_if(all.begin(), all.end(), [&](auto& op) { return take(deletion_, op, false); });
            if (taken == all.end()) break;
            is_changed = true;
        }
        return is_changed;
    }

    // The largest gain first; of those that tie, the first.
    void sort_by_gain(std::vector<Operator>& all) const {
        std::sort(all.begin(), all.end(), [](const Operator& a, const Operator& b) {
            return a.gain != b.gain ? a.gain > b.gain : precedes(a, b);
        });
        for (auto first = all.begin(); first != all.end();) {
            auto end = std::find_if(first, all.end(),
                                    [&](const Operator& op) { return op.gain < first->gain - s_.tolerance(); });
            std::sort(first, end, precedes);
            first = end;
        }
    }

    // Of each edge the deletion that costs least, and of an undirected one that of either direction.
    std::vector<Operator> deletions() {
        std::vector<Operator> all;
        for (int y = 0; y < n_; ++y) {
            for (Operator& op : deletion_.operators(y, minus_infinity)) all.push_back(std::move(op));
        }
        sort_by_gain(all);
        std::set<std::pair<int, int>> seen;
        std::erase_if(all, [&](const Operator& op) { return !seen.insert({op.x, op.y}).second; });
        return all;
    }

    // Begins something, goes on from there and keeps what is better; otherwise goes back and says at which targets it
    // looked.
    template <class Begin>
    Set attempt(Set looked_at, Begin&& begin) {
        double score = s_.score;
        is_trial_ = true;
        for (Agenda* agenda : agendas()) agenda->record();
        if (begin()) climb_mixed();
        for (Agenda* agenda : agendas()) looked_at = united(looked_at, agenda->changed());
        is_trial_ = false;
        if (s_.barred.second >= 0) looked_at = with(looked_at, s_.barred.first);
        int barred = std::exchange(s_.barred, {-1, -1}).second;
        if (s_.progress.stopped() || !(s_.score > score + s_.tolerance())) {
            s_.here.go_back(0);
            s_.score = score;
            for (Agenda* agenda : agendas()) agenda->undo();
            return looked_at;
        }
        if (barred >= 0) insert_.mark_stale(barred);
        s_.best = s_.score;
        climb_mixed();
        ++time_;
        for (Agenda* agenda : agendas()) {
            for (int v : agenda->changed()) changed_at_[at(v)] = time_;
            agenda->keep();
        }
        s_.here.forget();
        most_calls_ = std::max(most_calls_, s_.criterion.calls() + least_effort);
        return {};
    }

    std::array<Agenda*, 3> agendas() { return {&insert_, &delete_, &turn_}; }

    // ---- steps

    double total() {
        double sum = 0.0;
        for (int v = 0; v < n_; ++v) sum += s_.local(v, s_.here.parents(v));
        return sum;
    }

    // Takes the best operator of a kind that is valid and helps; false if there is none or the search is to stop.
    bool step(Agenda& agenda) {
        if (!agenda.refresh(s_)) return false;
        // Insertions and deletions in phases end by themselves.
        bool must_improve = settings_.order != GesOrder::phases || &agenda == &turn_;
        Agenda::Walk walk(agenda);
        double least = s_.tolerance();
        for (Operator* op = walk.next(); op && op->gain > least;) {
            double enough = std::max(least, op->gain - s_.tolerance());
            std::vector<Operator*> tied{op};
            for (op = walk.next(); op && op->gain >= enough; op = walk.next()) tied.push_back(op);
            std::sort(tied.begin(), tied.end(), [](auto* a, auto* b) { return precedes(*a, *b); });
            for (Operator* one : tied) {
                if (agenda.is_open(*one) && take(agenda.kind(), *one, must_improve)) return true;
            }
            if (s_.stop()) return false;
        }
        return false;
    }

    bool take(Kind& kind, const Operator& op, bool must_improve) {
        std::size_t mark = s_.here.mark();
        kind.apply(op);
        double reached = s_.score + op.gain;
        bool is_allowed = s_.constraints.empty() || s_.here.settle(s_.constraints, mark);
        EquivalenceClass::Changes changes = s_.here.since(mark);
        if (is_allowed && !(trusts_gains() && std::isfinite(reached))) {
            reached = score_after(changes);
            is_allowed = reached > minus_infinity && (!must_improve || reached > s_.score + s_.tolerance());
        }
        if (!is_allowed) {
            s_.here.go_back(mark);
            return false;
        }
        s_.score = reached;
        ++s_.steps;
        if (!is_trial_) s_.best = std::max(s_.best, s_.score);
        mark_stale(changes);
        return true;
    }

    // Whether what an operator gains is what the class gains, as equivalent scores say. Rounding breaks that where
    // columns are nearly linear functions of each other, and the search would go round for ever: after far more steps
    // than it takes otherwise, it goes by the scores of members of the classes.
    bool trusts_gains() const {
        return settings_.equivalent && s_.steps < 1000 + 10 * static_cast<std::int64_t>(n_) * n_;
    }

    double score_after(const EquivalenceClass::Changes& changes) {
        if (!std::isfinite(s_.score)) return total();
        double reached = s_.score;
        for (const auto& [v, before] : changes.families)
            reached += s_.local(v, s_.here.parents(v)) - s_.local(v, before);
        return reached;
    }

    // The targets whose operators may have changed: those with other edges, and those with a neighbour that is joined
    // to something else than before. A turn also changes the parents of its source.
    void mark_stale(const EquivalenceClass::Changes& changes) {
        const Pattern& g = s_.pattern();
        auto mark = [&](int v) {
            for (Agenda* agenda : agendas()) agenda->mark_stale(v);
        };
        for (auto [i, j] : changes.lost) {
            for (Agenda* agenda : agendas()) agenda->lose(i, j);
        }
        for (int v : changes.touched) {
            mark(v);
            for (int u : g.adjacent(v)) turn_.mark_stale(u);
        }
        for (auto [i, j] : changes.pairs) {
            for (int u : g.neighbours(i)) mark(u);
            for (int u : g.neighbours(j)) mark(u);
        }
    }

    int n_;
    const GesSettings& settings_;
    State s_;
    Insertion insertion_;
    Deletion deletion_;
    Turning turning_;
    Agenda insert_, delete_, turn_;
    bool is_trial_ = false;
    std::int64_t time_ = 0, most_calls_ = 0;
    std::vector<std::int64_t> changed_at_;  // by target: when its operators changed
};

}  // namespace
}  // namespace ges_search

GesResult ges(Criterion& criterion, const Constraints& constraints, const Matrix& start, const GesSettings& settings,
              Progress& progress) {
    using namespace ges_search;
    ClassConstraints of_classes(constraints, settings.sizes);
    Matrix first = allowed(of_classes, extended(start));
    return Search(criterion, std::move(of_classes), first, settings, progress).run();
}

}  // namespace veridag
