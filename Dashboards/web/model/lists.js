// SPDX-License-Identifier: Apache-2.0
// The names of the lists of a snapshot. Generated from ListKind by PageListsTests; do not edit.

export const LIST_NAMES = [
    'problems', 'circuits', 'latency', 'events', 'budgets', 'errors', 'regressions', 'hangs', 'runtime', 'telemetry',
    'components', 'calls', 'slowest', 'edges', 'policies', 'instances', 'capabilities', 'signals',
];
