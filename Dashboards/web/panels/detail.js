// SPDX-License-Identifier: Apache-2.0
// The chosen component: its numbers, its actions, who calls it, and whom it calls.

const callTable = table('calls', 'Actions', 'action::Action, rate:r:Rate, errorRatio:p:Failing, p50:s:p50, p90:s:p90, p99:s:p99, inFlight:n:In flight, success:n:Success, failure:n:Failure, cancelled:n:Cancelled, rejected:n:Rejected',
    {sort: 'action', empty: 'It has processed no actions.'});
FIELDS.name = (row) => row.name;
const edgeTables = [['from', 'Called by', 'No component resolves it.'], ['to', 'Calls', 'It resolves no other component.']].map(([end, title, empty]) => [end, title,
    table('edges-' + end, title, 'name::Component, rate:r:Rate, errorRatio:p:Failing, calls:n:Calls, errors:n:Errors', {sort: 'name', choice: true, empty})]);

panel('detail', 'Component', {alone: true, list: 'calls', data: callTable.data}, (body, tools, {name}) => {
    const acting = acts(), inForce = h('p.warn'), first = facts('big'), second = facts(), life = h('div'), lifetimes = h('div', h('h3', 'Lifetimes of ended instances'), life);
    tools.prepend(acting, button('All components', () => visit(address({sel: '', panel: ''}))));
    body.append(inForce, first, h('h3', 'Actions'), callTable.build(), h('div.split', ...edgeTables.map(([, title, it]) => h('div', h('h3', title), it.build()))), h('div.split', h('div', h('h3', 'Instances'), second), lifetimes));
    return () => {
        const row = chosen();
        if (!row) return;
        const {lifetime: bounds = []} = db.bounds, {counts = []} = row.lifetime || {}, show = (keys) => keys.split(' ').map((key) => {
            const {title, get, show = (v) => stateOf(v)[1]} = componentTable.columns.find((c) => c.key === key);
            return [title, show(get(row))];
        });
        write(name, row.name);
        acting.draw(row);
        write(inForce, all('problems').filter((p) => p.panel === 'detail' && p.component === row.id && !p.ended).map((p) => '▲ ' + p.text).join('\n'));
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

// The menu of what a developer can do to the chosen component, if the process allows it: for each kind of component, the
// label, the path and the value `set` of a request, and the label and the largest value of its number. An action without
// a duration ends others.
const breakerActs = [['Force open', 'breaker', 'open'], ['Shadow', 'breaker', 'shadow'], ['Reset', 'breaker', 'reset']];
const ACTS = {client: [...breakerActs, ['Inject latency', 'fault', 'latency', 'Seconds', 10], ['Inject errors', 'fault', 'errors', 'Share from 0 to 1', 1], ['End faults', 'fault', 'none']], context: breakerActs, capability: [['Take away', 'capability', 'away'], ['Bring back', 'capability', 'back']]};
function acts() {
    const it = menu('Actions', 'Actions'), list = it.lastChild;
    it.draw = ({kind}) => {
        const rows = ACTS[kind];
        it.hidden = !rows || !db.app.allows || live.mode === 'static';
        each(list, rows || [], () => button(''), (node, row) => set(node, {text: row[0], onclick: () => {
            // The dialog returns the focus to it.
            it.firstChild.focus();
            confirm(...row);
        }}));
    };
    return it;
}

// Asks for the numbers of an action, and carries it out.
function confirm(label, path, set, unit, max) {
    const {name: component} = chosen(), field = (title, value, max) => h('label', h('span', title), h('input', {type: 'number', min: 0, max, step: 'any', value, required: true}));
    const value = unit && field(unit, 1, max), minutes = !['reset', 'none', 'back'].includes(set) && field('Minutes', 1, 10), number = (it, by = 1) => (it ? it.lastChild.value * by : undefined);
    dialog(`${label}: ${component}?`, h('form.keys', {onsubmit: async (event) => {
        event.preventDefault();
        $('dialog').close();
        try {
            const {done, error} = await (await fetch(api('api/actions/' + path), {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({component, set, value: number(value), seconds: number(minutes, 60)})})).json();
            notice(done || error);
        } catch (error) {
            notice(error.message);
        }
    }}, value, minutes, h('button', label)));
}

const named = (id) => ({kind: db.components.get(id).kind, name: nameOf(id)});
