// SPDX-License-Identifier: Apache-2.0
// The table of all component types.

// Of a capability, which has the id of its component.
FIELDS.level = ({id}) => db.capabilities.get(id)?.level.replace('unavailable', 'off');
SHORT.level = 8.6;
const componentTable = table('components', 'Component types', 'name::Component, kind::Kind, live:n:Live, created:n:Created, ended:n:Ended, leaks:n:Leaks?, '
    + 'restarts:n:Restarts?, lifetime.p50:s:Life p50, lifetime.p95:s:Life p95?, lifetime.max:s:Longest?, calls:n:Calls, rate:r:Rate, inFlight:n:In flight?, '
    + 'errors:n:Errors, errorRatio:p:Failing, p50:s:p50, p90:s:p90?, p99:s:p99, level:v:Level?, budget:v:Budget, spark:k:5 min', {sort: '-rate', choice: true});

let matching = [], matched;
function matches() {
    const by = db.grown + state.q, q = state.q.toLowerCase();
    if (by !== matched) matching = all('components').filter((c) => `${c.name} ${c.module} ${c.kind}`.toLowerCase().includes(q));
    matched = by;
    return matching;
}

panel('components', 'Components', {one: false, data: componentTable.data}, (body, tools) => {
    const picks = componentTable.columns.slice(1).map((c) => {
        const box = h('input', {type: 'checkbox', onchange: () => choose({cols: [...new Set(state.cols.split(',')).symmetricDifference(new Set([c.key]))].join()})});
        settings.push(() => box.checked = isShown(c, 1));
        return h('label', box, c.title);
    });
    const reset = button('Show all', () => choose({q: ''}), {hidden: true});
    tools.prepend(field('q', {type: 'search', id: 'find', placeholder: 'Filter', 'aria-label': 'Filter components'}), menu('Columns', 'Choose columns', ...picks));
    body.append(componentTable.build(), reset);
    return () => {
        const rows = matches(), {size} = db.components;
        componentTable.draw(rows, size ? 'No component matches the filter.' : 'No components yet: no orchestrator has been started.');
        reset.hidden = !size || rows.length;
        return listed((rows.length < size ? count(rows.length) + ' of ' : '') + some(size, 'type'), `rates, failing and percentiles of the last ${seconds(db.window)}`);
    };
});
