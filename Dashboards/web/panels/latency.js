// SPDX-License-Identifier: Apache-2.0
// How long calls take: percentiles against the budget, every bucket over time, and the slowest ones themselves.

const slowTable = table('slowest', 'Slowest calls', 'call::Call, seconds:s:Took, outcome::Outcome, at:t:Ended, trace::Trace', {sort: '-seconds', empty: 'No call has ended yet.'});
const subjectName = (it) => (it.component == null ? 'All calls' : callOf(it));

// The subject that was asked for, else one of the chosen component, else the first.
const subject = () => all('latency').find((it) => (state.subject ? subjectName(it) === state.subject : isChosen(it))) || all('latency')[0] || {};

panel('latency', 'Latency', {data: slowTable.data}, (body, tools) => {
    const of = choice('Of', 'subject', []), empty = h('p.empty', 'No calls yet.'), lines = lineChart('Percentiles', seconds, PERCENTILES, {log: true, limit: () => subject().limit}), heat = heatMap('Calls by duration', seconds);
    tools.prepend(of);
    body.append(lines, heat, empty, h('h3', 'Slowest calls'), slowTable.el);
    return () => {
        const it = subject(), ring = shown(it), bounds = db.bounds.latency;
        each(of.lastChild, ['', ...all('latency').map(subjectName)], () => h('option'), (option, value) => set(option, {value, text: value || 'what is chosen'}));
        of.lastChild.value = state.subject;
        lines.draw(ring);
        empty.hidden = !(heat.hidden = !ring?.series.counts || !bounds?.length);
        if (!heat.hidden) heat.draw(ring, bounds, it.limit);
        slowTable.draw(all('slowest').filter(isChosen));
        return listed(it.id != null && subjectName(it), real(it.limit) && `budget ${seconds(it.limit)} (dashed)`);
    };
});
