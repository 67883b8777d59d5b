#pragma once

#include <nanobind/nanobind.h>

// Adds exact search to the module.
void bind_exact(nanobind::module_& m);
