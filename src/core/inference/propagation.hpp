// Messages between the parts of a junction tree, for one row of evidence after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "inference/restriction.hpp"

namespace veridag::inference {

// The entries of each family, P(child | parents), with rows that sum to one.
using Tables = std::vector<const double*>;

// How a table is summed up in a message: over all states, or by the best of them.
enum class Reduction { sum, maximum };

// Messages go to the roots (`collect`), and from there back (`distribute`), which leaves the probability of every part
// given the evidence (Jensen et al. 1990). A message is scaled so that its largest entry is one, and the logarithms of
// the scales add up to that of the probability of the evidence: no number of observations makes it underflow.
class Propagation {
    // Memory of one table, which is not set to anything.
    struct Buffer {
        std::unique_ptr<double[]> data;
        std::size_t capacity = 0;

        void reserve(std::size_t entries) {
            if (entries <= capacity) return;
            data = std::make_unique_for_overwrite<double[]>(entries);
            capacity = entries;
        }
    };

   public:
    // The tables of all parts are kept between the two passes if they have no more entries than `kept` (2^24 are 128
    // MiB), and are otherwise made again, one at a time.
    Propagation(const Restriction& restriction, const Tables& tables, std::size_t kept = std::size_t{1} << 24);

    // log P(evidence), or with `maximum` that of the most probable explanation together with the evidence; minus
    // infinity if the evidence is impossible. `row` has a state for each variable that is not free. Messages that are
    // the same as for the row before are kept.
    double collect(const std::int32_t* row, Reduction reduction);

    // Takes over what the same part of another propagation with these tables has, wherever it has the same factors:
    // messages are then sent again only from parts that the new evidence changes, and from those above them.
    // The other cannot be used after that.
    void adopt(Propagation& before);

    // The following need a `collect` that has found the evidence possible.

    // Calls visit(part, table, share) for the `needed` parts, with P(variables of the part | evidence) and, unless it
    // is a root, that of the variables of its message.
    template <class Visit>
    void distribute(const std::vector<char>& needed, const Visit& visit);

    // Adds `weight` times the probability of each family's configurations to its counts.
    void add_counts(double weight, std::span<double* const> counts);

    // Fills in the free variables of rows with this evidence, part by part: choose(part, row, weights) returns one of
    // the states of the part that are new, which have the weights given.
    template <class Choose>
    void complete(std::span<std::int32_t* const> rows, const Choose& choose);

    const Restriction& restriction() const { return *restriction_; }
    bool keeps_tables() const { return keeps_tables_; }
    std::size_t offset(int family) const;  // of the row's observed states in the family's table

   private:
    bool same_factors(std::size_t part, const Propagation& before, std::size_t other) const;
    double* message(std::size_t part) { return messages_.data() + message_at_[part]; }
    double* table(std::size_t part);  // made again unless it was kept
    double fill(std::size_t part, double* table, bool by_logarithms);
    double reduce(std::size_t part, const double* table, Reduction reduction);
    bool may_underflow(std::size_t part);
    double update(std::size_t part, Reduction reduction);
    bool moved(std::size_t part);  // whether the row's states choose other entries of its families

    const Restriction* restriction_;
    const Tables* tables_;
    bool keeps_tables_;
    std::vector<std::size_t> message_at_;
    std::vector<double> messages_;
    std::vector<double> shares_;       // P(variables of the message | evidence)
    std::vector<Buffer> tables_kept_;  // of each part
    Buffer scratch_;                   // for one part
    std::vector<double> largest_;      // of each message, before it was scaled
    std::vector<double> log_scales_;   // of each part
    std::vector<char> by_logarithms_, changed_;
    std::vector<char> is_known_;        // whether the part's message and scale are those of offsets_
    std::vector<std::size_t> offsets_;  // of each family
    std::vector<double> least_logs_;    // of each family's least entry; 1 where it was not needed yet
    const std::int32_t* row_ = nullptr;
    Reduction reduction_ = Reduction::sum;
    bool is_current_ = false;  // whether the last collect reached the roots
};

// The first of the entries whose share of [0, 1) ends beyond `uniform`; never one of weight zero.
std::size_t draw_weighted(std::span<const double> weights, double uniform);

template <class Visit>
void Propagation::distribute(const std::vector<char>& needed, const Visit& visit) {
    const std::vector<Part>& parts = restriction_->parts();
    std::vector<char> open = needed;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (open[p] && parts[p].parent >= 0) open[static_cast<std::size_t>(parts[p].parent)] = 1;
    }
    shares_.assign(messages_.size(), 0.0);
    scratch_.reserve(restriction_->largest());
    for (std::size_t p = parts.size(); p-- > 0;) {
        if (!open[p]) continue;
        const Part& part = parts[p];
        const double* own = table(p);
        double* belief = scratch_.data.get();
        for (std::size_t s = 0; s < part.message; ++s) {
            double whole = largest_[p] * message(p)[s];
            double share = part.parent < 0 ? 1.0 : shares_[message_at_[p] + s];
            double ratio = whole > 1e-300 ? share / whole : 0.0;
            for (std::size_t i = s * part.rest; i < (s + 1) * part.rest; ++i) belief[i] = own[i] * ratio;
        }
        for (const View& view : part.children) {
            auto child = static_cast<std::size_t>(view.source);
            if (open[child]) add_sums(belief, restriction_->axes(view), 1.0, shares_.data() + message_at_[child]);
        }
        if (needed[p])
            visit(static_cast<int>(p), static_cast<const double*>(belief),
                  static_cast<const double*>(shares_.data() + message_at_[p]));
    }
}

template <class Choose>
void Propagation::complete(std::span<std::int32_t* const> rows, const Choose& choose) {
    const std::vector<Part>& parts = restriction_->parts();
    const std::vector<int>& arities = restriction_->tree().arities();
    for (std::size_t p = parts.size(); p-- > 0;) {
        const Part& part = parts[p];
        if (part.rest == 1) continue;
        const double* own = table(p);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            std::int32_t* row = rows[i];
            std::size_t known = 0;
            for (std::size_t k = 0; k < part.shared; ++k) {
                auto v = static_cast<std::size_t>(part.variables[k]);
                known = known * static_cast<std::size_t>(arities[v]) + static_cast<std::size_t>(row[v]);
            }
            std::size_t chosen = choose(part, i, std::span(own + known * part.rest, part.rest));
            for (std::size_t k = part.variables.size(); k-- > part.shared;) {
                auto v = static_cast<std::size_t>(part.variables[k]);
                row[v] = static_cast<std::int32_t>(chosen % static_cast<std::size_t>(arities[v]));
                chosen /= static_cast<std::size_t>(arities[v]);
            }
        }
    }
}

}  // namespace veridag::inference
