// The steps of a greedy equivalence search from one class to another.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "progress.hpp"
#include "scores/criterion.hpp"
#include "search/ges/class_constraints.hpp"
#include "search/ges/equivalence_class.hpp"

namespace veridag::ges_search {

// A step to another class: x -> y comes, x -> y or x - y goes, or the edge of x and y becomes x -> y. `set` is T, H or
// C.
struct Operator {
    double gain;
    int x, y;
    Set set;
    std::vector<int> path = {};  // one that breaks the condition on paths, if one was found
    bool is_aside = false;       // until an arc of the path is gone
};

// By target, then the other end, then the set: the order in which ties are broken.
bool precedes(const Operator& a, const Operator& b);

// What all kinds of operators share: where the search is, and what it knows.
struct State {
    Criterion& criterion;
    ClassConstraints constraints;
    Progress& progress;
    EquivalenceClass here;
    double score = 0.0;
    double best = minus_infinity;  // what is reported: while something is tried out, the score before it
    std::int64_t steps = 0;
    std::pair<int, int> barred{-1, -1};  // (x, y) of insertions that are not to be made

    const Pattern& pattern() const { return here.pattern(); }
    bool stop() { return progress.stop(steps, best); }
    double local(int y, const Set& parents) { return criterion.local(y, parents); }

    // What the class gains. A family that is ruled out says nothing of a class that is not.
    double gain(double after, double before) const;

    double tolerance() const;
};

// A kind of operator.
class Kind {
   public:
    explicit Kind(State& state) : s(state), g(state.pattern()) {}
    Kind(const Kind&) = delete;
    Kind& operator=(const Kind&) = delete;
    virtual ~Kind() = default;

    // The operators on the target y that gain more than `least` and are valid but for paths and constraints.
    virtual std::vector<Operator> operators(int y, double least) = 0;
    // Whether the condition on paths holds, and others that hang on more than the surroundings of the target.
    virtual bool is_open(Operator&) { return true; }
    virtual void apply(const Operator& op) = 0;

   protected:
    // Whether a semi-directed path leads from y to x, other than the edge from y to x itself, around the blocked
    // variables.
    bool leads(Operator& op, const Set& blocked);

    State& s;
    const Pattern& g;

   private:
    // A search for a path from one of its ends.
    struct Front {
        std::vector<int> reached;  // in the order in which they were
        std::size_t next = 0;      // the first whose surroundings are not known yet
        std::vector<int> from;     // by variable: the one before it
        std::int64_t mark = 0;     // of what was reached
    };

    bool advance(Front& front, Front& other, bool is_forward, const Operator& op, int& meeting);
    void keep_path(Operator& op, int meeting) const;

    std::vector<std::int64_t> seen_;
    std::int64_t visit_ = 0;
    Front from_y_, to_x_;
};

// Insert(X, Y, T): Chickering (2002), definition 12, theorem 15 and corollary 16.
class Insertion : public Kind {
   public:
    explicit Insertion(State& state);

    std::vector<Operator> operators(int y, double least) override;
    bool is_open(Operator& op) override;
    void apply(const Operator& op) override;

   private:
    // The scores of a target with some parents alone and with each of some variables added.
    struct Row {
        double alone = 0.0;
        std::vector<std::pair<int, double>> with;  // ascending
    };
    using Rows = std::map<Set, Row>;
    using Wanted = std::map<Set, Set>;  // by clique: the sources

    Set sources(int y) const;
    void complete(Row& row, int y, const Set& base, const Set& xs);
    void add(int y, const Wanted& wanted, double least, std::vector<Operator>& found);
    void want(int y, const Set& sources, Wanted& wanted, double least, std::vector<Operator>& found);
    void grow(int x, int y, const Set& common, const Set& pool, double least, std::vector<Operator>& found);
    bool is_allowed(int x, int y, const Set& t) const;

    std::vector<Rows> rows_;
    std::vector<double> scores_;
};

// Delete(X, Y, H): Chickering (2002), definition 13, theorem 17 and corollary 18.
class Deletion : public Kind {
   public:
    using Kind::Kind;

    std::vector<Operator> operators(int y, double least) override;
    // Those of one edge.
    void add(int x, int y, double least, std::vector<Operator>& found);
    void apply(const Operator& op) override;

   private:
    Set family_;
};

// Turn(X, Y, C): Hauser and Buhlmann (2012), propositions 31 and 34, without interventions. C are the neighbours of y
// that are its parents in the DAG in which the arc y -> x is turned.
class Turning : public Kind {
   public:
    using Kind::Kind;

    std::vector<Operator> operators(int y, double least) override;
    bool is_open(Operator& op) override;
    void apply(const Operator& op) override;

   private:
    int room(int y) const { return s.constraints.max_indegree() - 1 - static_cast<int>(g.parents(y).size()); }
    void turn_arc(int x, int y, double least, std::vector<Operator>& found);
    void turn_edge(int x, int y, double least, std::vector<Operator>& found);
    bool separates(const Set& c, const Set& common, const Set& among) const;
    void add(int x, int y, const Set& c, const Set& of_x, double least, std::vector<Operator>& found);
};

}  // namespace veridag::ges_search
