// SPDX-License-Identifier: Apache-2.0
// The process itself, and what watching it costs.

chartPanel('runtime', 'Runtime', () => [lineChart('Resident memory', bytes, 'memory='), lineChart('CPU', share, 'cpu='), lineChart('Threads', count, 'threads=')]);
chartPanel('telemetry', 'Cost of telemetry', () => [lineChart('Records', rate, 'events='), lineChart('Dropped', rate, 'dropped=')]);
