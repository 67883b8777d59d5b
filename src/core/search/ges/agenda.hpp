// The operators of one kind that gain, by target, and which of them to look at first.
#pragma once

#include <cstdint>
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

    // Whether the operator is open. If it is not because of a path, it is put aside until an arc of the path is gone.
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
        std::size_t head = 0;      // the first that is not put aside
        std::int64_t version = 0;  // no two lists have the same
    };
    struct Watcher {
        int y;
        std::size_t place;
        std::int64_t version;
    };

    static std::uint64_t key(int i, int j) {
        return static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(j);
    }
    // A list that was replaced; or, without one, an operator that was put aside or taken up, and its path.
    struct Event {
        Watcher about;
        std::vector<int> path;
        bool is_aside = false;
        std::optional<List> list = {};
    };

    void replace(int y, List list);
    void put_aside(const Watcher& about, std::vector<int> path);
    void take_up(const Watcher& about);
    void take_back(Event& event);
    void set_head(int y, std::size_t head);

    Kind& kind_;
    std::vector<List> lists_;
    std::set<std::pair<double, int>> heads_;  // the negative of the largest gain, and the target
    std::unordered_map<std::uint64_t, std::vector<Watcher>> watchers_;  // by arc: the operators that wait for its loss
    std::int64_t versions_ = 0;
    std::vector<char> is_stale_;
    Set stale_;
    bool is_recording_ = false;
    std::vector<Event> log_;  // since record()
};

}  // namespace veridag::ges_search
