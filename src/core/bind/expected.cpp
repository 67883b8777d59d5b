// The completions of discrete data with gaps under a network, and scores of expected counts.
#include "scores/expected.hpp"
#include "bind/objects.hpp"

using namespace nb::literals;

namespace veridag::binding {
namespace {

using States = nb::ndarray<const std::int32_t, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The table is kept alive by the binding.
class PyCompletions {
   public:
    PyCompletions(const PyTable& data, std::vector<int> arities, std::vector<std::vector<int>> parents,
                  const std::vector<Doubles>& tables, double limit)
        : data_(checked(data.table(), std::move(arities))) {
        NetworkTables network{std::move(parents), {}};
        for (const Doubles& table : tables) network.tables.push_back(view(table));
        nb::gil_scoped_release unlocked;
        all_ = std::make_unique<Completions>(data_, network, limit);
    }

    const Completions& all() const { return *all_; }
    int variables() const { return data_.table.variables(); }

    void draw(const States& states, std::size_t number) {
        if (states.shape(1) != at(variables())) throw nb::value_error("a draw needs a state for each variable");
        all_->draw({states.data(), states.size()}, number);
    }

    std::pair<NewDoubles, NewDoubles> family_counts(int child, const std::vector<int>& parents) const {
        std::vector<std::int32_t> children{child};
        std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(parents.size())};
        check(Families{children, offsets, parents}, variables());
        ExpectedCounter counter(*all_);
        ExpectedCounts counts = counter.family(child, parents);
        return {to_numpy(counts.cells), to_numpy(counts.configurations)};
    }

   private:
    static IncompleteData checked(const Table& table, std::vector<int> arities) {
        if (arities.size() != at(table.variables())) throw nb::value_error("there must be an arity for each column");
        for (int v = 0; v < table.variables(); ++v) {
            if (table.arity(v) - arities[at(v)] < 0 || table.arity(v) - arities[at(v)] > 1)
                throw nb::value_error("a column has one state more than its own, or none");
        }
        return {table, std::move(arities)};
    }

    IncompleteData data_;
    std::unique_ptr<Completions> all_;
};

// Of the first so many columns.
PyScorer expected_scorer(const PyCompletions& data, const std::string& name, const std::vector<double>& parameters,
                         int variables) {
    if (variables < 1 || variables > data.variables()) throw nb::value_error("there are not so many variables");
    std::shared_ptr<const DiscreteScore> score = make_discrete_score(name, parameters, variables);
    return PyScorer(variables, [&data, score] { return std::make_unique<ExpectedLocalScorer>(data.all(), score); });
}

}  // namespace

void bind_expected(nb::module_& m) {
    nb::class_<PyCompletions>(m, "Completions", "What the gaps of discrete data may be under a network.")
        .def(nb::init<const PyTable&, std::vector<int>, std::vector<std::vector<int>>, const std::vector<Doubles>&,
                      double>(),
             "data"_a, "arities"_a, "parents"_a, "tables"_a, "limit"_a, nb::keep_alive<1, 2>())
        .def_prop_ro(
            "impossible", [](const PyCompletions& data) { return data.all().impossible(); },
            "A row that is impossible under the network, or -1.")
        .def(
            "beyond_limit", [](const PyCompletions& data) { return to_numpy(data.all().beyond_limit()); },
            "The rows, one of each kind, with too many completions.")
        .def_prop_ro(
            "number_beyond_limit", [](const PyCompletions& data) { return data.all().number_beyond_limit(); },
            "How many observations these are.")
        .def("draw", &PyCompletions::draw, "states"_a.noconvert(), "number"_a,
             "Equally probable completions of each row beyond the limit.")
        .def("family_counts", &PyCompletions::family_counts, "child"_a, "parents"_a,
             "The expected counts of a family's cells and of its parents' configurations, in no particular order.");
    m.def("expected_scorer", &expected_scorer, "data"_a, "name"_a, "parameters"_a, "variables"_a,
          nb::keep_alive<0, 1>(), "A discrete score of the expected counts of the first so many variables.");
}

}  // namespace veridag::binding
