#include "inference/engine.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "index.hpp"

namespace veridag::inference {

Engine::Engine(const JunctionTree& tree, Tables tables) : tree_(&tree), tables_(std::move(tables)) {
    if (tables_.size() != at(tree.variables())) throw std::invalid_argument("there must be a table for each variable");
    for (int arity : tree.arities()) {
        first_.push_back(entries_);
        entries_ += at(arity);
    }
}

// The smallest table that holds a variable is a part, or a message to a parent, which is smaller than both.
std::unique_ptr<Engine::Plan> Engine::make_plan(std::vector<char> is_free) const {
    auto plan = std::make_unique<Plan>(Plan{Restriction(*tree_, std::move(is_free)), {}, {}, {}});
    const std::vector<Part>& parts = plan->restriction.parts();
    struct Place {
        std::size_t entries = std::numeric_limits<std::size_t>::max();
        std::size_t part = 0;
        bool is_message = false;
    };
    std::vector<Place> places(at(tree_->variables()));
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const Part& part = parts[p];
        for (std::size_t k = 0; k < part.variables.size(); ++k) {
            bool is_message = part.parent >= 0 && k < part.shared;
            std::size_t entries = is_message ? part.message : part.message * part.rest;
            Place& place = places[at(part.variables[k])];
            if (entries < place.entries) place = {entries, p, is_message};
        }
    }
    plan->from_parts.resize(parts.size());
    plan->from_messages.resize(parts.size());
    plan->needed.assign(parts.size(), 0);
    for (int v = 0; v < tree_->variables(); ++v) {
        if (!plan->restriction.is_free(v)) continue;
        const Place& place = places[at(v)];
        (place.is_message ? plan->from_messages : plan->from_parts)[place.part].push_back(v);
        plan->needed[place.part] = 1;
    }
    return plan;
}

void Engine::prepare(const std::int32_t* row, Limits limits) {
    std::vector<char> is_free(at(tree_->variables()));
    bool is_same = plan_ != nullptr;
    for (int v = 0; v < tree_->variables(); ++v) {
        std::int32_t state = row[at(v)];
        if (state < -1 || state >= tree_->arities()[at(v)])
            throw std::invalid_argument("a state lies outside those of its variable");
        is_free[at(v)] = state < 0 && tree_->arities()[at(v)] > 1;
        is_same = is_same && (is_free[at(v)] != 0) == plan_->restriction.is_free(v);
    }
    if (is_same) return;
    refuse_large(*tree_, is_free, limits);
    std::unique_ptr<Plan> plan = make_plan(std::move(is_free));
    auto propagation = std::make_unique<Propagation>(plan->restriction, tables_);
    if (propagation_) propagation->adopt(*propagation_);
    propagation_ = std::move(propagation);  // before the plan that the old one refers to goes
    plan_ = std::move(plan);
}

void Engine::write_known(const std::int32_t* row, double* out) const {
    for (int v = 0; v < tree_->variables(); ++v) {
        if (!plan_->restriction.is_free(v)) out[first_[at(v)] + at(std::max(row[at(v)], 0))] = 1.0;
    }
}

double Engine::marginals(const std::int32_t* row, Limits limits, double* out) {
    std::fill(out, out + entries_, 0.0);
    prepare(row, limits);
    double log_p = propagation_->collect(row, Reduction::sum);
    if (log_p > -std::numeric_limits<double>::infinity()) {
        write_known(row, out);
        auto add = [&](int v, std::span<const int> variables, const double* table) {
            double* own = out + first_[at(v)];
            auto arity = at(tree_->arities()[at(v)]);
            std::size_t stride = 1;
            add_sums(table, plan_->restriction.axes(variables, {&v, 1}, {&stride, 1}), 1.0, own);
            double whole = sum(own, arity);
            for (std::size_t k = 0; k < arity; ++k) own[k] /= whole;
        };
        const std::vector<Part>& parts = plan_->restriction.parts();
        auto visit = [&](int p, const double* belief, const double* share) {
            const Part& part = parts[at(p)];
            std::span<const int> variables(part.variables);
            for (int v : plan_->from_parts[at(p)]) add(v, variables, belief);
            for (int v : plan_->from_messages[at(p)]) add(v, variables.first(part.shared), share);
        };
        propagation_->distribute(plan_->needed, visit);
    }
    if (!propagation_->keeps_tables()) {  // they are too large to wait for a row that may never come
        propagation_.reset();
        plan_.reset();
    }
    return log_p;
}

}  // namespace veridag::inference
