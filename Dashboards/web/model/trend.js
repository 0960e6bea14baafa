// SPDX-License-Identifier: Apache-2.0
// What the series of the process were at a moment.

import {isNumber, sum} from '../base/format.js';
import {marks} from './marks.js';
import {store} from './store.js';

// The seconds of a mean, and between it and what it is compared with.
const MINUTE = 60;
const HOUR = 3600;

// The mean of a series in the minute that ends at a moment, of the finest ring that has it; null if none has.
export function meanAt(name, moment) {
    const {fine, coarse} = store.history;
    const ring = moment - MINUTE < fine.start && coarse.series[name] ? coarse : fine;
    const end = Math.round((moment - ring.start) / ring.step);
    const begin = end - MINUTE / ring.step;
    const known = (ring.series[name] || []).filter((value, index) => index >= begin && index < end && isNumber(value));
    return known.length ? sum(known) / known.length : null;
}

// The marked moment; without one, that an hour before another, or the first one of which a minute is known.
export function earlierThan(moment) {
    const {fine, coarse} = store.history;
    if (marks.before?.capturedAt < moment) return marks.before.capturedAt;
    return Math.max(moment - HOUR, Math.min(fine.start, coarse.start) + MINUTE);
}
