// SPDX-License-Identifier: Apache-2.0
// All panels, in the order of the page.

import './vitals.js';
import './detail.js';
import './why.js';
import './graph.js';
import './trouble.js';
import './strips.js';
import './components.js';
import './capabilities.js';
import './activity.js';
import './trace.js';
import './latency.js';
import './lifetimes.js';
import './state.js';
import './errors.js';
import './occurrences.js';
import './history.js';
import './runtime.js';
import './signals.js';
import './budgets.js';
import './circuits.js';
import './regressions.js';
import './hangs.js';
import './events.js';
import './compare.js';
import './profile.js';
