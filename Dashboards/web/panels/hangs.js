// SPDX-License-Identifier: Apache-2.0
// The main actor: its delay, what held it, and how long actions waited for the actors of their clients.

const waitTable = table('waits', 'Waiting for clients', 'name::Client, wait:s:p99, rate:r:Rate, inFlight:n:In flight', {sort: '-wait', choice: true, empty: 'No wait has been sampled yet.'});

function hangLine() {
    const time = h('span'), by = h('a', {dir: 'auto'}), cause = h('span'), trace = h('a', 'trace'), item = h('p.warn', time, by, cause, ' ', trace);
    item.draw = (row) => {
        const {at, lasts, cause: why, trace: id, component, action} = row;
        write(time, `▲ ${clock(at)}, ${lasts ? 'for' : 'held for'} ${seconds(row.seconds)}${lasts ? ' now' : ''}: `);
        set(by, {text: action && callOf(row), href: choosing(db.components.get(component)), hidden: !action});
        write(cause, action ? ` (${why})` : why);
        set(trace, {href: address({trace: id, panel: ''}), hidden: !id});
    };
    return item;
}

panel('hangs', 'Main actor', {data: dataOf('hangs', 'at seconds component action trace sure lasts cause')}, (body) => {
    const chart = lineChart('Longest delay', seconds, 'delay=', {limit: () => 0.1}), list = h('div');
    body.append(h('div.split', h('div', chart, list), h('div', h('h3', 'Waiting for the actors of clients'), waitTable.build())));
    return () => {
        const rows = all('hangs').filter(isChosen).reverse();
        chart.draw(shown());
        each(list, rows.slice(0, 20), hangLine, (item, row) => item.draw(row), byID);
        waitTable.draw(all('components').filter((c) => real(c.wait) && (!state.sel || c === chosen())));
        return rows.length ? some(rows.length, 'hang') + ' of 100 ms or more' : 'never held for 100 ms';
    };
});
