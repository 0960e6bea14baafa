// SPDX-License-Identifier: Apache-2.0
// The lifetimes of instances, and suspected leaks.

FIELDS.lived = (row) => (row.end ?? db.at) - row.start;
const instanceTable = table('instances', 'Instances', 'component::Component, start:t:Created, end:t:Ended, lived:s:Lived, how::How', {sort: '-start'});
const SUSPECTS = 20;

panel('lifetimes', 'Lifetimes', {wide: false, list: 'instances', data: instanceTable.data}, (body) => {
    const chart = lanesChart(), leaks = h('ul.leaks'), list = h('details.as', {ontoggle: refresh}, h('summary', 'Table'), instanceTable.build());
    body.append(leaks, chart, list);
    return () => {
        const rows = instanceTable.order = all('instances').filter(isChosen), suspects = rows.filter((row) => row.how === 'leaked').sort((a, b) => a.start - b.start || a.id - b.id);
        const shown = suspects.slice(0, SUSPECTS), more = suspects.length - shown.length;
        leaks.hidden = !shown.length;
        each(leaks, [...shown, ...(more ? [{id: 'more'}] : [])], () => h('li'), (item, row) => set(item, {class: 'warn', text: row.id === 'more' ? `and ${more} more in the table` : `▲ ${nameOf(row.component)} #${row.id}, leak suspect, alive for ${whole(db.at - row.start)}, since ${clock(row.start)}`}), byID);
        chart.draw(rows);
        if (list.open) instanceTable.draw(rows);
        const alive = sum(all('components').filter((c) => !state.sel || c === chosen()).map((c) => c.live));
        return rows.length ? `${some(alive, 'instance')} alive, ${rows.filter((row) => row.end == null).length} of them listed` : 'no instances';
    };
});
