// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/registry.h>

#include "Measurement.hpp"

// The default bounds of Axiom and of the Go client; the C++ client has no default bounds.
extern const std::vector<double> standardBuckets;

// Adds the floor, recording and lookup, with the ids of the Axiom suite `metrics`. The registry must outlive the
// measurement.
void addInstruments(prometheus::Registry &registry, Measurement &measurement);
