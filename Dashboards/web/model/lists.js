// SPDX-License-Identifier: Apache-2.0
export const LIST_FIELDS = {
    problems: [], circuits: [], latency: [], events: [], budgets: [], errors: [], regressions: [], hangs: [],
    runtime: [], telemetry: [], components: [], calls: [], slowest: [], edges: [], policies: [], instances: [],
    capabilities: [], signals: [],
};
