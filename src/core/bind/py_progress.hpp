// The way between a search and the Python code that waits for it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "progress.hpp"

namespace veridag::binding {

namespace nb = nanobind;

// As the stub shows it: called with steps, best score and bound; True stops the search.
using ProgressCallback = std::optional<nb::typed<nb::callable, nb::object(std::int64_t, double, double)>>;

// Lets interrupts through, and calls a Python function with the steps, the best score so far and the bound; a search
// stops if the function returns True or raises, and keeps what it has.
class PyProgress {
   public:
    explicit PyProgress(ProgressCallback callback)
        : callback_(std::move(callback)), progress_([this](std::int64_t steps, double best, double bound) {
              return asks_to_stop(steps, best, bound);
          }) {}

    operator Progress&() { return progress_; }

    // To be called, with the GIL, after the search: whether an interrupt made it stop. Throws any other exception that
    // did.
    bool interrupted() {
        if (!failure_) return false;
        try {
            std::rethrow_exception(failure_);
        } catch (nb::python_error& error) {
            if (!error.matches(PyExc_KeyboardInterrupt)) throw;
        }
        return true;
    }

    // The same, or one came too late to stop it: Python would raise that before the caller has the result.
    bool interrupted_by_now() {
        try {
            if (!failure_ && PyErr_CheckSignals() != 0) throw nb::python_error();
        } catch (nb::python_error&) {
            failure_ = std::current_exception();
        }
        return interrupted();
    }

    // As `interrupted` where half a result is none: an interrupt is thrown as well.
    void throw_any() {
        if (failure_) std::rethrow_exception(failure_);
    }

   private:
    bool asks_to_stop(std::int64_t steps, double best, double bound) {
        nb::gil_scoped_acquire locked;
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            return callback_ && (*callback_)(steps, best, bound).is(Py_True);
        } catch (...) {
            failure_ = std::current_exception();
        }
        return true;
    }

    ProgressCallback callback_;
    std::exception_ptr failure_;
    Progress progress_;
};

}  // namespace veridag::binding
