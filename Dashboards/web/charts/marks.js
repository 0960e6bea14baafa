// SPDX-License-Identifier: Apache-2.0
// Small charts (a sparkline, a bar with a threshold), and the frame of all charts.

const canvasOf = (wide, high, ...kids) => s('svg', {viewBox: `0 0 ${wide} ${high}`, preserveAspectRatio: 'none', 'aria-hidden': 'true'}, ...kids);
const spark = () => canvasOf(30, 16, s('path.l0'));

// A sparkline; the cells beside it show its numbers.
function drawSpark(svg, values) {
    const known = Array.isArray(values) ? values.map((v) => Math.max(0, +v || 0)) : [], top = Math.max(1e-9, ...known);
    set(svg.firstChild, {d: trace(known, (v) => Math.round(15 - v / top * 14))});
}

// A share as a bar from 0 to 1, with a mark at the threshold and a text beside it.
function meter(label) {
    const name = h('span.note', label), fill = s('rect', {height: 6}), mark = s('path.mark'), words = h('span.n');
    const el = h('div.meter', name, canvasOf(100, 6, s('rect.track', {width: 100, height: 6}), fill, mark), words);
    el.draw = (value, limit, text, label) => {
        set(fill, {width: value > 0 ? Math.min(1, value) * 100 : 0, class: real(limit) && value >= limit ? 'over' : 'under'});
        set(mark, {d: real(limit) ? `M${Math.min(1, limit) * 100} 0v6` : ''});
        write(words, text);
        if (label) write(name, label);
    };
    return el;
}

// The figure of a chart: title and text, the drawing, the times at both ends, and a table of the same numbers, which is
// created when it is opened. `rows()` returns the heads and then the rows, as text.
function figure(title, words, drawing, rows) {
    const body = region(title + ', numbers'), sides = [h('span'), h('span')], under = h('b.cursor');
    const el = h('figure', h('figcaption', h('b', title), words), drawing, h('div.axis', {'aria-hidden': 'true'}, sides[0], under, sides[1]), h('details.as', {ontoggle: ({target}) => body.replaceChildren(target.open ? h('table', h('caption.away', title),
        ...rows().map((cells, row) => h('tr', ...cells.map((cell, i) => h(row && i ? 'td.n' : 'th.n', {scope: row ? !i && 'row' : 'col'}, cell))))) : '')}, h('summary', 'Table'), body));
    // Shows the time at a share of the width, or none.
    el.under = (at) => {
        write(under, at == null ? '' : clock(begins() + at * span()));
        under.style.left = at * 100 + '%';
    };
    el.times = () => sides.forEach((side, i) => write(side, clock(i ? ends() : begins())));
    return el;
}

// The values of a vertical axis, from the top to the bottom.
function scaleMarks() {
    const el = h('div.ticks', {'aria-hidden': 'true'}, h('span'), h('span'), h('span'));
    el.draw = (texts) => texts.forEach((text, i) => write(el.children[i], text));
    return el;
}

// A scrollable region with a name, which the keyboard can reach.
const region = (name, ...kids) => h('div.scroll', {tabindex: 0, role: 'region', 'aria-label': name}, ...kids);
