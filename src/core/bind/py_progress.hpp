// The way between a search and the Python code that waits for it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>
#include <utility>

#include "progress.hpp"

namespace veridag::binding {

namespace nb = nanobind;

// Lets interrupts through, and calls a Python function with the steps and the best score so far; a search stops if the
// function returns True or raises, and keeps what it has.
class PyProgress {
   public:
    explicit PyProgress(nb::object callback)
        : callback_(std::move(callback)),
          progress_([this](std::int64_t steps, double best, double) { return asks_to_stop(steps, best); }) {}

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

    // The same where half a result is none: an interrupt is thrown as well.
    void throw_any() {
        if (failure_) std::rethrow_exception(failure_);
    }

   private:
    bool asks_to_stop(std::int64_t steps, double best) {
        nb::gil_scoped_acquire locked;
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            return !callback_.is_none() && callback_(steps, best).is(Py_True);
        } catch (...) {
            failure_ = std::current_exception();
        }
        return true;
    }

    nb::object callback_;
    std::exception_ptr failure_;
    Progress progress_;
};

}  // namespace veridag::binding
