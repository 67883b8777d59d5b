// The rows that have gaps in some variables, with each joint state that these may have and its probability.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "counts/completions.hpp"

namespace veridag {

// A joint state is a Place: the sum of one for each variable in its state.
template <class Place>
class FilledRows {
   public:
    explicit FilledRows(const Completions& all) : all_(all), first_of_row_(all.rows(), none) {}

    // places[k][s] is that of variables[k] in its state s.
    void find(std::span<const int> variables, const std::vector<std::vector<Place>>& places) {
        forget();
        places_ = &places;
        for (std::size_t k = 0; k < variables.size(); ++k) {
            const Completions::Gaps& gaps = all_.gaps(variables[k]);
            for (std::size_t g = 0; g < gaps.rows.size(); ++g) link(gaps, k, variables[k], g);
        }
        observed_.assign(all_.rows(), Place{});
        for (std::size_t k = 0; k < variables.size(); ++k) add_observed(variables[k], places[k]);
        for (std::uint32_t row : rows_) fill(row);
    }

    // Whether the row has a gap in one of the variables.
    bool has(std::uint32_t row) const { return first_of_row_[row] != none; }

    // The place of what is observed in the row.
    Place observed(std::uint32_t row) const { return observed_[row]; }

    // Joint states of the rows with gaps, one row after the other, and how often each is expected.
    struct Entry {
        Place place;
        std::uint32_t row;
        double expected;
    };
    std::span<const Entry> entries() const { return entries_; }

    // Calls act(place, state, expected) for all joint states of a row that has gaps, together with one more variable
    // that is missing there, by its gap; it has `fixed` states, or any number if that is 0.
    template <std::size_t fixed, class Act>
    void with(int variable, std::size_t gap, Act act) {
        const Completions::Gaps& gaps = all_.gaps(variable);
        std::uint32_t row = gaps.rows[gap];
        std::span<const double> marginal = all_.marginal(variable, gap);
        const std::size_t states = fixed ? fixed : marginal.size();
        if (!is_in(row, gaps.components[gap])) {
            const Entry *entry = entries_.data() + start_of_row_[row], *end = entries_.data() + entries_.size();
            for (; entry != end && entry->row == row; ++entry) {
                for (std::size_t s = 0; s < states; ++s) act(entry->place, s, entry->expected * marginal[s]);
            }
            return;
        }
        Part shared = part_of(row, gaps.components[gap]);
        const Completions::Component& own = all_.component(shared.component);
        std::size_t place = gaps.places[gap];
        if (shared.size == 1) {
            const Link& link = gathered_[shared.first];
            const std::vector<Place>& places = (*places_)[link.variable];
            Completions::Pair pair = all_.pair(own, link.place, place);
            for (const Entry& rest : list_) {
                for (std::size_t a = 0; a < places.size(); ++a) {
                    for (std::size_t s = 0; s < states; ++s) act(rest.place + places[a], s, rest.expected * pair(a, s));
                }
            }
            return;
        }
        for (std::size_t c = 0; c < own.number; ++c) {
            const Completions::State* completion = all_.completion(own, c);
            Place sum = place_in(shared, completion);
            double probability = all_.probability(own, c);
            for (const Entry& rest : list_)
                act(rest.place + sum, std::size_t{completion[place]}, rest.expected * probability);
        }
    }

   private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    // A gap in variable k, and the next of its row.
    struct Link {
        std::uint32_t variable, component, place, gap, next;
        int number;  // of the variable in the data
    };
    // The gaps of a row that are in one component.
    struct Part {
        std::uint32_t component;
        std::size_t first, size;
    };

    void forget() {
        for (std::uint32_t row : rows_) first_of_row_[row] = none;
        rows_.clear();
        links_.clear();
        entries_.clear();
        start_of_row_.resize(all_.rows());
    }

    void link(const Completions::Gaps& gaps, std::size_t k, int v, std::size_t g) {
        std::uint32_t row = gaps.rows[g], &first = first_of_row_[row];
        if (first == none) rows_.push_back(row);
        links_.push_back({static_cast<std::uint32_t>(k), gaps.components[g], gaps.places[g],
                          static_cast<std::uint32_t>(g), first, v});
        first = static_cast<std::uint32_t>(links_.size() - 1);
    }

    void add_observed(int v, const std::vector<Place>& places) {
        std::span<const Completions::State> states = all_.states(v);
        if constexpr (std::is_integral_v<Place>) {  // a state's place is a multiple of it
            Place stride = places.size() > 1 ? places[1] : Place{0}, gap = stride * static_cast<Place>(places.size());
            for (std::size_t i = 0; i < states.size(); ++i) observed_[i] += stride * states[i];
            for (std::uint32_t row : all_.gaps(v).rows) observed_[row] -= gap;
        } else {
            with_gap_ = places;
            with_gap_.push_back(Place{});
            for (std::size_t i = 0; i < states.size(); ++i) observed_[i] = observed_[i] + with_gap_[states[i]];
        }
    }

    // The gaps of a row by component.
    void gather(std::uint32_t row) {
        parts_.clear();
        gathered_.clear();
        for (std::uint32_t i = first_of_row_[row]; i != none; i = links_[i].next) gathered_.push_back(links_[i]);
        for (std::size_t i = 1; i < gathered_.size(); ++i) {
            for (std::size_t k = i; k > 0 && gathered_[k - 1].component > gathered_[k].component; --k)
                std::swap(gathered_[k - 1], gathered_[k]);
        }
        for (std::size_t i = 0; i < gathered_.size(); ++i) {
            if (parts_.empty() || parts_.back().component != gathered_[i].component)
                parts_.push_back({gathered_[i].component, i, 0});
            ++parts_.back().size;
        }
    }

    // Whether one of the row's gaps is in this component.
    bool is_in(std::uint32_t row, std::uint32_t component) const {
        for (std::uint32_t i = first_of_row_[row]; i != none; i = links_[i].next) {
            if (links_[i].component == component) return true;
        }
        return false;
    }

    // The gaps of a row that are in this component, of which there are some; the list is what else the row may be.
    Part part_of(std::uint32_t row, std::uint32_t component) {
        gather(row);
        list_.assign(1, {observed_[row], row, all_.weight(row)});
        Part shared{component, 0, 0};
        for (const Part& part : parts_) {
            if (part.component == component) {
                shared = part;
            } else {
                multiply(part);
            }
        }
        return shared;
    }

    // One or two gaps are the common cases, and need no lists.
    void fill(std::uint32_t row) {
        start_of_row_[row] = entries_.size();
        const Link& a = links_[first_of_row_[row]];
        if (a.next == none) return fill_one(row, a);
        const Link& b = links_[a.next];
        if (b.next == none) return fill_two(row, a, b);
        gather(row);
        list_.assign(1, {observed_[row], row, all_.weight(row)});
        for (const Part& part : parts_) multiply(part);
        entries_.insert(entries_.end(), list_.begin(), list_.end());
    }

    void fill_one(std::uint32_t row, const Link& a) {
        const double* marginal = all_.marginal(a.number, a.gap).data();
        const std::vector<Place>& places = (*places_)[a.variable];
        double weight = all_.weight(row);
        for (std::size_t s = 0; s < places.size(); ++s) {
            if (marginal[s] > 0.0) entries_.push_back({observed_[row] + places[s], row, weight * marginal[s]});
        }
    }

    void fill_two(std::uint32_t row, const Link& a, const Link& b) {
        const std::vector<Place>&of_a = (*places_)[a.variable], &of_b = (*places_)[b.variable];
        double weight = all_.weight(row);
        auto add = [&](auto probability) {
            for (std::size_t i = 0; i < of_a.size(); ++i) {
                Place place = observed_[row] + of_a[i];
                for (std::size_t k = 0; k < of_b.size(); ++k) {
                    double p = probability(i, k);
                    if (p > 0.0) entries_.push_back({place + of_b[k], row, weight * p});
                }
            }
        };
        if (a.component == b.component) {
            add(all_.pair(all_.component(a.component), a.place, b.place));
        } else {
            const double *p = all_.marginal(a.number, a.gap).data(), *q = all_.marginal(b.number, b.gap).data();
            add([p, q](std::size_t i, std::size_t k) { return p[i] * q[k]; });
        }
    }

    Place place_in(const Part& part, const Completions::State* states) const {
        Place sum{};
        for (std::size_t i = part.first; i < part.first + part.size; ++i)
            sum = sum + (*places_)[gathered_[i].variable][states[gathered_[i].place]];
        return sum;
    }

    // The list with each of its joint states continued by all of this part.
    void multiply(const Part& part) {
        distribution_.clear();
        const Link& first = gathered_[part.first];
        if (part.size == 1) {
            std::span<const double> marginal = all_.marginal(first.number, first.gap);
            for (std::size_t s = 0; s < marginal.size(); ++s) {
                if (marginal[s] > 0.0) distribution_.push_back({(*places_)[first.variable][s], 0, marginal[s]});
            }
        } else {
            joint(part);
        }
        product_.clear();
        for (const Entry& before : list_) {
            for (const Entry& own : distribution_)
                product_.push_back({before.place + own.place, before.row, before.expected * own.expected});
        }
        list_.swap(product_);
    }

    // The distribution of some variables of a component.
    void joint(const Part& part) {
        const Completions::Component& own = all_.component(part.component);
        if (part.size == 2) {
            const Link &a = gathered_[part.first], &b = gathered_[part.first + 1];
            const std::vector<Place>&of_a = (*places_)[a.variable], &of_b = (*places_)[b.variable];
            Completions::Pair pair = all_.pair(own, a.place, b.place);
            for (std::size_t i = 0; i < of_a.size(); ++i) {
                for (std::size_t k = 0; k < of_b.size(); ++k) {
                    if (pair(i, k) > 0.0) distribution_.push_back({of_a[i] + of_b[k], 0, pair(i, k)});
                }
            }
            return;
        }
        std::size_t states = 1;
        for (std::size_t i = part.first; i < part.first + part.size; ++i)
            states *= (*places_)[gathered_[i].variable].size();
        if (states > own.number) {
            for (std::size_t c = 0; c < own.number; ++c)
                distribution_.push_back({place_in(part, all_.completion(own, c)), 0, all_.probability(own, c)});
            return;
        }
        sums_.assign(states, {});
        for (std::size_t c = 0; c < own.number; ++c) {
            const Completions::State* completion = all_.completion(own, c);
            std::size_t cell = 0;
            for (std::size_t i = part.first; i < part.first + part.size; ++i)
                cell = cell * (*places_)[gathered_[i].variable].size() + completion[gathered_[i].place];
            sums_[cell].place = place_in(part, completion);
            sums_[cell].expected += all_.probability(own, c);
        }
        for (const Entry& sum : sums_) {
            if (sum.expected > 0.0) distribution_.push_back(sum);
        }
    }

    const Completions& all_;
    const std::vector<std::vector<Place>>* places_ = nullptr;
    std::vector<Place> observed_, with_gap_;
    std::vector<std::uint32_t> first_of_row_, rows_;
    std::vector<std::size_t> start_of_row_;
    std::vector<Link> links_, gathered_;
    std::vector<Part> parts_;
    std::vector<Entry> entries_, list_, product_, distribution_, sums_;
};

}  // namespace veridag
