// SPDX-License-Identifier: Apache-2.0
// The rows of a trace, and its texts.

import {idOf} from '../base/dom.js';
import {count, joined, membersText, seconds, termText} from '../base/format.js';
import {zoneName} from '../base/time.js';
import {clockTime} from '../model/range.js';
import {store} from '../model/store.js';
import {failureText, spanName} from '../model/traces.js';

// The rows in the order of a tree: each span, then the spans and log records that it caused, by their start. A span
// whose parent is no longer known is at the top.
export function spanRows({spans, logs}) {
    const known = new Set(spans.map(idOf));
    const children = new Map();
    for (const row of [...spans, ...logs.map(logRow)]) {
        const parent = known.has(row.parent) ? row.parent : null;
        if (!children.has(parent)) children.set(parent, []);
        children.get(parent).push(row);
    }
    const rows = [];
    const walk = (parent, depth) => {
        const below = children.get(parent) || [];
        below.sort((left, right) => left.start - right.start);
        for (const row of below) {
            rows.push({...row, depth});
            walk(row.id, depth + 1);
        }
    };
    walk(null, 0);
    return rows;
}

const logRow = (record, index) => ({
    ...record,
    id: index,
    kind: `log ${record.level}, ${record.label}`,
    name: joined(record.message, membersText(record.metadata, '=')),
    component: '',
    start: record.at,
    parent: record.span,
});

export const isOverBudget = ({budget, seconds: took}) => Boolean(budget && took > budget.limit);

function tookText(row) {
    if (!row.outcome) return '';
    const verdict = row.budget && `${isOverBudget(row) ? '✕' : '✓'} limit ${seconds(row.budget.limit)}`;
    return [seconds(row.seconds), verdict].filter(Boolean).join(' ');
}

// The texts of a row: name, kind, start, duration and error.
export const spanTexts = (row, begin) => [
    spanName(row),
    row.kind === row.name ? '' : termText(row.kind),
    '+' + seconds(row.start - begin),
    tookText(row),
    failureText(row),
];

// What is known of one span, as facts, with the records that were logged in it.
export function spanFacts(row, {logs, start}) {
    const [, , begin, took] = spanTexts(row, start);
    const records = logs.filter(({span}) => span === row.id);
    const facts = [
        ['Kind', termText(row.kind)],
        ['Began', begin],
        ['Took', took],
        ['Outcome', row.outcome || row.level],
        ['Error', joined(failureText(row), row.error?.type)],
        ...records.map(({level, message, metadata}) => [level, joined(message, membersText(metadata, '='))]),
    ];
    return facts.filter(([, value]) => value != null && value !== '');
}

export const traceFacts = ({id, kept, start, seconds: took, complete, omitted, spans}) => [
    ['Reason kept', termText(kept) || 'not kept'],
    ['Started', `${clockTime(start, 23)} ${zoneName(store.at)}`],
    ['Total', seconds(took)],
    ['Spans', spanCount(spans, complete, omitted)],
    ['Trace', id],
];

const spanCount = (spans, isComplete, omitted) =>
    joined(
        count(spans.length),
        !isComplete && 'some run or are forgotten',
        omitted && count(omitted) + ' more',
    );

// The tree as text, with indentation.
export function traceText(trace) {
    const facts = traceFacts(trace).map(([label, value]) => `${label}: ${value}`);
    const lines = spanRows(trace).map(
        (row) => '  '.repeat(row.depth) + joined(...spanTexts(row, trace.start), row.outcome),
    );
    return [...facts, '', ...lines, ''].join('\n');
}
