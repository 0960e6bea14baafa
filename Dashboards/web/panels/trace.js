// SPDX-License-Identifier: Apache-2.0
// The spans of one trace as a tree, each with a bar on the axis of time, and the log records between them.

const SPANS = 500, AXIS = 1000;
let opened = {};

// The rows in the order of a tree: each span, then the spans and log records that it caused, by their start. A span whose
// parent is no longer known is at the top.
function rowsOf({spans, logs}) {
    const ids = new Set(spans.map(byID)), below = new Map(), rows = [], add = (row) => {
        const key = ids.has(row.parent) && row.parent;
        below.set(key, [...(below.get(key) || []), row]);
    };
    spans.forEach(add);
    logs.forEach((record, i) => add({...record, id: i, kind: `log ${record.level}, ${record.label}`, name: listed(record.message, wordsIn(record.metadata, '=')), component: '', start: record.at, parent: record.span}));
    const walk = (key, depth) => below.get(key)?.sort((a, b) => a.start - b.start).forEach((row) => {
        rows.push({...row, depth});
        walk(row.id, depth + 1);
    });
    walk(false, 0);
    return rows;
}

const isOver = ({budget, seconds: took}) => budget && took > budget.limit;
const tookWords = (row) => (row.outcome ? seconds(row.seconds) + (row.budget ? ` ${isOver(row) ? '✕' : '✓'} limit ${seconds(row.budget.limit)}` : '') : '');
const traceFacts = ({id, kept, start, seconds: long, complete, omitted, spans}) => [['Reason kept', plain(kept) || 'not kept'], ['Started', `${clock(start, 23)} ${zone()}`], ['Total', seconds(long)],
    ['Spans', listed(count(spans.length), !complete && 'some run or are no longer known', omitted && count(omitted) + ' more')], ['Trace', id]];

const wordsOf = (row, from) => [FIELDS.did(row), plain(row.kind), '+' + seconds(row.start - from), tookWords(row), FIELDS.failed(row)];

// The tree as text, with indentation.
const traceText = (trace) => [...traceFacts(trace).map((fact) => fact.join(': ')), '', ...rowsOf(trace).map((row) => '  '.repeat(row.depth) + listed(...wordsOf(row, trace.start), row.outcome)), ''].join('\n');

const barOf = (row) => (isBad(row) ? 'over' : /wait/.test(row.kind) ? 'gap' : /retry|recovery/.test(row.kind) ? 'again' : 'under');

function drawSpan(tr, row, from, long) {
    const [head, bar, at, took, end] = tr.children, [rect, mark] = bar.firstChild.children, x = (t) => (t - from) / long * AXIS, start = x(row.start), bound = start + row.budget?.limit / long * AXIS;
    const type = all('components').find((c) => c.name === row.component && c.kind === row.componentKind);
    head.style.paddingInlineStart = 8 + Math.min(row.depth, 12) * 14 + 'px';
    set(head.firstChild, {href: type && choosing(type)});
    wordsOf(row, from).forEach((text, i) => write([...head.children, at, took, end.lastChild][i], text));
    set(rect, {x: start, width: (row.seconds || 0) / long * AXIS, class: barOf(row)});
    // The begin, and the limit of the budget.
    set(mark, {d: `M${start} 2v12` + (bound <= AXIS ? `M${bound} 0v16` : '')});
    set(took, {class: isOver(row) ? 'n bad' : 'n'});
    set(end, {title: explained(FIELDS.failed(row))});
    badge(end.firstChild, row.outcome || row.level);
}

const makeSpan = () => h('tr', h('th', {scope: 'row'}, h('a', {dir: 'auto'}), ' ', h('span.note')), h('td', canvasOf(AXIS, 16, s('rect', {y: 3, height: 10}), s('path.mark'))), h('td.n'), h('td.n'), h('td', h('span'), ' ', h('span')));

panel('trace', 'Trace', {one: false, alone: true, text: () => traceText(opened.trace)}, (body, tools, it) => {
    const about = facts(), why = h('p.empty'), axis = h('div.axis', h('span'), h('span')), list = h('tbody');
    const frame = region('Spans', h('table.bars', h('caption.away', 'Spans of the trace'), h('thead', h('tr', h('th', 'Span'), h('th', axis), h('th.n', 'At'), h('th.n', 'Took'), h('th', 'Outcome'))), list)), copies = tools.firstChild;
    let drawn, note;
    body.append(why, about, frame);
    return () => {
        const id = state.trace, isFile = live.mode === 'static';
        if (opened.id !== id) {
            const mine = opened = {id, trace: db.traces.find((trace) => trace.id === id), gone: !/^[0-9a-f]{32}$/.test(id), take: (trace) => mine.trace = trace};
        }
        const {trace, gone} = opened;
        // Also a page that is paused requests a trace once.
        if (!isFile && !gone && (trace ? !trace.complete && isLive() : !opened.why || isLive())) ask(it, opened, 'api/traces/' + id);
        about.hidden = frame.hidden = copies.hidden = !(why.hidden = trace);
        if (!trace) {
            drawn = null;
            write(it.name, 'Trace');
            write(why, isFile ? 'This file does not contain this trace.' : gone ? 'The spans of this trace are no longer known: the recorder keeps the latest, failed, slow and requested ones.' : opened.why || 'Reading the trace.');
            return id;
        }
        if (drawn === trace) return note;
        const rows = rowsOf(trace), from = Math.min(...rows.map((row) => row.start)), long = Math.max(...rows.map((row) => row.start + (row.seconds || 0))) - from || 1e-9;
        drawn = trace;
        write(it.name, 'Trace of ' + FIELDS.did(trace.spans[0]));
        about.draw(traceFacts(trace));
        [0, long].forEach((t, i) => write(axis.children[i], seconds(t)));
        each(list, rows.slice(0, SPANS), makeSpan, (tr, row) => drawSpan(tr, row, from, long), byID);
        return note = listed(seconds(trace.seconds), some(trace.spans.filter(isBad).length, 'failure'), rows.length > SPANS && `the first ${SPANS} of ${rows.length} rows`);
    };
});
