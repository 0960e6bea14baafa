// SPDX-License-Identifier: Apache-2.0
// The chosen component: its numbers, its actions, who calls it, and whom it calls.

const callTable = table('calls', 'Actions', 'action::Action, rate:r:Rate, errorRatio:p:Failing, p50:s:p50, p90:s:p90, p99:s:p99, inFlight:n:In flight, success:n:Success, failure:n:Failure, cancelled:n:Cancelled, rejected:n:Rejected',
    {sort: 'action', empty: 'It has processed no actions.'});
FIELDS.name = (row) => row.name;
const edgeTables = [['from', 'Called by', 'No component resolves it.'], ['to', 'Calls', 'It resolves no other component.']].map(([end, title, empty]) => [end, title,
    table('edges-' + end, title, 'name::Component, rate:r:Rate, errorRatio:p:Failing, calls:n:Calls, errors:n:Errors', {sort: 'name', choice: true, empty})]);

panel('detail', 'Component', {wide: true, one: true, list: 'calls', data: callTable.data}, (body, tools, {name}) => {
    const first = facts('big'), second = facts(), life = h('div'), lifetimes = h('div', h('h3', 'Lifetimes of ended instances'), life);
    tools.prepend(button('All components', () => visit(address({sel: '', panel: ''}))));
    body.append(first, h('h3', 'Actions'), callTable.el, h('div.split', ...edgeTables.map(([, title, it]) => h('div', h('h3', title), it.el))), h('div.split', h('div', h('h3', 'Instances'), second), lifetimes));
    return () => {
        const row = chosen();
        if (!row) return;
        const {lifetime: bounds = []} = db.bounds, {counts = []} = row.lifetime || {}, show = (keys) => keys.split(' ').map((key) => {
            const {title, get, show = (v) => stateOf(v)[1]} = componentTable.columns.find((c) => c.key === key);
            return [title, show(get(row))];
        });
        set(name, {text: row.name});
        first.draw(show('rate errorRatio p50 p90 p99 inFlight budget'));
        second.draw(show('live created ended leaks restarts lifetime.p50 lifetime.p95 lifetime.max'));
        callTable.draw(all('calls').filter((c) => c.component === row.id));
        for (const [end, , it] of edgeTables) {
            const there = end === 'from' ? 'to' : 'from';
            it.draw(all('edges').filter((e) => e[there] === row.id && db.components.has(e[end])).map((e) => ({...e, ...named(e[end])})));
        }
        lifetimes.hidden = !sum(counts);
        each(life, counts, () => meter(''), (bar, n, i) => bar.draw(n / Math.max(1, ...counts), null, count(n), i < bounds.length ? '≤ ' + seconds(bounds[i]) : 'longer'));
        return listed(row.kind, row.module);
    };
});

const named = (id) => ({kind: db.components.get(id).kind, name: nameOf(id)});
