// SPDX-License-Identifier: Apache-2.0
// Small charts (a sparkline, a bar with a threshold), and the frame of all charts.

import {html, region, setText, svg, update} from '../base/dom.js';
import {isNumber} from '../base/format.js';
import {clockTime, momentAt, shownBegin, shownEnd} from '../model/range.js';

// A drawing that fills its place, with its own coordinates.
export const makeDrawing = (width, height, ...children) =>
    svg(
        'svg',
        {viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true'},
        ...children,
    );

// The path of a line through the centre of each cell. Unknown values are gaps; a single step is drawn as a dot.
export const linePath = (cells, heightOf) =>
    cells
        .map((value, index) => {
            if (value == null) return '';
            const isContinued = index > 0 && cells[index - 1] != null;
            return `${isContinued ? 'L' : 'M'}${index + 0.5} ${heightOf(value)}h.1`;
        })
        .join('');

export const makeSpark = () => makeDrawing(30, 16, svg('path.l0'));

// A sparkline; the cells beside it show its numbers.
export function drawSpark(spark, values) {
    const known = Array.isArray(values) ? values.map((value) => Math.max(0, Number(value) || 0)) : [];
    const highest = Math.max(1e-9, ...known);
    const heightOf = (value) => Math.round(15 - (value / highest) * 14);
    update(spark.firstChild, {d: linePath(known, heightOf)});
}

// A share as a bar from 0 to 1, with a mark at the threshold and a text beside it.
export function makeMeter(label) {
    const bar = svg('rect', {height: 6});
    const mark = svg('path.mark');
    const words = html('span.n');
    const drawing = makeDrawing(100, 6, svg('rect.track', {width: 100, height: 6}), bar, mark);
    const meter = html('div.meter', html('span.note', label), drawing, words);
    meter.draw = (value, threshold, text) => {
        const isOver = isNumber(threshold) && value >= threshold;
        update(bar, {width: value > 0 ? Math.min(1, value) * 100 : 0, class: isOver ? 'over' : 'under'});
        update(mark, {d: isNumber(threshold) ? `M${Math.min(1, threshold) * 100} 0v6` : ''});
        setText(words, text);
    };
    return meter;
}

// The figure of a chart: title and text, the drawing, the times at both ends, and a table of the same numbers, which is
// created when it is opened. `content()` returns the heads and then the rows, as text.
export function makeFigure(title, words, drawing, content) {
    const numbers = region(title + ', numbers');
    const begin = html('span');
    const end = html('span');
    const cursorTime = html('b.cursor');
    const ontoggle = ({target}) => numbers.replaceChildren(target.open ? makeNumbers(title, content()) : '');
    const figure = html(
        'figure',
        html('figcaption', html('b', title), words),
        drawing,
        html('div.axis', {'aria-hidden': 'true'}, begin, cursorTime, end),
        html('details.as', {ontoggle}, html('summary', 'Table'), numbers),
    );
    // Shows the moment at a share of the width, or none.
    figure.drawCursorTime = (position) => {
        setText(cursorTime, position == null ? '' : clockTime(momentAt(position)));
        cursorTime.style.left = position * 100 + '%';
    };
    figure.drawTimes = () => {
        setText(begin, clockTime(shownBegin()));
        setText(end, clockTime(shownEnd()));
    };
    return figure;
}

function makeNumbers(title, [heads, ...rows]) {
    const headRow = html('tr', ...heads.map((text) => html('th.n', {scope: 'col'}, text)));
    const makeRow = ([name, ...values]) =>
        html('tr', html('th.n', {scope: 'row'}, name), ...values.map((text) => html('td.n', text)));
    return html('table', html('caption.away', title), headRow, ...rows.map(makeRow));
}

// The values of a vertical axis, from the top to the bottom.
export function makeTicks() {
    const ticks = html('div.ticks', {'aria-hidden': 'true'}, html('span'), html('span'), html('span'));
    ticks.draw = (texts) => texts.forEach((text, index) => setText(ticks.children[index], text));
    return ticks;
}
