// SPDX-License-Identifier: Apache-2.0
// Durations of calls: percentiles with the budget, a heat map, and the slowest calls.

import {html} from '../base/dom.js';
import {isNumber, joined, seconds} from '../base/format.js';
import {makeHeatMap} from '../charts/heat.js';
import {makeLineChart} from '../charts/line.js';
import {callName, isOfChosen} from '../model/components.js';
import {shownRing} from '../model/range.js';
import {rowsOf, store} from '../model/store.js';
import {actionAddress} from '../model/traces.js';
import {panel} from '../page/panel.js';
import {column} from '../table/columns.js';
import {makeTable} from '../table/table.js';
import {PERCENTILES} from './vitals.js';

const COLUMNS = [
    column('call'),
    column('seconds', 'Took', 'seconds'),
    column('outcome'),
    column('at', 'Ended', 'time'),
];

const table = makeTable('slowest', 'Slowest calls', COLUMNS, {
    sort: '-seconds',
    linked: 'call',
    target: (row) => actionAddress(row, row.action, row.seconds),
});

// What the charts show: the first action of the chosen component, or all calls.
const subject = () => rowsOf('latency').find(isOfChosen) || {};

panel('latency', 'Latency', {view: 'latency', list: 'slowest', table: table.content, isEmpty}, (body) => {
    const limit = () => subject().limit;
    const lines = makeLineChart('Percentiles', seconds, PERCENTILES, {isLogarithmic: true, limit});
    const heatMap = makeHeatMap('Calls by duration', seconds);
    const charts = html('div', lines, heatMap);
    body.append(html('div.split', charts, table.buildTitled()));
    return () => {
        const shown = subject();
        const ring = shownRing(shown);
        const bounds = store.bounds.latency;
        const hasHeatMap = Boolean(ring?.series.counts && bounds);
        lines.draw(ring);
        heatMap.hidden = !hasHeatMap;
        if (hasHeatMap) heatMap.draw(ring, bounds, shown.limit);
        table.draw(rowsOf('slowest').filter(isOfChosen));
        return noteOf(shown);
    };
});

function isEmpty(component) {
    return component && ![...rowsOf('latency'), ...rowsOf('slowest')].some(isOfChosen);
}

function noteOf(shown) {
    const name = shown.component == null ? 'all calls' : callName(shown);
    return joined(name, isNumber(shown.limit) && `budget ${seconds(shown.limit)} (dashed)`);
}
