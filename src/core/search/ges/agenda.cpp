#include "search/ges/agenda.hpp"

#include <algorithm>
#include <numeric>

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
    if (is_recording_) log_.push_back({y, std::move(list)});
}

void Agenda::set_head(int y, std::size_t head) {
    List& own = lists_[at(y)];
    if (own.head < own.operators.size()) heads_.erase({-own.operators[own.head].gain, y});
    own.head = head;
    if (own.head < own.operators.size()) heads_.insert({-own.operators[own.head].gain, y});
}

bool Agenda::is_open(Operator& op) {
    if (op.is_aside) return false;
    if (kind_.is_open(op)) return true;
    if (op.path.empty()) return false;
    List& own = lists_[at(op.y)];
    auto block = std::make_shared<Block>(Block{op.y, own.version, op.path, ruled_out(own, op)});
    for (std::size_t k = 1; k < op.path.size(); ++k) waiting_[key(op.path[k - 1], op.path[k])].push_back(block);
    op.path.clear();
    put_aside(*block);
    if (is_recording_) log_.push_back({block->y, std::nullopt, block, true});
    return false;
}

// The operators of the same two variables that are not put aside yet and whose set does not block the path either.
std::vector<std::size_t> Agenda::ruled_out(List& list, const Operator& op) {
    const std::vector<Operator>& all = list.operators;
    if (list.by_source.empty()) {
        list.by_source.resize(all.size());
        std::iota(list.by_source.begin(), list.by_source.end(), std::size_t{0});
        std::stable_sort(list.by_source.begin(), list.by_source.end(),
                         [&](std::size_t a, std::size_t b) { return all[a].x < all[b].x; });
    }
    auto place = std::lower_bound(list.by_source.begin(), list.by_source.end(), op.x,
                                  [&](std::size_t a, int x) { return all[a].x < x; });
    std::vector<std::size_t> found;
    for (; place != list.by_source.end() && all[*place].x == op.x; ++place) {
        const Operator& other = all[*place];
        bool is_blocked = std::any_of(op.path.begin(), op.path.end(), [&](int v) { return contains(other.set, v); });
        if (!other.is_aside && !is_blocked) found.push_back(*place);
    }
    return found;
}

void Agenda::put_aside(Block& block) {
    List& own = lists_[at(block.y)];
    block.holds = true;
    for (std::size_t place : block.places) own.operators[place].is_aside = true;
    std::size_t head = own.head;
    while (head < own.operators.size() && own.operators[head].is_aside) ++head;
    if (head != own.head) set_head(block.y, head);
}

void Agenda::take_up(Block& block) {
    List& own = lists_[at(block.y)];
    block.holds = false;
    for (std::size_t place : block.places) own.operators[place].is_aside = false;
    if (block.places.front() < own.head) set_head(block.y, block.places.front());
}

void Agenda::lose(int i, int j) {
    auto found = waiting_.find(key(i, j));
    if (found == waiting_.end()) return;
    for (const SharedBlock& block : found->second) {
        if (lists_[at(block->y)].version != block->version || !block->holds) continue;
        take_up(*block);
        if (is_recording_) log_.push_back({block->y, std::nullopt, block, false});
    }
    if (!is_recording_) waiting_.erase(found);
}

void Agenda::keep() {
    is_recording_ = false;
    log_.clear();
}

// One after the other, the last first. Blocks that came last are at the ends of their lists.
void Agenda::undo() {
    is_recording_ = false;
    for (; !log_.empty(); log_.pop_back()) take_back(log_.back());
    for (int y : stale_) is_stale_[at(y)] = 0;
    stale_.clear();
}

void Agenda::take_back(Event& event) {
    if (event.list) {
        replace(event.y, *std::move(event.list));
    } else if (event.is_aside) {
        const std::vector<int>& path = event.block->path;
        for (std::size_t k = 1; k < path.size(); ++k) waiting_[key(path[k - 1], path[k])].pop_back();
        take_up(*event.block);
    } else {
        put_aside(*event.block);
    }
}

Set Agenda::changed() const {
    Set found = stale_;
    for (const Event& event : log_) {
        if (event.list) found.push_back(event.y);
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
