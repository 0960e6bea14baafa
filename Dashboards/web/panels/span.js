// SPDX-License-Identifier: Apache-2.0
// One row of a trace: a span, or a log record.

import {html, setText, svg, update} from '../base/dom.js';
import {showState} from '../base/states.js';
import {makeDrawing} from '../charts/marks.js';
import {explained} from '../model/errors.js';
import {address, settings} from '../model/settings.js';
import {hasFailed} from '../model/traces.js';
import {isOverBudget, spanTexts} from './trace-rows.js';

// The units of the width of the axis.
const WIDTH = 1000;
// Deeper spans are not indented further.
const DEEPEST = 12;

export function makeSpan() {
    const name = html('th', {scope: 'row'}, html('a', {dir: 'auto'}), ' ', html('span.note'));
    const bar = makeDrawing(WIDTH, 16, svg('rect', {y: 3, height: 10}), svg('path.mark'));
    const outcome = html('td', html('span'), ' ', html('span'));
    return html('tr', name, html('td', bar), html('td.n'), html('td.n'), outcome);
}

export const isChosen = ({id}) => settings.span === String(id);

// Draws a row of a trace that begins at `begin` and takes `length` seconds.
export function drawSpan(node, row, begin, length) {
    const [head, bar, at, took, end] = node.children;
    const [name, kind] = head.children;
    const [outcome, error] = end.children;
    const texts = spanTexts(row, begin);
    [name, kind, at, took, error].forEach((place, index) => setText(place, texts[index]));
    head.style.paddingInlineStart = 8 + Math.min(row.depth, DEEPEST) * 14 + 'px';
    node.row = row;
    update(node, {class: isChosen(row) && 'on'});
    update(name, {href: address({trace: settings.trace, span: row.id})});
    update(took, {class: isOverBudget(row) ? 'n bad' : 'n'});
    update(end, {title: explained(texts.at(-1))});
    drawBar(bar.firstChild, row, row.start - begin, WIDTH / length);
    showState(outcome, row.outcome || row.level);
}

// The bar has a mark at the begin, and one at the limit of the budget. A time of the clock has no room for
// nanoseconds, so widths are made of durations.
function drawBar(drawing, row, offset, scale) {
    const [bar, mark] = drawing.children;
    const x = offset * scale;
    const limit = x + row.budget?.limit * scale;
    update(bar, {x, width: (row.seconds || 0) * scale, class: kindOfBar(row)});
    update(mark, {d: `M${x} 2v12` + (limit <= WIDTH ? `M${limit} 0v16` : '')});
}

function kindOfBar(row) {
    if (hasFailed(row)) return 'over';
    if (/wait/.test(row.kind)) return 'gap';
    return /retry|recovery/.test(row.kind) ? 'gap again' : 'under';
}
