// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/registry.h>

#include "Measurement.hpp"

// The bounds of both our and the Go client's standard histogram; the C++ client has none of its own.
extern const std::vector<double> standardBuckets;

// Adds the floor and what recording and looking up cost, with the ids of our own suite `metrics`. The registry
// must outlive the measurement.
void addInstruments(prometheus::Registry &registry, Measurement &measurement);
