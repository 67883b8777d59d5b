#include "inference/triangulation.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>

#include "index.hpp"
#include "random.hpp"

namespace veridag::inference {
namespace {

using Neighbours = std::vector<std::vector<int>>;  // each list in ascending order

// No other order is looked for if the tables of one have no more entries than this.
constexpr double good_entries = 65536.0;
// A table of so many entries is of no use unless nearly all of its variables are observed.
constexpr double hopeless_entries = 1e15;
// Costs are multiplied by up to one and this.
constexpr double spread_of_costs = 0.5;

enum class Rule { weighted_fill, fill, table };

struct Variation {
    std::vector<std::uint64_t> rank;  // of each variable, which breaks ties
    std::vector<double> factor;       // of its cost
};

Neighbours moral_graph(std::size_t variables, const std::vector<std::vector<int>>& scopes) {
    Neighbours near(variables);
    for (const std::vector<int>& scope : scopes) {
        for (int v : scope) {
            for (int u : scope) {
                if (u != v) near[at(v)].push_back(u);
            }
        }
    }
    for (std::vector<int>& list : near) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return near;
}

bool has(const std::vector<int>& list, int v) { return std::binary_search(list.begin(), list.end(), v); }

class Elimination {
   public:
    Elimination(const std::vector<int>& arities, Neighbours near, Rule rule, Variation variation, double limit)
        : arities_(arities), near_(std::move(near)), rule_(rule), variation_(std::move(variation)), limit_(limit) {
        current_.assign(near_.size(), Cost{-1.0, 0.0, 0});
        left_.assign(near_.size(), 1);
        for (std::size_t v = 0; v < near_.size(); ++v) push(static_cast<int>(v));
    }

    Triangulation run() {
        while (!heap_.empty()) {
            auto [cost, v] = heap_.top();
            heap_.pop();
            if (!left_[at(v)] || cost != current_[at(v)]) continue;  // its cost has changed since
            if (table(v) > limit_) {
                finish_in_one_clique();
                break;
            }
            eliminate(v);
        }
        return std::move(found_);
    }

   private:
    using Cost = std::tuple<double, double, std::uint64_t>;
    using Entry = std::pair<Cost, int>;

    double weight(int v) const { return rule_ == Rule::fill ? 1.0 : static_cast<double>(arities_[at(v)]); }

    double table(int v) const {
        double entries = arities_[at(v)];
        for (int u : near_[at(v)]) entries *= arities_[at(u)];
        return entries;
    }

    // Each missing edge between neighbours counts the product of the weights of its ends.
    double fill(int v) const {
        const std::vector<int>& around = near_[at(v)];
        double total = 0.0, missing = 0.0;
        for (int a : around) total += weight(a);
        for (int a : around) {
            const std::vector<int>& of_a = near_[at(a)];
            bool a_is_smaller = of_a.size() < around.size();
            const std::vector<int>& few = a_is_smaller ? of_a : around;
            const std::vector<int>& many = a_is_smaller ? around : of_a;
            double joined = weight(a);
            for (int b : few) {
                if (has(many, b)) joined += weight(b);
            }
            missing += weight(a) * (total - joined);
        }
        return missing / 2.0;
    }

    void push(int v) {
        double factor = variation_.factor[at(v)];
        std::uint64_t rank = variation_.rank[at(v)];
        Cost cost = rule_ == Rule::table ? Cost{factor * table(v), 0.0, rank} : Cost{factor * fill(v), table(v), rank};
        if (cost == current_[at(v)]) return;  // it is in the heap
        current_[at(v)] = cost;
        heap_.emplace(cost, v);
    }

    void record(int v, const std::vector<int>& around) {
        found_.order.push_back(v);
        std::vector<int>& clique = found_.cliques.emplace_back(1, v);
        clique.insert(clique.end(), around.begin(), around.end());
    }

    void eliminate(int v) {
        std::vector<int> around = std::move(near_[at(v)]);
        record(v, around);
        left_[at(v)] = 0;
        bool filled = false;
        for (int u : around) {
            std::vector<int>& list = near_[at(u)];
            merged_.clear();
            std::set_union(list.begin(), list.end(), around.begin(), around.end(), std::back_inserter(merged_));
            std::erase_if(merged_, [&](int w) { return w == u || w == v; });
            filled = filled || merged_.size() + 1 > list.size();
            list = merged_;
        }
        // An edge that was filled in touches the neighbours, and the fill of every variable next to two of them.
        std::vector<int> touched = around;
        if (filled && rule_ != Rule::table) {
            for (int u : around) touched.insert(touched.end(), near_[at(u)].begin(), near_[at(u)].end());
            std::sort(touched.begin(), touched.end());
            touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        }
        for (int u : touched) push(u);
    }

    void finish_in_one_clique() {
        std::vector<int> rest;
        for (std::size_t v = 0; v < left_.size(); ++v) {
            if (left_[v]) rest.push_back(static_cast<int>(v));
        }
        while (!rest.empty()) {
            int v = rest.back();
            rest.pop_back();
            record(v, rest);
        }
    }

    const std::vector<int>& arities_;
    Neighbours near_;
    Rule rule_;
    Variation variation_;
    double limit_;  // of a table; what is left then becomes one clique
    std::vector<Cost> current_;
    std::vector<char> left_;
    std::vector<int> merged_;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
    Triangulation found_;
};

// The maximal cliques alone count: the others are parts of tables that are made anyway.
double entries_of(const Triangulation& found, const std::vector<int>& arities) {
    std::vector<std::size_t> place(arities.size());
    for (std::size_t i = 0; i < found.order.size(); ++i) place[at(found.order[i])] = i;
    std::vector<char> maximal(found.order.size(), 1);
    double total = 0.0;
    for (std::size_t i = 0; i < found.order.size(); ++i) {
        const std::vector<int>& clique = found.cliques[i];
        double entries = 1.0;
        std::size_t next = found.order.size();
        for (int v : clique) {
            entries *= arities[at(v)];
            if (place[at(v)] > i) next = std::min(next, place[at(v)]);
        }
        if (maximal[i]) total += entries;
        if (next < found.order.size() && found.cliques[next].size() + 1 == clique.size()) maximal[next] = 0;
    }
    return total;
}

// How the costs of a try are changed, so that other tries find other orders.
Variation variation(std::size_t variables, std::uint64_t number) {
    Variation own{std::vector<std::uint64_t>(variables), std::vector<double>(variables, 1.0)};
    for (std::size_t v = 0; v < variables; ++v) {
        std::uint64_t hash = mix(static_cast<std::uint64_t>(v) + mix(number));
        own.rank[v] = number == 0 ? static_cast<std::uint64_t>(v) : hash;
        if (number > 1) own.factor[v] = 1.0 + spread_of_costs * static_cast<double>(hash >> 11) * 0x1.0p-53;
    }
    return own;
}

std::uint64_t tries(double entries) { return entries <= 0x1.0p20 ? 3 : entries <= 0x1.0p24 ? 8 : 32; }

}  // namespace

Triangulation triangulate(const std::vector<int>& arities, const std::vector<std::vector<int>>& scopes, bool thorough) {
    Neighbours near = moral_graph(arities.size(), scopes);
    auto attempt = [&](Rule rule, std::uint64_t number, double limit) {
        Triangulation found = Elimination(arities, near, rule, variation(arities.size(), number), limit).run();
        found.entries = entries_of(found, arities);
        return found;
    };
    // The least table next is quick to find. Where it leads nowhere near a table that fits, nothing else does.
    Triangulation best = attempt(Rule::table, 0, hopeless_entries * hopeless_entries);
    if (best.entries > hopeless_entries) return best;
    for (std::uint64_t number = 0; number < (thorough ? tries(best.entries) : 1); ++number) {
        for (Rule rule : {Rule::weighted_fill, Rule::fill, Rule::table}) {
            if (best.entries <= good_entries && number > 0) return best;
            Triangulation found = attempt(rule, number, best.entries);
            if (found.entries < best.entries) best = std::move(found);
        }
    }
    return best;
}

}  // namespace veridag::inference
