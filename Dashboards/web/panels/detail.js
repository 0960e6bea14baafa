// SPDX-License-Identifier: Apache-2.0
// The chosen component: its numbers, its actions and its lifetimes.

const callTable = table('calls', 'Actions', 'action::Action, success:n:Success, failure:n:Failure, cancelled:n:Cancelled, rejected:n:Rejected, rate:r:Rate, inFlight:n:In flight, p50:s:p50, p90:s:p90, p99:s:p99',
    {sort: '-p99'});

panel('detail', 'Component', {
    wide: true,
    data: callTable.data,
}, (body, tools, {name}) => {
    const list = facts(), life = h('div');
    tools.prepend(button('Close', () => choose({sel: ''})));
    body.append(list, h('div.split', callTable.el, h('div', h('h3', 'Lifetimes of ended instances'), life)));
    return () => {
        const row = chosen(), {lifetime: bounds = []} = db.bounds, {counts = []} = row?.lifetime || {};
        if (!row) return;
        set(name, {text: row.name});
        list.draw(componentTable.columns.slice(2, -2).map(({title, get, show}) => [title, show(get(row))]));
        callTable.draw(all('calls').filter((c) => c.component === row.id));
        each(life, counts, () => meter(''), (bar, n, i) => bar.draw(n / Math.max(...counts), null, count(n), i < bounds.length ? '≤ ' + seconds(bounds[i]) : 'longer'));
        return listed(row.kind, row.module);
    };
});
