// SPDX-License-Identifier: Apache-2.0
// The lists of a snapshot, with the fields of their rows beside `id`. Generated from the rows of AxiomDashboard by its
// PageListsTests; do not edit.

export const LIST_FIELDS = {
    problems: [
        'kind', 'panel', 'component', 'text', 'since', 'at', 'ended', 'cause', 'later',
    ],
    circuits: [
        'name', 'component', 'state', 'shadow', 'wouldBeOpen', 'since', 'until', 'failureRatio', 'failureThreshold',
        'slowRatio', 'slowThreshold', 'windowCalls', 'minimumCalls', 'windowSize', 'permitsUsed', 'permits',
        'rejected', 'rejectedRate', 'shadowRejections', 'lastError', 'transitions',
    ],
    latency: [
        'component', 'action', 'limit', 'fine', 'coarse',
    ],
    events: [
        'at', 'kind', 'severity', 'component', 'text',
    ],
    budgets: [
        'name', 'unit', 'limit', 'status', 'note', 'objective', 'checks', 'violations', 'within', 'p99', 'burn',
        'spark', 'worst',
    ],
    errors: [
        'component', 'code', 'chain', 'meaning', 'remedy', 'severity', 'count', 'first', 'last', 'recovered',
        'sample',
    ],
    regressions: [
        'component', 'action', 'percentile', 'verdict', 'baseline', 'current', 'ratio', 'requests', 'reason', 'trace',
    ],
    hangs: [
        'at', 'seconds', 'component', 'action', 'trace', 'sure', 'lasts', 'cause',
    ],
    runtime: [
        'name', 'value', 'unit',
    ],
    telemetry: [
        'name', 'value', 'unit',
    ],
    components: [
        'kind', 'name', 'module', 'live', 'created', 'ended', 'leaks', 'restarts', 'lifetime', 'calls', 'errors',
        'rate', 'errorRatio', 'inFlight', 'p50', 'p90', 'p99', 'wait', 'budget', 'spark',
    ],
    calls: [
        'component', 'action', 'success', 'failure', 'cancelled', 'rejected', 'rate', 'errorRatio', 'inFlight', 'p50',
        'p90', 'p99',
    ],
    slowest: [
        'component', 'action', 'seconds', 'at', 'outcome', 'trace',
    ],
    edges: [
        'from', 'to', 'calls', 'rate', 'errors', 'errorRatio', 'forbidden', 'note',
    ],
    policies: [
        'name', 'value', 'unit',
    ],
    instances: [
        'component', 'start', 'end', 'how',
    ],
    capabilities: [
        'component', 'level', 'since', 'reason', 'changes', 'conditions',
    ],
    signals: [
        'family', 'kind', 'labels', 'value', 'sum', 'p50', 'p99',
    ],
};
