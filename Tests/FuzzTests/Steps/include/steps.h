// SPDX-License-Identifier: Apache-2.0

#pragma once

/// The comparisons that instrumented code has made on this thread since the last call.
long axiom_fuzz_take_steps(void);
