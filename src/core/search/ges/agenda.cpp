#include "search/ges/agenda.hpp"

#include <algorithm>

namespace veridag::ges_search {

Agenda::Agenda(int variables, Kind& kind) : kind_(kind), lists_(at(variables)), is_stale_(at(variables), 0) {
    for (int v = 0; v < variables; ++v) mark_stale(v);
}

void Agenda::mark_stale(int y) {
    if (!is_stale_[at(y)]) stale_.push_back(y);
    is_stale_[at(y)] = 1;
}

bool Agenda::refresh(State& state) {
    std::sort(stale_.begin(), stale_.end());
    while (!stale_.empty()) {
        int y = stale_.back();
        if (state.stop()) return false;
        std::vector<Operator> list = kind_.operators(y, 0.0);
        if (state.progress.stopped()) return false;
        std::sort(list.begin(), list.end(), [](const Operator& a, const Operator& b) {
            return a.gain != b.gain ? a.gain > b.gain : precedes(a, b);
        });
        stale_.pop_back();
        is_stale_[at(y)] = 0;
        replace(y, {std::move(list), 0, ++versions_});
    }
    return true;
}

void Agenda::replace(int y, List list) {
    List& own = lists_[at(y)];
    if (own.head < own.operators.size()) heads_.erase({-own.operators[own.head].gain, y});
    std::swap(own, list);
    if (own.head < own.operators.size()) heads_.insert({-own.operators[own.head].gain, y});
    if (is_recording_) log_.push_back({{y, 0, 0}, {}, false, std::move(list)});
}

void Agenda::set_head(int y, std::size_t head) {
    List& own = lists_[at(y)];
    if (own.head < own.operators.size()) heads_.erase({-own.operators[own.head].gain, y});
    own.head = head;
    if (own.head < own.operators.size()) heads_.insert({-own.operators[own.head].gain, y});
}

bool Agenda::is_open(Operator& op) {
    if (kind_.is_open(op)) return true;
    if (op.path.empty()) return false;
    List& own = lists_[at(op.y)];
    Watcher about{op.y, static_cast<std::size_t>(&op - own.operators.data()), own.version};
    for (std::size_t k = 1; k < op.path.size(); ++k) watchers_[key(op.path[k - 1], op.path[k])].push_back(about);
    if (is_recording_) log_.push_back({about, op.path, true});
    put_aside(about, std::move(op.path));
    return false;
}

void Agenda::put_aside(const Watcher& about, std::vector<int> path) {
    List& own = lists_[at(about.y)];
    own.operators[about.place].is_aside = true;
    own.operators[about.place].path = std::move(path);
    std::size_t head = own.head;
    while (head < own.operators.size() && own.operators[head].is_aside) ++head;
    if (head != own.head) set_head(about.y, head);
}

void Agenda::take_up(const Watcher& about) {
    List& own = lists_[at(about.y)];
    own.operators[about.place].is_aside = false;
    own.operators[about.place].path.clear();
    if (about.place < own.head) set_head(about.y, about.place);
}

void Agenda::lose(int i, int j) {
    auto found = watchers_.find(key(i, j));
    if (found == watchers_.end()) return;
    for (const Watcher& about : found->second) {
        if (lists_[at(about.y)].version != about.version) continue;
        const Operator& op = lists_[at(about.y)].operators[about.place];
        if (!op.is_aside) continue;
        if (is_recording_) log_.push_back({about, op.path});
        take_up(about);
    }
    if (!is_recording_) watchers_.erase(found);
}

void Agenda::keep() {
    is_recording_ = false;
    log_.clear();
}

// One after the other, the last first. Watchers that came last are at the ends of their lists.
void Agenda::undo() {
    is_recording_ = false;
    for (; !log_.empty(); log_.pop_back()) take_back(log_.back());
    for (int y : stale_) is_stale_[at(y)] = 0;
    stale_.clear();
}

void Agenda::take_back(Event& event) {
    if (event.list) {
        replace(event.about.y, *std::move(event.list));
    } else if (event.is_aside) {
        for (std::size_t k = 1; k < event.path.size(); ++k) watchers_[key(event.path[k - 1], event.path[k])].pop_back();
        take_up(event.about);
    } else {
        put_aside(event.about, std::move(event.path));
    }
}

Set Agenda::changed() const {
    Set found = stale_;
    for (const Event& event : log_) {
        if (event.list) found.push_back(event.about.y);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

Operator* Agenda::Walk::next() {
    bool has_head = head_ != agenda_.heads_.end();
    if (!has_head && rest_.empty()) return nullptr;
    int y;
    std::size_t k;
    if (has_head && (rest_.empty() || std::pair(-head_->first, -head_->second) >
                                          std::pair(std::get<0>(rest_.top()), std::get<1>(rest_.top())))) {
        y = head_->second;
        k = agenda_.lists_[at(y)].head;
        ++head_;
    } else {
        y = -std::get<1>(rest_.top());
        k = std::get<2>(rest_.top());
        rest_.pop();
    }
    std::vector<Operator>& list = agenda_.lists_[at(y)].operators;
    std::size_t following = k + 1;
    while (following < list.size() && list[following].is_aside) ++following;
    if (following < list.size()) rest_.emplace(list[following].gain, -y, following);
    return &list[k];
}

}  // namespace veridag::ges_search
