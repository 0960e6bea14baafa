// SPDX-License-Identifier: Apache-2.0
// Durations of calls: percentiles with the budget, a heat map, and the slowest calls.

const slowTable = table('slowest', 'Slowest calls', 'call::Call, seconds:s:Took, outcome::Outcome, at:t:Ended', {sort: '-seconds', linked: 'call', target: (row) => seeking(row, row.action, row.seconds)});

// The subject of the charts: the first action of the chosen component, or all calls.
const subject = () => all('latency').find(isChosen) || {};

panel('latency', 'Latency', {wide: false, list: 'slowest', data: slowTable.data}, (body) => {
    const empty = h('p.empty', 'No calls yet.'), lines = lineChart('Percentiles', seconds, PERCENTILES, {log: true, limit: () => subject().limit}), heat = heatMap('Calls by duration', seconds);
    body.append(lines, heat, empty, h('h3', 'Slowest calls'), slowTable.build());
    return () => {
        const it = subject(), ring = shown(it), bounds = db.bounds.latency;
        write(empty, chosen()?.calls ? 'Only the busiest components have these charts.' : 'No calls yet.');
        lines.draw(ring);
        empty.hidden = !(heat.hidden = !ring?.series.counts || !bounds);
        if (!heat.hidden) heat.draw(ring, bounds, it.limit);
        slowTable.draw(all('slowest').filter(isChosen));
        return listed(it.component == null ? 'all calls' : callOf(it), real(it.limit) && `budget ${seconds(it.limit)} (dashed)`);
    };
});
