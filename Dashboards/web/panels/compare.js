// SPDX-License-Identifier: Apache-2.0
// Compares two snapshots and shows the differences.

const marks = {};
FORMATS.w = word;
FORMATS.c = (v, {says}) => says;
const compareTable = table('compare', 'What changed', 'what::What, measure::Measure, a:w:Before, b:w:After, change:c:Change', {sort: '-change'});

// The size of a change, for sorting, and its text. What is new, gone or of another kind comes before all numbers.
function changeOf(a, b) {
    if (a == null) return [Infinity, 'new'];
    if (b == null) return [Infinity, 'gone'];
    if (!real(a) || !a) return [Infinity, a ? 'changed' : 'from 0'];
    const ratio = b / a;
    return [Math.abs(ratio - 1), ratio >= 2 ? times(ratio) : (ratio > 1 ? '+' : '') + share(ratio - 1)];
}

// The rows in which two snapshots differ: first problems, then what explains them.
function differences(a, b) {
    const rows = [], pair = (list, label, fields, keyOf = label, wanted = () => true) => {
        const [old, young] = [a, b].map((shot) => {
            const names = new Map(shot.components.map(({id, name}) => [id, name]));
            return new Map((shot[list] || []).filter(wanted).map((row) => ({...row, component: names.get(row.component)})).map((row) => [keyOf(row), row]));
        });
        for (const key of new Set([...old.keys(), ...young.keys()])) for (const {title: measure, get, show = word} of columnsOf(fields)) {
            const row = young.get(key) || old.get(key), what = label(row), [a, b] = [old, young].map((rows) => rows.has(key) ? get(rows.get(key)) : null), [change, says] = changeOf(a, b);
            if (a !== b) rows.push({id: key + measure, what, measure, a: show(a, row), b: show(b, row), change, says});
        }
    };
    pair('problems', ({text}) => text, 'kind::problem', ({text}) => text.replace(/[\d.,]+/g, ''), ({ended}) => !ended);
    pair('circuits', ({name}) => 'Circuit ' + name, 'state::state, rejected:n:rejected');
    pair('errors', ({code, component}) => `Error ${code} in ${component}`, 'count:n:count');
    pair('budgets', ({name}) => 'Budget ' + name, 'status::verdict, within:p:within, violations:n:missed');
    pair('components', ({name, kind}) => listed(name, kind), 'live:n:live, created:n:created, calls:n:calls, errors:n:errors, rate:r:rate, p50:s:p50, p99:s:p99');
    pair('runtime', ({name}) => 'Process: ' + name, 'value:u:value');
    return rows;
}

function mark(side) {
    marks[side] = dump();
    refresh();
}

panel('compare', 'Compare', {one: false, data: compareTable.data}, (body, tools) => {
    tools.prepend(button('Mark before', () => mark('a')), button('Mark after', () => mark('b')));
    body.append(compareTable.build());
    return () => {
        const {a, b} = marks;
        compareTable.draw(a ? differences(a, b || dump()) : [], a ? 'Nothing changed.' : 'Press Mark before to see what changes afterwards.');
        return a && `${clock(a.capturedAt)} against ${b || live.mode === 'static' ? clock(b ? b.capturedAt : db.at) : 'now'}`;
    };
});
