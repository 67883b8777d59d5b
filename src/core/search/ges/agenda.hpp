// The operators of one kind that gain, by target, and which of them to look at first.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/ges/operators.hpp"

namespace veridag::ges_search {

class Agenda {
   public:
    Agenda(int variables, Kind& kind);

    Kind& kind() const { return kind_; }

    void mark_stale(int y);
    // Lists the operators of all targets that are stale; false if the search is to stop.
    bool refresh(State& state);

    // Whether the operator is open. If it is not because of a path, it is put aside until an arc of the path is gone,
    // and with it all operators of the same two variables that the path rules out.
    bool is_open(Operator& op);
    // The graph has lost i -> j.
    void lose(int i, int j);

    // What happens between `record` and `keep` or `undo` can be taken back. Nothing may be stale at the beginning.
    void record() { is_recording_ = true; }
    void keep();
    void undo();
    // The targets whose lists were replaced or are stale.
    Set changed() const;

    // The operators of all targets but for those put aside, the one with the largest gain first; valid until a list is
    // replaced.
    class Walk {
       public:
        explicit Walk(Agenda& agenda) : agenda_(agenda), head_(agenda.heads_.begin()) {}
        Operator* next();

       private:
        Agenda& agenda_;
        std::set<std::pair<double, int>>::const_iterator head_;
        std::priority_queue<std::tuple<double, int, std::size_t>> rest_;  // gain, target (the smaller first), place
    };

   private:
    struct List {
        std::vector<Operator> operators;
        std::size_t head = 0;                     // the first that is not put aside
        std::int64_t version = 0;                 // no two lists have the same
        std::vector<std::size_t> by_source = {};  // the places of the operators in the order of x, once it is needed
    };
    // Operators of one list that wait for the loss of an arc of a path.
    struct Block {
        int y;
        std::int64_t version;
        std::vector<int> path;
        std::vector<std::size_t> places;
        bool holds = true;
    };
    using SharedBlock = std::shared_ptr<Block>;
    // A list that was replaced; or, without one, operators that were put aside or taken up.
    struct Event {
        int y;
        std::optional<List> list;
        SharedBlock block = nullptr;
        bool is_aside = false;
    };

    static std::uint64_t key(int i, int j) {
        return static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(j);
    }

    void replace(int y, List list);
    static std::vector<std::size_t> ruled_out(List& list, const Operator& op);
    void put_aside(Block& block);
    void take_up(Block& block);
    void take_back(Event& event);
    void set_head(int y, std::size_t head);

    Kind& kind_;
    std::vector<List> lists_;
    std::set<std::pair<double, int>> heads_;  // the negative of the largest gain, and the target
    std::unordered_map<std::uint64_t, std::vector<SharedBlock>> waiting_;  // by arc: what waits for its loss
    std::int64_t versions_ = 0;
    std::vector<char> is_stale_;
    Set stale_;
    bool is_recording_ = false;
    std::vector<Event> log_;  // since record()
};

}  // namespace veridag::ges_search
