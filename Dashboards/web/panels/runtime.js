// SPDX-License-Identifier: Apache-2.0
// The process, and the cost of telemetry.

chartPanel('runtime', 'Runtime', 'memory cpu threads', () => [lineChart('Resident memory', bytes, 'memory='), lineChart('CPU', share, 'cpu='), lineChart('Threads', count, 'threads=')]);
chartPanel('telemetry', 'Cost of telemetry', 'events dropped', () => [lineChart('Records', rate, 'events='), lineChart('Dropped', rate, 'dropped=')]);
