// SPDX-License-Identifier: Apache-2.0
// The lifetimes of instances, and suspected leaks.

FIELDS.lived = (row) => (row.end ?? db.at) - row.start;
const instanceTable = table('instances', 'Instances', 'component::Component, start:t:Created, end:t:Ended, lived:s:Lived, how::How', {sort: '-start'});

panel('lifetimes', 'Lifetimes', {data: instanceTable.data}, (body) => {
    const chart = lanesChart(), list = h('details.as', {ontoggle: refresh}, h('summary', 'Table'), instanceTable.el);
    body.append(chart, list);
    return () => {
        const rows = instanceTable.order = all('instances').filter(isChosen);
        chart.draw(rows);
        if (list.open) instanceTable.draw(rows);
        return rows.length ? `the last ${some(rows.length, 'instance')}` : 'no instances';
    };
});
