#include "search/ges/ges.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "graph/equivalence.hpp"
#include "search/ges/class_constraints.hpp"
#include "search/ges/operators.hpp"
#include "search/ges/pattern.hpp"

namespace veridag {
namespace ges_search {
namespace {

class Search {
   public:
    Search(Criterion& criterion, const Constraints& constraints, const Matrix& sizes, const Matrix& start,
           Progress& progress)
        : n_(criterion.variables()), s_{criterion, ClassConstraints(constraints, sizes), progress, Pattern(n_)} {
        Extension found = extend(start);
        if (!found.stuck.empty()) throw std::invalid_argument("the start of the search has no consistent extension");
        s_.g.become(cpdag(found.dag));
        std::optional<Matrix> member = s_.constraints.member(s_.g);
        if (!member) throw std::invalid_argument("no member of the class at the start is allowed");
        s_.score = total(*member);
    }

    GesResult run(bool turning) {
        for (bool again = true; again;) {
            Matrix before = s_.g.matrix();
            double score = s_.score;
            again = climb<Insertion>() && climb<Deletion>() && turning && climb<Turning>();
            if (!turning || s_.progress.stopped()) break;
            s_.score = total(member());
            if (s_.score > score + s_.tolerance()) continue;
            if (s_.score < score) s_.g.become(before);
            again = false;
        }
        Matrix dag = member();
        double score = total(dag);
        return {s_.g.matrix(), std::move(dag), score, s_.steps, s_.progress.stopped()};
    }

   private:
    // The member of the class at hand that the constraints allow: every class on the way has one.
    Matrix member() const {
        std::optional<Matrix> found = s_.constraints.member(s_.g);
        if (!found) throw std::logic_error("the search came to a class without a member that the constraints allow");
        return *std::move(found);
    }

    double total(const Matrix& dag) {
        double sum = 0.0;
        for (int v = 0; v < n_; ++v) sum += s_.local(v, dag.parents_of(v));
        return sum;
    }

    // Takes the best operator of one kind while there is one; false if the search is to stop.
    template <class Kind>
    bool climb() {
        s_.score = total(member());
        Kind phase(s_);
        std::vector<std::vector<Operator>> lists(at(n_));
        Set stale(at(n_));
        for (int v = 0; v < n_; ++v) stale[at(v)] = v;
        while (true) {
            for (int y : stale) {
                if (s_.stop()) return false;
                lists[at(y)] = phase.operators(y);
                auto better = [](const Operator& a, const Operator& b) {
                    return a.gain != b.gain ? a.gain > b.gain : precedes(a, b);
                };
                std::sort(lists[at(y)].begin(), lists[at(y)].end(), better);
            }
            if (s_.stop()) return false;
            std::optional<Step> step = best(phase, lists);
            if (s_.progress.stopped()) return false;
            if (!step) return true;
            stale = take(*step);
        }
    }

    struct Step {
        Matrix completed;
        double score;
    };

    // Insertions and deletions end by themselves; turns might go round in circles if the criterion is not
    // score-equivalent.
    template <class Kind>
    static constexpr bool must_improve = std::is_same_v<Kind, Turning>;

    // The operators of all targets from the best on, until the first valid one and those that tie with it have been
    // seen.
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
        // Without constraints only the operator that is taken has to be carried out.
        bool has_to_be_seen = !s_.constraints.empty() || must_improve<Kind>;
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
        Extension found = extend(phase.applied(op));
        if (!found.stuck.empty())
            throw std::logic_error("a valid operator led to a graph without consistent extension");
        Step step{cpdag(found.dag), s_.score + op.gain};
        if (s_.constraints.empty() && !must_improve<Kind> && std::isfinite(step.score)) return step;
        Pattern reached(n_);
        reached.become(step.completed);
        std::optional<Matrix> member = s_.constraints.member(reached);
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
        for (int v : touched) stale.insert(stale.end(), s_.g.adjacent(v).begin(), s_.g.adjacent(v).end());
        std::sort(stale.begin(), stale.end());
        stale.erase(std::unique(stale.begin(), stale.end()), stale.end());
        return stale;
    }

    int n_;
    State s_;
};

}  // namespace
}  // namespace ges_search

GesResult ges(Criterion& criterion, const Constraints& constraints, const Matrix& sizes, const Matrix& start_cpdag,
              bool turning, Progress& progress) {
    return ges_search::Search(criterion, constraints, sizes, start_cpdag, progress).run(turning);
}

}  // namespace veridag
