// SPDX-License-Identifier: Apache-2.0
// The spans of one trace as a tree, each with a bar on the axis of time, and the log records between them.

import {button, factList, html, idOf, region, setText, update, updateChildren} from '../base/dom.js';
import {joined, plural, seconds} from '../base/format.js';
import {isFile, isLive} from '../connection/live.js';
import {componentAddress} from '../model/components.js';
import {address, choose, settings} from '../model/settings.js';
import {rowsOf, store} from '../model/store.js';
import {hasFailed, spanName} from '../model/traces.js';
import {ask} from '../page/ask.js';
import {panel} from '../page/panel.js';
import {drawSpan, isChosen, makeSpan} from './span.js';
import {spanFacts, spanRows, spanTexts, traceFacts, traceText} from './trace-rows.js';

const MOST_ROWS = 500;

// The trace that the page shows, or the request for it.
let opened = {id: null, trace: null};

const options = {view: 'latency', isOfComponent: false, isAlone: true, text: () => traceText(opened.trace)};

panel('trace', 'Trace', options, (body, tools, it) => {
    const facts = factList();
    const samples = html('a');
    const missing = html('p.empty');
    const axis = html('div.axis', html('span'), html('span'));
    const list = html('tbody');
    const frame = region('Spans', makeSpanTable(axis, list));
    const copyMenu = tools.firstChild;
    const pane = makePane();
    const nextError = button('Next error', () => chooseNext(list, rows));
    // The trace and the span that were drawn last, the rows of the trace, and its note.
    let drawn = null;
    let drawnSpan = '';
    let rows = [];
    let note = '';
    tools.prepend(nextError);
    body.append(missing, facts, samples, frame, pane);
    list.onclick = (event) => {
        event.preventDefault();
        choose({span: event.target.closest('tr').row.id});
    };
    return () => {
        openTrace(settings.trace);
        requestTrace(it);
        const {trace} = opened;
        missing.hidden = Boolean(trace);
        for (const part of [facts, samples, frame, pane, nextError, copyMenu]) part.hidden = !trace;
        if (!trace) {
            drawn = null;
            setText(it.heading, 'Trace');
            setText(missing, missingText());
            return opened.id;
        }
        drawSamples(it, samples);
        if (drawn !== trace || drawnSpan !== settings.span) note = drawTrace(trace);
        drawn = trace;
        drawnSpan = settings.span;
        return note;
    };

    function drawTrace(trace) {
        rows = spanRows(trace);
        const begin = Math.min(...rows.map(({start}) => start));
        const end = Math.max(...rows.map((row) => row.start + (row.seconds || 0)));
        const length = end - begin || 1e-9;
        setText(it.heading, 'Trace of ' + spanName(trace.spans[0]));
        facts.draw(traceFacts(trace));
        setText(axis.firstChild, seconds(0));
        setText(axis.lastChild, seconds(length));
        const drawRow = (node, row) => drawSpan(node, row, begin, length);
        updateChildren(list, rows.slice(0, MOST_ROWS), makeSpan, drawRow, idOf);
        pane.draw(rows.find(isChosen) || rows[0], trace);
        nextError.disabled = !rows.some(hasFailed);
        return noteOf(trace, rows.length);
    }
});

// What is known of the chosen span, with a link to its component.
function makePane() {
    const name = html('h3', {dir: 'auto'});
    const link = html('a');
    const facts = factList();
    const pane = html('aside.pane', {'aria-label': 'Chosen span'}, name, link, facts);
    pane.draw = (row, trace) => {
        const {component, componentKind} = row;
        const type = rowsOf('components').find(({name: own, kind}) => own === component && kind === componentKind);
        setText(name, spanTexts(row, 0)[0]);
        update(link, {hidden: !type, href: type && componentAddress(type), text: 'Open ' + component});
        facts.draw(spanFacts(row, trace));
    };
    return pane;
}

// Chooses the next span that failed, after the chosen one, and shows it.
function chooseNext(list, rows) {
    const from = rows.findIndex(isChosen) + 1;
    const next = [...rows.slice(from), ...rows.slice(0, from)].find(hasFailed);
    choose({span: next.id});
    [...list.children].find(({row}) => row.id === next.id)?.scrollIntoView({block: 'nearest'});
}

function makeSpanTable(axis, list) {
    const times = [html('th', axis), html('th.n', 'At'), html('th.n', 'Took')];
    const heads = [html('th', 'Span'), ...times, html('th', 'Outcome')];
    const caption = html('caption.away', 'Spans of the trace');
    return html('table.bars', caption, html('thead', html('tr', ...heads)), list);
}

function openTrace(id) {
    if (opened.id === id) return;
    const trace = store.traces.find((candidate) => candidate.id === id);
    const job = {id, trace, isGone: !/^[0-9a-f]{32}$/.test(id)};
    job.receive = (answer) => {
        job.trace = answer;
    };
    job.profile = {receive: (answer) => Object.assign(job.profile, answer)};
    opened = job;
}

// The row with the number of samples of a kept trace, which opens its profile. The number is requested once.
function drawSamples(it, link) {
    const {id, trace, profile} = opened;
    const {samples} = profile;
    const isUnknown = samples == null;
    if (isUnknown && store.app.profile && !isFile() && trace.kept) ask(it, profile, 'api/profile', {trace: id});
    const text = 'Samples: ' + (samples || 'none');
    update(link, {text, hidden: isUnknown, href: address({tab: 'profile', panel: '', of: id})});
}

// Also a page that is paused requests a trace once.
function requestTrace(it) {
    const {id, trace, isGone, reason} = opened;
    if (isFile() || isGone) return;
    const isNeeded = trace ? !trace.complete && isLive() : !reason || isLive();
    if (isNeeded) ask(it, opened, 'api/traces/' + id);
}

function missingText() {
    if (isFile()) return 'This trace is not in this file.';
    if (opened.isGone) {
        const kept = 'the recorder keeps the latest, failed, slow and requested ones';
        return `The spans of this trace are no longer known: ${kept}.`;
    }
    return opened.reason || 'Reading the trace.';
}

function noteOf(trace, size) {
    const failures = trace.spans.filter(hasFailed).length;
    const omitted = size > MOST_ROWS && `the first ${MOST_ROWS} of ${size} rows`;
    return joined(seconds(trace.seconds), plural(failures, 'failure'), omitted);
}
