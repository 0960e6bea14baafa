// SPDX-License-Identifier: Apache-2.0
// Four large numbers, each with its chart, and what it was earlier.

import {html, setText, update} from '../base/dom.js';
import {count, duration, rate, seconds, share} from '../base/format.js';
import {makeLineChart} from '../charts/line.js';
import {failingKind} from '../model/health.js';
import {shownEnd} from '../model/range.js';
import {marks} from '../model/marks.js';
import {earlierThan, meanAt} from '../model/trend.js';
import {chartPanel} from '../page/panel.js';

export const PERCENTILES = ['p50', 'p90', 'p99'];

const failing = (moment) => {
    const calls = meanAt('calls', moment);
    return calls ? meanAt('errors', moment) / calls : null;
};

// A number at the end of the shown range above its chart. `valueAt(moment)` is null if it is not known.
function withNumber(chart, unit, word, valueAt, kindOf = () => false) {
    const number = html('b');
    const words = html('span.note');
    const draw = chart.draw;
    chart.firstChild.after(html('p.number', number, ' ' + word, words));
    chart.draw = (ring) => {
        const end = shownEnd();
        const value = valueAt(end);
        update(number, {text: unit(value), class: kindOf(value)});
        setText(words, trendText(value, unit, valueAt, end));
        draw(ring);
    };
    return chart;
}

function trendText(value, unit, valueAt, end) {
    const earlier = earlierThan(end);
    const before = valueAt(earlier);
    const isMarked = earlier === marks.before?.capturedAt;
    if (value == null || before == null || (!isMarked && end - earlier < 60)) return '';
    const change = value / before;
    const arrow = change > 1.1 ? '↗' : change < 0.9 ? '↘' : '→';
    const when = isMarked ? 'at the mark' : duration(end - earlier).split(' ', 2).join(' ') + ' ago';
    return `${arrow} ${unit(before)} ${when}`;
}

const mean = (name) => (moment) => meanAt(name, moment);
const whole = (value) => count(value == null ? NaN : Math.round(value));
const kindOf = (errorRatio) => failingKind({errorRatio});

const makeCharts = () => [
    withNumber(makeLineChart('Calls', rate, ['calls']), rate, 'calls', mean('calls')),
    withNumber(makeLineChart('Errors', rate, ['errors']), share, 'failing', failing, kindOf),
    withNumber(makeLineChart('Latency', seconds, ['p99'], {isLogarithmic: true}), seconds, 'p99', mean('p99')),
    withNumber(makeLineChart('Live components', count, ['live']), whole, 'alive', mean('live')),
];

const SERIES = ['calls', 'errors', ...PERCENTILES, 'live'];
chartPanel('vitals', 'Numbers', SERIES, makeCharts, {view: 'health', isWide: true});
