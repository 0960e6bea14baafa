// SPDX-License-Identifier: Apache-2.0
// The columns of tables: what they show, what they mean, and how wide they are.

import {bytes, count, inUnit, isNumber, joined, rate, seconds, share, times} from '../base/format.js';
import {callName, nameOf} from '../model/components.js';
import {clockTime} from '../model/range.js';

// The formats of cells: `show(value, row)` returns the text of a number, and `width` is in em. Those without `show` are
// texts ('label' is a short one), states and sparklines.
const FORMATS = {
    text: {width: 14},
    label: {width: 9},
    state: {width: 11.8},
    spark: {width: 7.1},
    count: {show: count, width: 5},
    seconds: {show: seconds, width: 6},
    share: {show: share, width: 5},
    bytes: {show: bytes, width: 5},
    rate: {show: rate, width: 5.6},
    times: {show: times, width: 5},
    time: {show: (value) => clockTime(value), width: 9.5},
    milliseconds: {show: (value) => clockTime(value, 23), width: 9},
    unit: {show: (value, row) => inUnit(value, row.unit), width: 6.4},
    ofLimit: {show: (value) => (value > 1 ? times(value) + ' over' : share(value)), width: 7},
};

// The values of columns that stand for something else than their path in the row.
const VALUES = {component: (row) => nameOf(row.component), call: callName};

// Makes a column. The key is a path into the row, such as 'burn.5m', which is also its name in the URL, and without
// another title its title. The format is one of FORMATS, or one like them. Options: `value(row)` for a value that is
// not in the row; `isOptional` if the column is hidden by default; `bar(row)`, which returns a share and a kind, for a
// bar below the number; `cut` for the most characters of a name, which is cut in its middle.
export function column(key, ownTitle, format = 'text', {value, isOptional = false, ...options} = {}) {
    const path = key.split('.');
    const valueAtPath = (row) => path.reduce((part, name) => part?.[name], row);
    const title = ownTitle || key[0].toUpperCase() + key.slice(1);
    const {show, width} = FORMATS[format] || format;
    return {key, title, format, show, width, isOptional, value: value || VALUES[key] || valueAtPath, ...options};
}

// What a column means, by its key: the same in every table but where the id of the table precedes the key.
const MEANINGS = {
    errorRatio: 'Failed and rejected calls, of all calls of the last 60 s',
    rate: 'Calls a second in the last 60 s',
    errors: 'Failed calls since the start',
    calls: 'Calls since the start',
    budgetsp99: '99 % of the checks since the start cost no more',
    spark: 'The last 5 minutes',
    over: 'Share of checks over the limit since the start',
    burn: 'How fast the allowed share is used up: above 1 it is missed',
};

// Percentiles of durations are estimated from a histogram.
export function meaningOf(tableID, {key}) {
    const ownMeaning = MEANINGS[tableID + key];
    if (ownMeaning) return ownMeaning;
    const [, part] = key.match(/^p(\d\d)$/) || [];
    if (!part) return MEANINGS[key.split('.')[0]];
    return part + ' % of the calls of the last 60 s took no longer, estimated within 10 %, never above the longest';
}

// The widths in em of columns with texts, by their keys: of long texts, which can be shown whole, and of names. Widths
// do not depend on the content, so that nothing moves when a number grows.
const LONG_TEXT_WIDTHS = {
    sample: 17,
    text: 26,
    note: 8,
    reason: 16,
    conditions: 24,
    message: 34,
    context: 14,
};
const NAME_WIDTHS = {
    name: 15,
    kind: 8,
    budget: 9.6,
    action: 13,
    outcome: 7,
    how: 7,
    status: 10,
    percentile: 5,
    level: 8.6,
    code: 16,
    settled: 8,
};

export const isLongText = ({key}) => key in LONG_TEXT_WIDTHS;

export function widthOf(it) {
    if (it.format !== 'label' && isLongText(it)) return LONG_TEXT_WIDTHS[it.key];
    const ownWidth = (!it.show && NAME_WIDTHS[it.key]) || it.width;
    return Math.max(it.title.length * 0.62 + 2, ownWidth);
}

// How two values are ordered: numbers by size, others as texts, and unknown values last in both directions.
export function compareValues(left, right, direction) {
    if (left == null || right == null) return (left == null) - (right == null);
    if (isNumber(left) && isNumber(right)) return direction * (left - right);
    return direction * String(left).localeCompare(right);
}
