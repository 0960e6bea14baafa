// SPDX-License-Identifier: Apache-2.0
// The process, and the cost of telemetry.

import {bytes, count, rate, share} from '../base/format.js';
import {makeLineChart} from '../charts/line.js';
import {chartPanel} from '../page/panel.js';

const makeRuntimeCharts = () => [
    makeLineChart('Resident memory', bytes, ['memory']),
    makeLineChart('CPU', share, ['cpu']),
    makeLineChart('Threads', count, ['threads']),
];
const makeTelemetryCharts = () => [
    makeLineChart('Records', rate, ['events']),
    makeLineChart('Dropped', rate, ['dropped']),
];

chartPanel('runtime', 'Runtime', ['memory', 'cpu', 'threads'], makeRuntimeCharts);
chartPanel('telemetry', 'Cost of telemetry', ['events', 'dropped'], makeTelemetryCharts);
