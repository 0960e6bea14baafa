// SPDX-License-Identifier: Apache-2.0
// Formats moments, which are seconds since 1970, in the time zone of the browser.

import {UNKNOWN, isNumber} from './format.js';

// How many minutes the local time is ahead of UTC at a moment.
const offsetMinutes = (moment) => -new Date(moment * 1000).getTimezoneOffset();

// The local date and time: 19 characters, or 23 with milliseconds.
export function localTime(moment, size = 19) {
    if (!isNumber(moment) || Math.abs(moment) >= 8e12) return UNKNOWN;
    const date = new Date(Math.round(moment * 1000));
    const shifted = new Date(date - date.getTimezoneOffset() * 60000);
    return shifted.toISOString().slice(0, size).replace('T', ' ');
}

// The time zone at a moment, such as UTC+2 or UTC−3:30.
export function zoneName(moment) {
    const offset = offsetMinutes(moment);
    if (offset === 0) return 'UTC';
    const hours = Math.floor(Math.abs(offset) / 60);
    const minutes = Math.abs(offset) % 60;
    return `UTC${offset < 0 ? '−' : '+'}${hours}${minutes ? ':' + minutes : ''}`;
}

// A moment in ISO 8601 with its offset from UTC.
export function isoTime(moment) {
    const offset = offsetMinutes(moment);
    const size = new Date(Math.abs(offset) * 60000).toISOString().slice(11, 16);
    return localTime(moment).replace(' ', 'T') + (offset < 0 ? '-' : '+') + size;
}
