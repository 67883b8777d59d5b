// Tables of several variables, walked through together with a smaller table over some of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

namespace veridag::inference {

// One axis of a table, row after row, and how far a step along it goes in another table (0 if that lacks the axis).
struct Axis {
    std::size_t size;
    std::size_t stride;
};

// No table has more axes of two states or more: it would have 2^64 entries.
constexpr std::size_t most_axes = 64;

// Calls run(here, there, count, stride) for stretches of the table: entries [here, here + count) of the table belong to
// the entries there, there + stride, ... of the other.
template <class Run>
void walk(std::span<const Axis> axes, const Run& run) {
    if (axes.empty()) {
        run(0, 0, 1, 0);
        return;
    }
    Axis inner = axes.back();
    Axis middle = axes.size() > 1 ? axes[axes.size() - 2] : Axis{1, 0};
    std::span<const Axis> outer = axes.first(axes.size() > 1 ? axes.size() - 2 : 0);
    std::size_t counter[most_axes] = {};
    std::size_t here = 0, there = 0;
    for (bool more = true; more;) {
        for (std::size_t j = 0; j < middle.size; ++j, here += inner.size)
            run(here, there + j * middle.stride, inner.size, inner.stride);
        more = false;
        for (std::size_t k = outer.size(); k-- > 0 && !more;) {
            there += outer[k].stride;
            more = ++counter[k] < outer[k].size;
            if (!more) {
                there -= outer[k].stride * outer[k].size;
                counter[k] = 0;
            }
        }
    }
}

// By several sums at a time, which is quicker and more accurate than one.
inline double sum(const double* values, std::size_t count) {
    double lanes[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (std::size_t k = 0; k < 4; ++k) lanes[k] += values[i + k];
    }
    double rest = 0.0;
    for (; i < count; ++i) rest += values[i];
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + rest;
}

// Calls use(size, stride) of the innermost axis, both as constants of the compiler if they are among the usual ones:
// rows of two to four entries are most of what there is, and loops over them are unrolled then.
template <class Use>
void with_inner(std::span<const Axis> axes, const Use& use) {
    using std::integral_constant;
    Axis inner = axes.empty() ? Axis{1, 0} : axes.back();
    auto with_stride = [&](auto size) {
        if (inner.stride == 0)
            use(size, integral_constant<std::size_t, 0>{});
        else if (inner.stride == 1)
            use(size, integral_constant<std::size_t, 1>{});
        else
            use(size, inner.stride);
    };
    switch (inner.size) {
        case 2: return with_stride(integral_constant<std::size_t, 2>{});
        case 3: return with_stride(integral_constant<std::size_t, 3>{});
        case 4: return with_stride(integral_constant<std::size_t, 4>{});
        default: return with_stride(inner.size);
    }
}

// table[x] = other[x of its own axes]
inline void copy(double* table, std::span<const Axis> axes, const double* other) {
    with_inner(axes, [&](auto size, auto stride) {
        walk(axes, [&](std::size_t here, std::size_t there, std::size_t, std::size_t) {
            for (std::size_t i = 0; i < size; ++i) table[here + i] = other[there + i * stride];
        });
    });
}

// table[x] *= other[x of its own axes]
inline void multiply(double* table, std::span<const Axis> axes, const double* other) {
    with_inner(axes, [&](auto size, auto stride) {
        walk(axes, [&](std::size_t here, std::size_t there, std::size_t, std::size_t) {
            double* t = table + here;
            const double* o = other + there;
            for (std::size_t i = 0; i < size; ++i) t[i] *= o[i * stride];
        });
    });
}

// other[x of its own axes] += weight * table[x], summed over what the other lacks.
inline void add_sums(const double* table, std::span<const Axis> axes, double weight, double* other) {
    with_inner(axes, [&](auto size, auto stride) {
        walk(axes, [&](std::size_t here, std::size_t there, std::size_t, std::size_t) {
            const double* t = table + here;
            double* o = other + there;
            if (stride == 0) {
                *o += weight * sum(t, size);
            } else {
                for (std::size_t i = 0; i < size; ++i) o[i * stride] += weight * t[i];
            }
        });
    });
}

}  // namespace veridag::inference
