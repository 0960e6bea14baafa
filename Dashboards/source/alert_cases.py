# SPDX-License-Identifier: Apache-2.0
"""The test cases of all alerts, grouped by the evaluation interval that they need."""

import circuit_cases
import component_cases
import offline
import pool_cases
import problem_cases
import telemetry_cases
from burn_cases import BUDGET_BURNS, ERROR_BURNS

# These span hours, with an evaluation every five minutes.
BURNS = ERROR_BURNS + BUDGET_BURNS
# These have an evaluation every minute.
OTHERS = problem_cases.ALL + circuit_cases.ALL + component_cases.ALL + pool_cases.ALL + offline.ALL + telemetry_cases.ALL
# These read a histogram.
OF_HISTOGRAMS = pool_cases.ALL
