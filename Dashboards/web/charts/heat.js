// SPDX-License-Identifier: Apache-2.0
// A heat map of a histogram over time: a column for each step, a row for each bucket, darker for more calls.

import {byId, html, setText, update} from '../base/dom.js';
import {count, isNumber, plural, share, sum} from '../base/format.js';
import {clockTime, shownBegin, shownSeconds} from '../model/range.js';
import {makeSelectable} from './brush.js';
import {makeFigure, makeTicks} from './marks.js';

// Each so many columns are a row of the table of numbers.
const TABLE_STEP = 5;

export function makeHeatMap(title, unit) {
    const canvas = html('canvas', {'aria-hidden': 'true'});
    const ticks = makeTicks();
    const rule = html('i.budget');
    const note = html('span.note');
    const plot = html('div.plot', ticks, html('div.map', canvas, rule));
    // The counts of each column, the bounds of the buckets, and the seconds of a column.
    let columns = [];
    let bounds = [];
    let step = 1;
    const content = () => [['Time', ...bounds.map((bound) => '≤ ' + unit(bound)), 'more'], ...numbers()];
    const numbers = () =>
        columns.flatMap((counts, index) => {
            if (!counts || index % TABLE_STEP) return [];
            return [[clockTime(shownBegin() + index * step), ...counts.map(count)]];
        });
    const figure = makeFigure(title, note, makeSelectable(plot, canvas), content);
    figure.draw = (ring, newBounds, limit) => {
        bounds = newBounds;
        step = ring.step;
        columns = shownColumns(ring);
        paint(canvas, columns, bounds.length + 1);
        drawRule(rule, bounds, limit);
        ticks.draw(['> ' + unit(bounds.at(-1)), '≤ ' + unit(bounds[bounds.length >> 1]), '≤ ' + unit(bounds[0])]);
        setText(note, summary(totalsOf(columns, bounds.length + 1), bounds, unit));
        figure.drawTimes();
    };
    return figure;
}

function shownColumns({start, step, series}) {
    const first = Math.floor((shownBegin() - start) / step) + 1;
    const size = Math.ceil(shownSeconds() / step);
    return Array.from({length: size}, (_, index) => series.counts[first + index]);
}

// The line of the limit is above the bucket that contains it.
function drawRule(rule, bounds, limit) {
    const row = isNumber(limit) ? bounds.findIndex((bound) => bound >= limit) + 1 : 0;
    rule.hidden = !row;
    rule.style.bottom = (row / (bounds.length + 1)) * 100 + '%';
}

let inkColor = '';

// The colours of the page may have changed.
export function forgetInk() {
    inkColor = '';
}

// One pixel for each bucket. The style sheet stretches the canvas, so nothing here depends on the window size.
function paint(canvas, columns, height) {
    const context = update(canvas, {width: columns.length, height}).getContext('2d');
    const most = Math.log1p(Math.max(1, ...columns.flat().filter(isNumber)));
    inkColor ||= getComputedStyle(byId('nav')).color;
    context.clearRect(0, 0, columns.length, height);
    context.fillStyle = inkColor;
    columns.forEach((counts, x) => {
        counts?.forEach((number, row) => {
            context.globalAlpha = number > 0 ? 0.15 + (0.85 * Math.log1p(number)) / most : 0;
            context.fillRect(x, height - 1 - row, 1, 1);
        });
    });
}

const totalsOf = (columns, height) =>
    Array.from({length: height}, (_, row) => sum(columns.map((counts) => counts?.[row])));

// A text that names the bucket with the most calls by both of its bounds.
function summary(totals, bounds, unit) {
    const total = sum(totals);
    if (!total) return 'none in this range';
    const row = totals.indexOf(Math.max(...totals));
    return `${plural(total, 'call')}, most (${share(totals[row] / total)}) ${bucketText(row, bounds, unit)}`;
}

function bucketText(row, bounds, unit) {
    if (row === bounds.length) return 'over ' + unit(bounds[row - 1]);
    if (row === 0) return 'up to ' + unit(bounds[0]);
    return `from ${unit(bounds[row - 1])} to ${unit(bounds[row])}`;
}
