#include "exact/facets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "exact/support.hpp"
#include "index.hpp"

namespace veridag {
namespace {

// Below this weight three variables are not worth looking at with a fourth.
constexpr double enough_weight = 0.1;

// One facet of each kind: the sets of every variable that count once, and those that count twice.
struct Class {
    int most;
    std::array<std::string_view, 4> once, twice;
};
constexpr Class classes[] = {
    {2, {"12 23 123", "3 02 03 23 023", "01 03 013", "1 01 02 12 012"}, {}},
    {3, {"1 12 13 123", "0 2 3 02 23", "0 1 3 01 03 13 013", "1 01 12 012"}, {"", "03 023", "", ""}},
    {3, {"1 2 3", "0 02 03 23 023", "0 01 03 13 013", "0 01 02 12 012"}, {"12 13 23 123", "", "", ""}},
};

void count(std::string_view sets, int each, int (&coefficient)[16]) {
    int parents = 0;
    for (char c : sets) {
        if (c != ' ') {
            parents |= 1 << (c - '0');
            continue;
        }
        coefficient[parents] = each;
        parents = 0;
    }
    if (parents) coefficient[parents] = each;
}

Facet renamed(const Facet& facet, const std::array<int, 4>& name) {
    Facet other{{}, facet.most};
    for (int v = 0; v < 4; ++v) {
        for (int parents = 0; parents < 16; ++parents) {
            int own = 0;
            for (int u = 0; u < 4; ++u) own |= (parents >> u & 1) << name[at(u)];
            other.coefficient[name[at(v)]][own] = facet.coefficient[v][parents];
        }
    }
    return other;
}

std::vector<Facet> all_facets() {
    std::vector<Facet> facets;
    std::set<std::vector<int>> seen;
    for (const Class& kind : classes) {
        Facet first{{}, kind.most};
        for (int v = 0; v < 4; ++v) {
            count(kind.once[at(v)], 1, first.coefficient[v]);
            count(kind.twice[at(v)], 2, first.coefficient[v]);
        }
        std::array<int, 4> name{0, 1, 2, 3};
        do {
            Facet facet = renamed(first, name);
            if (seen.emplace(&facet.coefficient[0][0], &facet.coefficient[0][0] + 64).second) facets.push_back(facet);
        } while (std::next_permutation(name.begin(), name.end()));
    }
    return facets;
}

using Three = std::array<int, 3>;
using Four = std::array<int, 4>;

template <std::size_t size>
int parents_among(const Word* set, const std::array<int, size>& variables) {
    int parents = 0;
    for (std::size_t k = 0; k < size; ++k) parents |= int{has_bit(set, variables[k])} << k;
    return parents;
}

// A violated facet: variables, which facet (three variables have but one), and how far the weights are from it.
struct Violated {
    double distance;
    Four variables;
    const Facet* facet;  // null for the first three of the variables
};

// What is at most 1 for three variables: the weight of sets that have the two others.
std::map<Three, double> by_three(const Support& support) {
    std::map<Three, double> weight;
    for (std::size_t row = 0; row < support.weight.size(); ++row) {
        const std::vector<int>& parents = support.parents[row];
        for (std::size_t i = 0; i < parents.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                Three key{support.child[row], parents[i], parents[j]};
                std::sort(key.begin(), key.end());
                weight[key] += support.weight[row];
            }
        }
    }
    return weight;
}

class Search {
   public:
    Search(const Candidates& candidates, const Support& support, double margin)
        : table_(candidates), support_(support), margin_(margin), joined_(at(support.n), Bits(candidates.words(), 0)) {
        for (std::size_t row = 0; row < support.weight.size(); ++row) {
            for (int u : support.parents[row]) {
                set_bit(joined_[at(u)].data(), support.child[row]);
                set_bit(joined_[at(support.child[row])].data(), u);
            }
        }
    }

    std::vector<Violated> run() {
        for (const auto& [three, weight] : by_three(support_)) {
            if (weight > 1.0 + margin_)
                found_.push_back({(weight - 1.0) / std::sqrt(3.0), {three[0], three[1], three[2], -1}, nullptr});
            if (weight < enough_weight) continue;
            for (int v = 0; v < support_.n; ++v) {
                if (v == three[0] || v == three[1] || v == three[2] || !is_joined(v, three)) continue;
                Four four{three[0], three[1], three[2], v};
                std::sort(four.begin(), four.end());
                if (seen_.insert(four).second) look_at(four);
            }
        }
        std::stable_sort(found_.begin(), found_.end(),
                         [](const Violated& a, const Violated& b) { return a.distance > b.distance; });
        return std::move(found_);
    }

   private:
    bool is_joined(int v, const Three& three) const {
        return std::any_of(three.begin(), three.end(), [&](int u) { return has_bit(joined_[at(v)].data(), u); });
    }

    void look_at(const Four& four) {
        double weight[4][16] = {};
        double inside = 0.0;
        for (int k = 0; k < 4; ++k) {
            for (std::size_t row : support_.of_child[at(four[at(k)])]) {
                int parents = parents_among(table_.set(support_.row[row]), four);
                weight[k][parents] += support_.weight[row];
                if (parents) inside += support_.weight[row];
            }
        }
        if (inside < 1.0) return;
        for (const Facet& facet : four_variable_facets()) {
            double sum = 0.0, length = 0.0;
            for (int k = 0; k < 4; ++k) {
                for (int parents = 1; parents < 16; ++parents) {
                    sum += facet.coefficient[k][parents] * weight[k][parents];
                    length += facet.coefficient[k][parents] * facet.coefficient[k][parents];
                }
            }
            if (sum > facet.most + margin_) found_.push_back({(sum - facet.most) / std::sqrt(length), four, &facet});
        }
    }

    const Candidates& table_;
    const Support& support_;
    double margin_;
    std::vector<Bits> joined_;
    std::set<Four> seen_;
    std::vector<Violated> found_;
};

Cut cut_of(const Candidates& candidates, const Violated& violated) {
    Cut cut{{}, {}, violated.facet ? static_cast<double>(violated.facet->most) : 1.0};
    Three three{violated.variables[0], violated.variables[1], violated.variables[2]};
    for (int k = 0; k < (violated.facet ? 4 : 3); ++k) {
        int v = violated.variables[at(k)];
        for (std::size_t row = candidates.begin(v); row < candidates.end(v); ++row) {
            int coefficient =
                violated.facet ? violated.facet->coefficient[k][parents_among(candidates.set(row), violated.variables)]
                               : int{parents_among(candidates.set(row), three) == (7 & ~(1 << k))};
            if (!coefficient) continue;
            cut.rows.push_back(static_cast<std::int64_t>(row));
            cut.coefficients.push_back(coefficient);
        }
    }
    return cut;
}

}  // namespace

const std::vector<Facet>& four_variable_facets() {
    static const std::vector<Facet> facets = all_facets();
    return facets;
}

std::vector<Cut> violated_facets(const Candidates& candidates, std::span<const double> x, double margin,
                                 std::size_t most) {
    Support support(candidates, x);
    std::vector<Violated> found = Search(candidates, support, margin).run();
    if (found.size() > most) found.resize(most);
    std::vector<Cut> cuts;
    for (const Violated& violated : found) cuts.push_back(cut_of(candidates, violated));
    return cuts;
}

}  // namespace veridag
