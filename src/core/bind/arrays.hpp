// Arrays of numpy as the binding takes and gives them. Every argument is .noconvert(): a cast would change values in
// silence.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "counts/counter.hpp"
#include "graph/matrix.hpp"

namespace nb = nanobind;

namespace veridag::binding {

using BoolMatrix = nb::ndarray<const bool, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NewMatrix = nb::ndarray<bool, nb::numpy, nb::ndim<2>, nb::c_contig>;
using Doubles = nb::ndarray<const double, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewDoubles = nb::ndarray<double, nb::numpy, nb::ndim<1>, nb::c_contig>;
using Columns = nb::typed<nb::list, nb::any>;  // of one byte a state, or two
using DoubleColumns = nb::typed<nb::list, NewDoubles>;
using NewInts = nb::ndarray<std::int64_t, nb::numpy, nb::ndim<1>, nb::c_contig>;
using Int32s = nb::ndarray<const std::int32_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Int64s = nb::ndarray<const std::int64_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DoubleMatrix = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Shorts = nb::ndarray<const std::uint16_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewInt32s = nb::ndarray<std::int32_t, nb::numpy, nb::ndim<1>, nb::c_contig>;
using OptionalMatrix = std::optional<DoubleMatrix>;
// Rows that numpy repeats without a copy are welcome too.
using OptionalRows = std::optional<nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::device::cpu>>;

// Memory that numpy frees when the last array over it goes.
template <class T>
std::pair<T*, nb::capsule> owned(std::size_t count) {
    T* memory = new T[count];
    return {memory, nb::capsule(memory, [](void* p) noexcept { delete[] static_cast<T*>(p); })};
}

inline int size_of(const BoolMatrix& a) {
    if (a.shape(0) != a.shape(1)) throw nb::value_error("an adjacency matrix must be square");
    return static_cast<int>(a.shape(0));
}

// A copy of a bool array; numpy stores False and True as 0 and 1.
inline Matrix to_matrix(const BoolMatrix& a) { return Matrix(size_of(a), reinterpret_cast<const Byte*>(a.data())); }

inline Matrix square_of(const BoolMatrix& a, int variables) {
    if (size_of(a) != variables) throw nb::value_error("a matrix must be variables x variables");
    return to_matrix(a);
}

inline NewMatrix to_numpy(const Matrix& matrix) {
    auto [memory, owner] = owned<bool>(matrix.entries().size());
    std::copy(matrix.entries().begin(), matrix.entries().end(), memory);
    return NewMatrix(memory, {at(matrix.size()), at(matrix.size())}, owner);
}

template <class T>
std::span<const T> view(const nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>& array) {
    return {array.data(), array.shape(0)};
}

// Copies of numbers, all integers as int64.
template <class Numbers>
auto to_numpy(const Numbers& values) {
    using From = std::remove_cvref_t<decltype(values[0])>;
    using To = std::conditional_t<std::is_integral_v<From>, std::int64_t, From>;
    auto [memory, owner] = owned<To>(values.size());
    std::transform(values.begin(), values.end(), memory, [](From value) { return static_cast<To>(value); });
    return nb::ndarray<To, nb::numpy, nb::ndim<1>, nb::c_contig>(memory, {values.size()}, owner);
}

inline int square(const DoubleMatrix& matrix) {
    if (matrix.shape(0) != matrix.shape(1)) throw nb::value_error("the matrix must be square");
    return static_cast<int>(matrix.shape(0));
}

}  // namespace veridag::binding
