// SPDX-License-Identifier: Apache-2.0
// Compares two snapshots and shows the differences.

const marks = {};
FORMATS.w = word;
const compareTable = table('compare', 'What changed', 'what::What, measure::Measure, a:w:Before, b:w:After, change:p:Change', {sort: '-change'});

// The rows in which two snapshots differ.
function differences(a, b) {
    const rows = [], pair = (prefix, before = [], after = [], fields) => {
        const [old, young] = [before, after].map((list) => new Map(list.map((row) => [listed(prefix + (row.name ?? ''), row.kind), row])));
        for (const what of new Set([...old.keys(), ...young.keys()])) for (const {title: measure, get, show = word} of columnsOf(fields)) {
            const row = young.get(what) || old.get(what), [a, b] = [old, young].map((rows) => get(rows.get(what)));
            if (a !== b) rows.push({what, measure, a: show(a, row), b: show(b, row), change: a ? (b - a) / Math.abs(a) : null});
        }
    };
    pair('', a.components, b.components, 'live:n:live, created:n:created, calls:n:calls, errors:n:errors, rate:r:rate, p50:s:p50, p99:s:p99');
    pair('Budget ', a.budgets, b.budgets, 'status::verdict, within:p:within, violations:n:missed');
    pair('Circuit ', a.circuits, b.circuits, 'state::state, rejected:n:rejected');
    pair('Process: ', a.runtime, b.runtime, 'value:u:value');
    return rows;
}

function mark(side) {
    marks[side] = dump();
    refresh();
}

panel('compare', 'Compare', {wide: true, data: compareTable.data}, (body, tools) => {
    tools.prepend(button('Mark before', () => mark('a')), button('Mark after', () => mark('b')));
    body.append(compareTable.el);
    return () => {
        const {a, b} = marks;
        compareTable.draw(a ? differences(a, b || dump()) : [], a ? 'Nothing changed.' : 'Press Mark before to see what changes afterwards.');
        return a && `${clock(a.capturedAt)} against ${b ? clock(b.capturedAt) : 'now'}`;
    };
});
