// SPDX-License-Identifier: Apache-2.0
// The differences between two snapshots.

import {isNumber, joined, share, textOf, times} from '../base/format.js';
import {column} from '../table/columns.js';
import {componentColumns} from './components.js';

// What is compared, in this order: first problems, then what explains them. `label(row)` names a row, `keyOf(row)`
// finds it in the other snapshot (by default it is the label), and `isCompared(row)` chooses rows. The titles of
// columns are measures.
const COMPARISONS = [
    {
        list: 'problems',
        label: ({text}) => text,
        keyOf: ({text}) => text.replace(/[\d.,]+/g, ''),
        isCompared: ({ended}) => !ended,
        columns: [column('kind', 'Problem')],
    },
    {
        list: 'circuits',
        label: ({name}) => 'Circuit ' + name,
        columns: [column('state'), column('rejected', '', 'count')],
    },
    {
        list: 'errors',
        label: ({code, componentName}) => `Error ${code} in ${componentName}`,
        columns: [column('count', '', 'count')],
    },
    {
        list: 'budgets',
        label: ({name}) => 'Budget ' + name,
        columns: [
            column('status', 'Verdict'),
            column('within', '', 'share'),
            column('violations', 'Missed', 'count'),
        ],
    },
    {
        list: 'components',
        label: ({name, kind}) => joined(name, kind),
        columns: componentColumns.filter(({show}) => show),
    },
    {
        list: 'runtime',
        label: ({name}) => 'Process: ' + name,
        columns: [column('value', '', 'unit')],
    },
];

// The rows in which two snapshots differ.
export const differencesOf = (before, after) =>
    COMPARISONS.flatMap((comparison) => {
        const oldRows = rowsByKey(before, comparison);
        const newRows = rowsByKey(after, comparison);
        const keys = new Set([...oldRows.keys(), ...newRows.keys()]);
        return [...keys].flatMap((key) => differencesOfRow(key, oldRows.get(key), newRows.get(key), comparison));
    });

function rowsByKey(snapshot, {list, label, keyOf = label, isCompared = () => true}) {
    const names = new Map(snapshot.components.map(({id, name}) => [id, name]));
    const rows = (snapshot[list] || [])
        .filter(isCompared)
        .map((row) => ({...row, componentName: names.get(row.component)}));
    return new Map(rows.map((row) => [keyOf(row), row]));
}

function differencesOfRow(key, oldRow, newRow, {label, columns}) {
    const row = newRow || oldRow;
    return columns.flatMap(({title, value, show = textOf}) => {
        const measure = title.toLowerCase();
        const before = oldRow ? value(oldRow) : null;
        const after = newRow ? value(newRow) : null;
        if (before === after) return [];
        return {
            id: key + measure,
            what: label(row),
            measure,
            before: show(before, row),
            after: show(after, row),
            ...changeOf(before, after),
        };
    });
}

// The size of a change, for sorting, and its text. What is new, gone or of another kind comes before all numbers.
function changeOf(before, after) {
    if (before == null) return {change: Infinity, changeText: 'new'};
    if (after == null) return {change: Infinity, changeText: 'gone'};
    if (!before) return {change: Infinity, changeText: 'from 0'};
    if (!isNumber(before)) return {change: Infinity, changeText: 'changed'};
    const ratio = after / before;
    const percentage = (ratio > 1 ? '+' : '') + share(ratio - 1);
    return {change: Math.abs(ratio - 1), changeText: ratio >= 2 ? times(ratio) : percentage};
}
