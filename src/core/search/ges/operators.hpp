// The steps of a greedy equivalence search from one class to another.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "progress.hpp"
#include "scores/criterion.hpp"
#include "search/ges/class_constraints.hpp"
#include "search/ges/pattern.hpp"

namespace veridag::ges_search {

// A step to another class: x -> y comes, x -> y or x - y goes, or the edge of x and y becomes x -> y. `set` is T, H or
// C.
struct Operator {
    double gain;
    int x, y;
    Set set;
    std::vector<int>
        path;  // one that was found to break the condition on paths; as long as it is there, no other is looked for
};

// By target, then the other end, then the set: the order in which ties are broken.
bool precedes(const Operator& a, const Operator& b);

// What the phases share: where the search is, and what it knows.
struct State {
    Criterion& criterion;
    ClassConstraints constraints;
    Progress& progress;
    Pattern g;
    double score = 0.0;
    std::int64_t steps = 0;

    bool stop() { return progress.stop(steps, score); }

    double local(int y, const Set& parents) { return criterion.local(y, parents); }

    // What the class gains. A family that is ruled out says nothing of a class that is not.
    double gain(double after, double before) const;

    double tolerance() const;
};

// A kind of operator.
class Phase {
   public:
    explicit Phase(State& state) : s(state), g(state.g) {}
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;
    virtual ~Phase() = default;

    // The operators on the target y that improve the score and are valid but for paths and constraints.
    virtual std::vector<Operator> operators(int y) = 0;
    // Whether the condition on paths holds, and others that hang on more than the surroundings of the target.
    virtual bool is_open(Operator&) { return true; }
    // A PDAG with an extension in the class that the operator leads to.
    virtual Matrix applied(const Operator& op) const = 0;

   protected:
    // Whether the path that was in the way is still there.
    bool still_leads(const Operator& op) const;

    // Whether a semi-directed path leads from y to x, other than the edge from y to x itself, around the blocked
    // variables.
    bool leads(Operator& op, const Set& blocked);

    State& s;
    const Pattern& g;

   private:
    void keep_path(Operator& op) const;

    std::vector<std::int64_t> seen_;
    std::int64_t visit_ = 0;
    std::vector<int> front_, from_;
};

// Insert(X, Y, T): Chickering (2002), definition 12, theorem 15 and corollary 16.
class Insertion : public Phase {
   public:
    explicit Insertion(State& state);

    std::vector<Operator> operators(int y) override;
    bool is_open(Operator& op) override;
    Matrix applied(const Operator& op) const override;

   private:
    // The scores of a target with some parents alone and with each variable added; unknown ones are not a number.
    struct Row {
        double alone = 0.0;
        std::vector<double> with;
    };
    using Rows = std::map<Set, Row>;

    void complete(Row& row, int y, const Set& base);
    void count_joined(const Set& to, std::vector<int>& counts) const;
    Set insertable(int y) const;
    bool is_allowed(int x, int y, const Set& clique) const;

    std::vector<Rows> rows_;
    std::vector<int> shared_, covered_;
    Set wanted_, missing_;
};

// Delete(X, Y, H): Chickering (2002), definition 13, theorem 17 and corollary 18.
class Deletion : public Phase {
   public:
    using Phase::Phase;

    std::vector<Operator> operators(int y) override;
    Matrix applied(const Operator& op) const override;
};

// Turn(X, Y, C): Hauser and Buhlmann (2012), propositions 31 and 34, without interventions. C are the neighbours of y
// that are its parents in the DAG in which the arc y -> x is turned.
class Turning : public Phase {
   public:
    using Phase::Phase;

    std::vector<Operator> operators(int y) override;
    bool is_open(Operator& op) override;
    Matrix applied(const Operator& op) const override;

   private:
    int room(int y) const { return s.constraints.max_indegree() - 1 - static_cast<int>(g.parents(y).size()); }
    void turn_arc(int x, int y, std::vector<Operator>& found);
    void turn_edge(int x, int y, std::vector<Operator>& found);
    bool separates(const Set& c, const Set& common, const Set& among) const;
    void add(int x, int y, const Set& c, const Set& of_y, const Set& of_x, std::vector<Operator>& found);
};

}  // namespace veridag::ges_search
