# SPDX-License-Identifier: Apache-2.0
"""The cases of all alerts, by how often rules have to be evaluated for them."""

import circuit_cases
import component_cases
import telemetry_cases
from burn_cases import BUDGET_BURNS, ERROR_BURNS

# Every five minutes, for hours.
BURNS = ERROR_BURNS + BUDGET_BURNS
# Every minute.
OTHERS = circuit_cases.ALL + component_cases.ALL + telemetry_cases.ALL
