#include "inference/batch.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "index.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace veridag::inference {
namespace {

constexpr double no_probability = -std::numeric_limits<double>::infinity();
// Groups of rows are handed out in so many chunks, whatever the number of threads.
constexpr std::size_t most_chunks = 256;
// The counts of so many chunks are kept apart and added up in their order at the end, if they are small enough.
constexpr std::size_t most_counts = 32;
constexpr std::size_t counts_entries = std::size_t{1} << 24;
// What all threads together may hold.
constexpr double all_entries = 0x1.0p27;

}  // namespace

struct Batch::Worker {
    std::size_t row = 0;  // whose variables are observed
    std::unique_ptr<Restriction> restriction;
    std::unique_ptr<Propagation> propagation;

    void observe(const JunctionTree& tree, std::vector<char> is_free, const Tables& tables, std::size_t row_) {
        auto made = std::make_unique<Restriction>(tree, std::move(is_free));
        auto own = std::make_unique<Propagation>(*made, tables);
        if (propagation) own->adopt(*propagation);
        propagation = std::move(own);  // before what the old one refers to goes
        restriction = std::move(made);
        row = row_;
    }
};

Batch::Batch(const JunctionTree& tree, Tables tables, Evidence evidence, Limits limits, int threads)
    : tree_(&tree), tables_(std::move(tables)), evidence_(evidence) {
    if (tables_.size() != at(tree.variables())) throw std::invalid_argument("there must be a table for each variable");
    for (std::size_t i = 0; i < evidence_.rows; ++i) {
        for (int v = 0; v < tree.variables(); ++v) {
            std::int32_t state = row(i)[at(v)];
            if (state < -1 || state >= tree.arities()[at(v)])
                throw std::invalid_argument("a state lies outside those of its variable");
        }
    }
    sort_rows();
    std::size_t most_workers = check_sizes(limits);
    threads_ = static_cast<int>(std::min<std::size_t>(at(std::max(threads, 1)), most_workers));
}

// A variable with one state is known.
std::vector<char> Batch::is_free(std::size_t i) const {
    std::vector<char> free(at(tree_->variables()));
    for (std::size_t v = 0; v < free.size(); ++v) free[v] = row(i)[v] < 0 && tree_->arities()[v] > 1;
    return free;
}

bool Batch::same_variables(std::size_t a, std::size_t b) const {
    return std::equal(row(a), row(a) + tree_->variables(), row(b),
                      [](std::int32_t x, std::int32_t y) { return (x < 0) == (y < 0); });
}

bool Batch::same_states(std::size_t a, std::size_t b) const {
    return std::equal(row(a), row(a) + tree_->variables(), row(b));
}

void Batch::sort_rows() {
    std::vector<std::uint64_t> pattern(evidence_.rows);
    for (std::size_t i = 0; i < evidence_.rows; ++i) {
        std::uint64_t hash = 0;
        for (int v = 0; v < tree_->variables(); ++v) {
            if (row(i)[at(v)] < 0) hash = mix(hash ^ static_cast<std::uint64_t>(v));
        }
        pattern[i] = hash;
    }
    order_.resize(evidence_.rows);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
        if (pattern[a] != pattern[b]) return pattern[a] < pattern[b];
        auto [x, y] = std::mismatch(row(a), row(a) + tree_->variables(), row(b));
        return x == row(a) + tree_->variables() ? a < b : *x < *y;
    });
    for (std::size_t i = 0; i < order_.size(); ++i) {
        if (i == 0 || !same_states(order_[i - 1], order_[i])) starts_.push_back(i);
    }
    starts_.push_back(order_.size());
}

// How many threads may work at a time, if no tree is too large.
std::size_t Batch::check_sizes(Limits limits) const {
    TreeSize most = size_of(*tree_, std::vector<char>(at(tree_->variables()), 1));
    std::vector<char> free(at(tree_->variables()), 1);
    if (most.largest > limits.largest || most.entries > limits.entries) {  // what is observed may make it smaller
        most = {};
        for (std::size_t g = 0; g < groups(); ++g) {
            if (g > 0 && same_variables(rows_of(g)[0], rows_of(g - 1)[0])) continue;
            std::vector<char> own = is_free(rows_of(g)[0]);
            TreeSize size = size_of(*tree_, own);
            if (size.entries <= most.entries && size.largest <= most.largest) continue;
            most = size;
            free = std::move(own);
            if (size.largest > limits.largest || size.entries > limits.entries) break;
        }
    }
    refuse_large(*tree_, free, limits);
    double held = std::max(most.entries, 1.0);
    return std::max<std::size_t>(1, static_cast<std::size_t>(all_entries / held));
}

// Calls visit(propagation, rows, chunk) for each group of rows whose evidence is possible.
template <class Visit>
void Batch::run(Progress& progress, std::size_t chunks, Reduction reduction, double* log_p, const Visit& visit) {
    chunks = std::min(chunks, groups());
    std::vector<Worker> workers(workers_for(chunks, threads_));
    std::atomic<std::int64_t> done{0};
    parallel_for(chunks, threads_, [&](std::size_t chunk, std::size_t number) {
        Worker& worker = workers[number];
        std::size_t end = groups() * (chunk + 1) / chunks;
        for (std::size_t g = groups() * chunk / chunks; g < end; ++g) {
            std::int64_t so_far = done.load(std::memory_order_relaxed);
            if (number == 0 ? progress.stop(so_far, 0.0) : progress.stopped()) return;
            std::span<const std::size_t> rows = rows_of(g);
            if (!worker.restriction || !same_variables(worker.row, rows[0]))
                worker.observe(*tree_, is_free(rows[0]), tables_, rows[0]);
            double found = worker.propagation->collect(row(rows[0]), reduction);
            for (std::size_t i : rows) log_p[i] = found;
            if (found > no_probability) visit(*worker.propagation, rows, chunk);
            done.fetch_add(static_cast<std::int64_t>(rows.size()), std::memory_order_relaxed);
        }
    });
}

void Batch::log_probabilities(Progress& progress, double* log_p) {
    run(progress, most_chunks, Reduction::sum, log_p, [](Propagation&, std::span<const std::size_t>, std::size_t) {});
}

void Batch::expected_counts(Progress& progress, const double* weights, double* counts, double* log_p) {
    std::size_t entries = 0;
    std::vector<std::size_t> first;
    for (const Family& family : tree_->families()) {
        first.push_back(entries);
        entries += family.entries;
    }
    std::size_t chunks = std::clamp<std::size_t>(counts_entries / std::max<std::size_t>(entries, 1), 1, most_counts);
    chunks = std::max<std::size_t>(1, std::min(chunks, groups()));
    std::vector<std::vector<double>> apart(chunks);
    run(progress, chunks, Reduction::sum, log_p,
        [&](Propagation& propagation, std::span<const std::size_t> rows, std::size_t chunk) {
            double weight = 0.0;
            for (std::size_t i : rows) weight += weights ? weights[i] : 1.0;
            if (weight == 0.0) return;
            std::vector<double>& own = apart[chunk];
            own.resize(entries);
            std::vector<double*> places;
            for (std::size_t start : first) places.push_back(own.data() + start);
            propagation.add_counts(weight, places);
        });
    std::fill(counts, counts + entries, 0.0);
    for (const std::vector<double>& own : apart) {
        for (std::size_t i = 0; i < own.size(); ++i) counts[i] += own[i];
    }
}

void Batch::posteriors(Progress& progress, const std::vector<std::vector<int>>& scopes, double* out, double* log_p) {
    std::vector<std::vector<std::size_t>> strides;
    std::vector<std::size_t> first;
    std::size_t width = 0;
    for (const std::vector<int>& scope : scopes) {
        std::vector<std::size_t>& own = strides.emplace_back(scope.size());
        std::size_t entries = 1;
        for (std::size_t k = scope.size(); k-- > 0;) {
            own[k] = entries;
            entries *= at(tree_->arities().at(at(scope[k])));
        }
        first.push_back(width);
        width += entries;
    }
    std::fill(out, out + width * evidence_.rows, 0.0);
    auto visit = [&](Propagation& propagation, std::span<const std::size_t> rows, std::size_t) {
        const Restriction& restriction = propagation.restriction();
        double* own = out + rows[0] * width;
        std::vector<std::size_t> start = first;
        std::vector<std::vector<std::size_t>> asked(restriction.parts().size());  // scopes of each part
        std::vector<char> needed(asked.size(), 0);
        for (std::size_t s = 0; s < scopes.size(); ++s) {
            std::vector<int> free;
            for (std::size_t k = 0; k < scopes[s].size(); ++k) {
                int v = scopes[s][k];
                if (restriction.is_free(v))
                    free.push_back(v);
                else
                    start[s] += strides[s][k] * at(std::max(row(rows[0])[v], 0));
            }
            if (free.empty()) {
                own[start[s]] = 1.0;
                continue;
            }
            int clique = tree_->covering(free);
            if (clique < 0) throw std::invalid_argument("no clique holds all variables of a scope");
            int part = restriction.part_of(clique);
            asked[at(part)].push_back(s);
            needed[at(part)] = 1;
        }
        propagation.distribute(needed, [&](int part, const double* belief, const double*) {
            for (std::size_t s : asked[at(part)]) {
                std::vector<Axis> axes =
                    restriction.axes(restriction.parts()[at(part)].variables, scopes[s], strides[s]);
                add_sums(belief, axes, 1.0, own + start[s]);
                double* end = own + (s + 1 < first.size() ? first[s + 1] : width);
                double whole = sum(own + first[s], static_cast<std::size_t>(end - (own + first[s])));
                std::transform(own + first[s], end, own + first[s], [&](double p) { return p / whole; });
            }
        });
        for (std::size_t i : rows.subspan(1)) std::copy(own, own + width, out + i * width);
    };
    run(progress, most_chunks, Reduction::sum, log_p, visit);
}

template <class Choose>
void Batch::complete(Progress& progress, Reduction reduction, std::int32_t* out, double* log_p, const Choose& choose) {
    auto n = at(tree_->variables());
    std::copy(evidence_.states, evidence_.states + evidence_.rows * n, out);
    auto visit = [&](Propagation& propagation, std::span<const std::size_t> rows, std::size_t) {
        std::vector<std::int32_t*> places;
        for (std::size_t i : rows) {
            places.push_back(out + i * n);
            for (std::size_t v = 0; v < n; ++v) {
                if (tree_->arities()[v] == 1) places.back()[v] = 0;
            }
        }
        propagation.complete(places, [&](const Part& part, std::size_t i, std::span<const double> weights) {
            return choose(part, rows[i], weights);
        });
    };
    run(progress, most_chunks, reduction, log_p, visit);
}

void Batch::most_probable(Progress& progress, std::int32_t* out, double* log_p) {
    complete(progress, Reduction::maximum, out, log_p,
             [](const Part&, std::size_t, std::span<const double> weights) -> std::size_t {
                 return static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
             });
}

void Batch::sample(Progress& progress, std::uint64_t seed, std::int32_t* out, double* log_p) {
    complete(progress, Reduction::sum, out, log_p,
             [&](const Part& part, std::size_t i, std::span<const double> weights) {
                 Stream random(seed, i, static_cast<std::uint64_t>(part.clique));
                 return draw_weighted(weights, random.uniform());
             });
}

}  // namespace veridag::inference
