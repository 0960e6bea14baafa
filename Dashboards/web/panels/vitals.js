// SPDX-License-Identifier: Apache-2.0
// Four charts that show the health of the application at a glance.

import {count, rate, seconds} from '../base/format.js';
import {makeLineChart} from '../charts/line.js';
import {chartPanel} from '../page/panel.js';

export const PERCENTILES = [
    ['p50', 'p50'],
    ['p90', 'p90'],
    ['p99', 'p99'],
];

const makeCharts = () => [
    makeLineChart('Calls', rate, [['calls', '']]),
    makeLineChart('Errors', rate, [['errors', '']]),
    makeLineChart('Latency', seconds, PERCENTILES, {isLogarithmic: true}),
    makeLineChart('Live components', count, [['live', '']]),
];

chartPanel('vitals', 'Now', ['calls', 'errors', 'p50', 'p90', 'p99', 'live'], makeCharts, true);
