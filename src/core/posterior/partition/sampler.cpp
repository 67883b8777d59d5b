#include "posterior/partition/sampler.hpp"

#include <algorithm>
#include <stdexcept>

#include "index.hpp"
#include "parallel.hpp"
#include "posterior/partition/chain.hpp"
#include "random.hpp"

namespace veridag::partition {
namespace {

// A chain with those at higher temperatures.
class Ladder {
   public:
    Ladder(std::span<const FamilyWeights> families, const Settings& settings, std::span<std::int32_t> places)
        : places_(places), n_(families.size()) {
        for (std::size_t t = 0; t < settings.powers.size(); ++t) {
            chains_.emplace_back(families, settings.powers[t]);
            chains_.back().set(places_.subspan(t * n_, n_));
        }
    }

    // Each chain makes a step for each variable, and then neighbours may exchange their partitions.
    void round(Stream& random, std::int64_t* exchanges) {
        for (Chain& chain : chains_) {
            for (std::size_t k = 0; k < n_; ++k) chain.step(random);
        }
        for (std::size_t t = chains_.size(); t-- > 1;)
            exchanges[t - 1] += Chain::exchange(chains_[t - 1], chains_[t], random);
    }

    // What follows depends on the partitions alone, so that it is the same after they were saved.
    void begin_draw() {
        for (Chain& chain : chains_) chain.enter_values();
    }

    double draw(Stream& random, Word* parents) const { return chains_[0].draw(random, parents); }

    void save() {
        for (std::size_t t = 0; t < chains_.size(); ++t) chains_[t].get(places_.subspan(t * n_, n_));
    }

   private:
    std::span<std::int32_t> places_;
    std::size_t n_;
    std::vector<Chain> chains_;
};

}  // namespace

Drawn draw(std::span<const FamilyWeights> families, const Settings& settings, Places& places, int chains,
           std::int64_t first, std::int64_t number, int threads, Progress& progress) {
    std::size_t n = families.size(), words = words_for(static_cast<int>(n)), temperatures = settings.powers.size();
    if (temperatures == 0 || settings.powers[0] != 1.0) throw std::invalid_argument("the first power must be 1");
    if (places.size() != at(chains) * temperatures * n) throw std::invalid_argument("places are missing");
    auto count = static_cast<std::size_t>(number);
    Drawn drawn;
    drawn.parents.resize(at(chains) * count * n * words);
    drawn.scores.resize(at(chains) * count);
    drawn.exchanges.resize(at(chains) * temperatures);
    Places next = places;
    parallel_for(at(chains), threads, [&](std::size_t chain, std::size_t worker) {
        Ladder ladder(families, settings, std::span(next).subspan(chain * temperatures * n, temperatures * n));
        for (std::size_t i = 0; i < count; ++i) {
            Stream random(settings.seed, static_cast<std::uint64_t>(first) + i, settings.first_chain + chain);
            ladder.begin_draw();
            for (std::int64_t round = 0; round < settings.thin; ++round) {
                if (worker == 0 ? progress.stop(first + static_cast<std::int64_t>(i), 0.0) : progress.stopped()) return;
                ladder.round(random, &drawn.exchanges[chain * temperatures]);
            }
            std::size_t row = chain * count + i;
            drawn.scores[row] = ladder.draw(random, &drawn.parents[row * n * words]);
        }
        ladder.save();
    });
    drawn.interrupted = progress.stopped();
    if (drawn.interrupted) return drawn;
    places.swap(next);
    return drawn;
}

}  // namespace veridag::partition
