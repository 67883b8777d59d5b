// Draws of DAGs by Markov chains over partitions.
#include "bind/objects.hpp"
#include "posterior/partition/sampler.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

using Int32Array = nb::ndarray<const std::int32_t, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

template <class T>
auto array_of(const std::vector<T>& values, std::initializer_list<std::size_t> shape) {
    auto [memory, owner] = owned<T>(values.size());
    std::copy(values.begin(), values.end(), memory);
    return nb::ndarray<T, nb::numpy, nb::c_contig>(memory, shape, owner);
}

// Families of all variables in any order, as vectors of candidates and arrays of sets.
class PartitionSampler {
   public:
    PartitionSampler(const std::vector<std::vector<int>>& candidates, Int64s offsets, Doubles scores,
                     Int64s parent_offsets, Int32s parents) {
        std::size_t n = candidates.size(), words = words_for(static_cast<int>(n));
        if (offsets.shape(0) != n + 1) throw nb::value_error("there must be one offset a variable, and one more");
        if (parent_offsets.shape(0) != scores.shape(0) + 1) throw nb::value_error("sets and scores differ in number");
        for (std::size_t v = 0; v < n; ++v) {
            partition::ScoredSets sets;
            for (auto i = static_cast<std::size_t>(offsets(v)); i < static_cast<std::size_t>(offsets(v + 1)); ++i) {
                sets.scores.push_back(scores(i));
                sets.sets.insert(sets.sets.end(), words, 0);
                for (std::int64_t k = parent_offsets(i); k < parent_offsets(i + 1); ++k)
                    set_bit(&sets.sets[sets.sets.size() - words], parents(static_cast<std::size_t>(k)));
            }
            families_.emplace_back(words, candidates[v], sets);
        }
    }

    std::size_t variables() const { return families_.size(); }

    nb::object draw(const std::vector<double>& powers, std::int64_t thin, std::uint64_t seed, const Int32Array& places,
                    std::int64_t first, std::int64_t number, int threads, ProgressCallback callback,
                    std::uint64_t first_chain) const {
        std::size_t n = variables(), words = words_for(static_cast<int>(n)), chains = places.shape(0);
        if (places.shape(1) != powers.size() || places.shape(2) != n) throw nb::value_error("places are missing");
        partition::Settings settings{powers, thin, seed, first_chain};
        partition::Places where(places.data(), places.data() + places.size());
        PyProgress progress(std::move(callback));
        partition::Drawn drawn;
        {
            nb::gil_scoped_release unlocked;
            drawn =
                partition::draw(families_, settings, where, static_cast<int>(chains), first, number, threads, progress);
        }
        if (progress.interrupted() || drawn.interrupted) return nb::none();
        auto count = static_cast<std::size_t>(number);
        return nb::make_tuple(array_of(drawn.parents, {chains, count, n, words}),
                              array_of(drawn.scores, {chains, count}), array_of(where, {chains, powers.size(), n}),
                              array_of(drawn.exchanges, {chains, powers.size()}));
    }

    double log_sum(int v, const std::vector<int>& before, const std::optional<std::vector<int>>& last) const {
        std::size_t words = words_for(static_cast<int>(variables()));
        Bits a(words, 0), b(words, 0);
        for (int u : before) set_bit(a.data(), u);
        if (last) {
            for (int u : *last) set_bit(b.data(), u);
        }
        return families_.at(at(v)).log_sum(a.data(), last ? b.data() : nullptr);
    }

   private:
    std::vector<partition::FamilyWeights> families_;
};

}  // namespace

void bind_partition(nb::module_& m) {
    nb::class_<PartitionSampler>(m, "PartitionSampler", "Draws of DAGs by Markov chains over partitions.")
        .def(nb::init<const std::vector<std::vector<int>>&, Int64s, Doubles, Int64s, Int32s>(), "candidates"_a,
             "offsets"_a.noconvert(), "scores"_a.noconvert(), "parent_offsets"_a.noconvert(), "parents"_a.noconvert())
        .def("log_sum", &PartitionSampler::log_sum, "variable"_a, "before"_a, "last"_a.none(),
             "The logarithm of the sum of the weights of the parent sets within `before` that meet `last`.")
        .def("draw", &PartitionSampler::draw, "powers"_a, "thin"_a, "seed"_a, "places"_a.noconvert(), "first"_a,
             "number"_a, "threads"_a, "progress"_a.none(), "first_chain"_a = 0,
             "Parent sets, scores, where the chains are now, and exchanges; None if interrupted. The places are those "
             "of `first_chain` and the chains after it.");
}

}  // namespace veridag::binding
