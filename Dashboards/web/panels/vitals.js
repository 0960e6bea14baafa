// SPDX-License-Identifier: Apache-2.0
// Four charts that show the health of the application at a glance.

const PERCENTILES = 'p50=p50,p90=p90,p99=p99';

chartPanel('vitals', 'Now', 'calls errors p50 p90 p99 live', () => [
    lineChart('Calls', rate, 'calls='), lineChart('Errors', rate, 'errors='), lineChart('Latency', seconds, PERCENTILES, {log: true}), lineChart('Live components', count, 'live='),
], true);
