#include "inference/propagation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "elementary.hpp"
#include "index.hpp"

namespace veridag::inference {
namespace {

// More factors than these are multiplied by their logarithms if a product of their entries may underflow: those that
// favour one state first and another later would on the way.
constexpr std::size_t many_factors = 12;
constexpr double smallest_log = -640.0;  // of a product that is safe; the least normal number has -708
// A product whose largest sum is below this may have underflowed, and is made again by logarithms.
constexpr double small_sum = 1e-40;

constexpr double impossible = -std::numeric_limits<double>::infinity();

// The logarithm of the least entry that is not zero, at most 0.
double least_log(const double* values, std::size_t count) {
    double least = 1.0;
    for (std::size_t i = 0; i < count; ++i) {
        if (values[i] > 0.0 && values[i] < least) least = values[i];
    }
    return elementary::log(least);
}

}  // namespace

std::size_t draw_weighted(std::span<const double> weights, double uniform) {
    double total = 0.0;
    for (double weight : weights) total += weight;
    double end = uniform * total, sum = 0.0;
    std::size_t last = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] <= 0.0) continue;
        last = i;
        sum += weights[i];
        if (end < sum) break;
    }
    return last;
}

Propagation::Propagation(const Restriction& restriction, const Tables& tables, std::size_t kept)
    : restriction_(&restriction), tables_(&tables), keeps_tables_(restriction.entries() <= kept) {
    const std::vector<Part>& parts = restriction.parts();
    std::size_t messages = 0;
    for (const Part& part : parts) {
        message_at_.push_back(messages);
        messages += part.message;
    }
    messages_.resize(messages);
    tables_kept_.resize(parts.size());
    largest_.assign(parts.size(), 0.0);
    log_scales_.assign(parts.size(), 0.0);
    by_logarithms_.assign(parts.size(), 0);
    changed_.assign(parts.size(), 0);
    is_known_.assign(parts.size(), 0);
    offsets_.assign(restriction.tree().families().size(), 0);
    least_logs_.assign(offsets_.size(), 1.0);
}

std::size_t Propagation::offset(int family) const {
    const Family& own = restriction_->tree().families()[at(family)];
    std::size_t offset = 0;
    for (std::size_t k = 0; k < own.scope.size(); ++k) {
        int v = own.scope[k];
        if (!restriction_->is_free(v)) offset += own.strides[k] * at(std::max(row_[at(v)], 0));
    }
    return offset;
}

double* Propagation::table(std::size_t part) {
    if (keeps_tables_) return tables_kept_[part].data.get();
    scratch_.reserve(restriction_->largest());
    fill(part, scratch_.data.get(), by_logarithms_[part] != 0);
    return scratch_.data.get();
}

// Returns the logarithm of what the product was divided by.
double Propagation::fill(std::size_t part, double* table, bool by_logarithms) {
    const Part& own = restriction_->parts()[part];
    std::size_t entries = own.message * own.rest;
    auto each = [&](const auto& use) {
        for (const View& view : own.families) use(view, (*tables_)[at(view.source)] + offsets_[at(view.source)]);
        for (const View& view : own.children) use(view, static_cast<const double*>(message(at(view.source))));
    };
    if (!by_logarithms) {
        bool is_first = true;
        each([&](const View& view, const double* factor) {
            (is_first ? copy : multiply)(table, restriction_->axes(view), factor);
            is_first = false;
        });
        if (is_first) std::fill(table, table + entries, 1.0);
        return 0.0;
    }
    std::fill(table, table + entries, 0.0);
    each([&](const View& view, const double* factor) {
        walk(restriction_->axes(view), [&](std::size_t here, std::size_t there, std::size_t count, std::size_t stride) {
            for (std::size_t i = 0; i < count; ++i) table[here + i] += elementary::log(factor[there + i * stride]);
        });
    });
    double largest = *std::max_element(table, table + entries);
    for (std::size_t i = 0; i < entries; ++i)
        table[i] = largest > impossible ? elementary::exp(table[i] - largest) : 0.0;
    return largest;
}

// The message to the parent, whose largest entry is returned.
double Propagation::reduce(std::size_t part, const double* table, Reduction reduction) {
    const Part& own = restriction_->parts()[part];
    double* out = message(part);
    double largest = 0.0;
    for (std::size_t s = 0; s < own.message; ++s) {
        const double* begin = table + s * own.rest;
        double value = 0.0;
        if (reduction == Reduction::sum) {
            value = sum(begin, own.rest);
        } else {
            value = *std::max_element(begin, begin + own.rest);
        }
        out[s] = value;
        largest = std::max(largest, value);
    }
    return largest;
}

// Whether a product of entries of the part's factors, none of which is zero, may underflow.
bool Propagation::may_underflow(std::size_t part) {
    const Part& own = restriction_->parts()[part];
    double total = 0.0;
    for (const View& view : own.families) {
        double& log = least_logs_[at(view.source)];
        if (log > 0.0)
            log = least_log((*tables_)[at(view.source)], restriction_->tree().families()[at(view.source)].entries);
        total += log;
    }
    for (const View& view : own.children)
        total += least_log(message(at(view.source)), restriction_->parts()[at(view.source)].message);
    return total < smallest_log;
}

double Propagation::update(std::size_t part, Reduction reduction) {
    const Part& own = restriction_->parts()[part];
    Buffer& buffer = keeps_tables_ ? tables_kept_[part] : scratch_;
    buffer.reserve(keeps_tables_ ? own.message * own.rest : restriction_->largest());
    double* table = buffer.data.get();
    by_logarithms_[part] = own.families.size() + own.children.size() > many_factors && may_underflow(part);
    double scale = fill(part, table, by_logarithms_[part] != 0);
    double largest = reduce(part, table, reduction);
    if (largest < small_sum && !by_logarithms_[part]) {
        by_logarithms_[part] = 1;
        scale = fill(part, table, true);
        largest = reduce(part, table, reduction);
    }
    largest_[part] = largest;
    if (largest > 0.0) {
        double* out = message(part);
        for (std::size_t s = 0; s < own.message; ++s) out[s] /= largest;
    }
    log_scales_[part] = scale + elementary::log(largest);
    return largest;
}

bool Propagation::moved(std::size_t part) {
    bool any = false;
    for (const View& view : restriction_->parts()[part].families) {
        std::size_t now = offset(view.source);
        any = any || now != offsets_[at(view.source)];
        offsets_[at(view.source)] = now;
    }
    return any;
}

// Whether a part has the same variables as one of another propagation, and the same free variables in all its factors.
bool Propagation::same_factors(std::size_t part, const Propagation& before, std::size_t other) const {
    const Part &mine = restriction_->parts()[part], &theirs = before.restriction_->parts()[other];
    if (mine.variables != theirs.variables || mine.shared != theirs.shared ||
        mine.families.size() != theirs.families.size() || mine.children.size() != theirs.children.size())
        return false;
    for (std::size_t k = 0; k < mine.families.size(); ++k) {
        int family = mine.families[k].source;
        if (family != theirs.families[k].source) return false;
        for (int v : restriction_->tree().families()[at(family)].scope) {
            if (restriction_->is_free(v) != before.restriction_->is_free(v)) return false;
        }
    }
    for (std::size_t k = 0; k < mine.children.size(); ++k) {
        std::size_t child = at(mine.children[k].source), old = at(theirs.children[k].source);
        if (!is_known_[child] || restriction_->parts()[child].clique != before.restriction_->parts()[old].clique)
            return false;
    }
    return true;
}

void Propagation::adopt(Propagation& before) {
    scratch_ = std::move(before.scratch_);
    shares_ = std::move(before.shares_);
    if (!before.keeps_tables_ || !keeps_tables_) return;
    const std::vector<Part>& parts = restriction_->parts();
    for (std::size_t p = 0; p < parts.size(); ++p) {
        std::size_t other = at(before.restriction_->part_of(parts[p].clique));
        if (before.restriction_->parts()[other].clique != parts[p].clique) continue;
        tables_kept_[p] = std::move(before.tables_kept_[other]);  // memory, if nothing else
        if (!before.is_current_ || !same_factors(p, before, other)) continue;
        std::copy_n(before.message(other), parts[p].message, message(p));
        largest_[p] = before.largest_[other];
        log_scales_[p] = before.log_scales_[other];
        by_logarithms_[p] = before.by_logarithms_[other];
        for (const View& view : parts[p].families) offsets_[at(view.source)] = before.offsets_[at(view.source)];
        is_known_[p] = 1;
    }
    least_logs_ = before.least_logs_;
    reduction_ = before.reduction_;
}

double Propagation::collect(const std::int32_t* row, Reduction reduction) {
    row_ = row;
    if (reduction != reduction_) std::fill(is_known_.begin(), is_known_.end(), 0);
    reduction_ = reduction;
    is_current_ = false;
    double total = 0.0, product = 1.0;
    for (int family : restriction_->known_families()) {
        double p = (*tables_)[at(family)][offset(family)];
        if (p <= 0.0) return impossible;
        if (product < 1e-100 || p < 1e-100) {
            total += elementary::log(product);
            product = 1.0;
        }
        product *= p;
    }
    total += elementary::log(product);
    const std::vector<Part>& parts = restriction_->parts();
    for (std::size_t p = 0; p < parts.size(); ++p) {
        bool change = moved(p) || !is_known_[p];
        for (const View& view : parts[p].children) change = change || changed_[at(view.source)];
        changed_[p] = change;
        if (change) {
            bool is_possible = update(p, reduction) > 0.0;
            is_known_[p] = is_possible;
            if (!is_possible) {
                std::fill(is_known_.begin(), is_known_.end(), 0);  // those above were not reached
                return impossible;
            }
        }
        total += log_scales_[p];
    }
    is_current_ = true;
    return total;
}

void Propagation::add_counts(double weight, std::span<double* const> counts) {
    for (int family : restriction_->known_families()) counts[at(family)][offset(family)] += weight;
    const std::vector<Part>& parts = restriction_->parts();
    std::vector<char> needed(parts.size());
    for (std::size_t p = 0; p < parts.size(); ++p) needed[p] = !parts[p].families.empty();
    distribute(needed, [&](int part, const double* belief, const double*) {
        for (const View& view : parts[at(part)].families)
            add_sums(belief, restriction_->axes(view), weight, counts[at(view.source)] + offsets_[at(view.source)]);
    });
}

}  // namespace veridag::inference
