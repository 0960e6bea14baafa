// SPDX-License-Identifier: Apache-2.0
// A line chart over time, as SVG, with a summary text and a table of the same data.

const CELLS = 240, charts = [];
let cursor;

// `lines` is 'key=label,key=label'. Options: `log` for a logarithmic axis, `limit()` for the value of a limit line.
function lineChart(title, unit, lines, {log, limit = () => null} = {}) {
    lines = pairs(lines);
    const paths = lines.map((_, i) => s('path.line l' + i)), gaps = s('g'), bound = s('path.limit'), hair = s('path.hair'), begun = s('path.failing', {'stroke-width': 3}, s('title', 'A problem began')), values = lines.map(() => h('b')), ticks = scaleMarks(), note = h('p.away'), about = h('span.note');
    const keys = h('span.keys', about, ...lines.map(([, label], i) => h('span', label && canvasOf(16, 4, s('path.line l' + i, {d: 'M0 2H16'})), label, ' ', values[i])));
    const drawing = canvasOf(CELLS, 100, s('path.rule', {d: 'M0 100H240M0 50H240M0 0H240'}), gaps, ...paths, bound, begun, hair);
    const plot = h('div.plot', {onpointerleave: () => point(), onpointermove: (event) => {
        const at = shareOf(drawing, event);
        point(at < 0 ? null : Math.min(0.999, at));
    }}, ticks, drawing, note);
    brushed(plot, drawing);
    let cells = [];
    const el = figure(title, keys, plot, () => [['Time', ...lines.map(([, label]) => label || title)],
        ...Array.from({length: 20}, (_, i) => [clock(begins() + (i + 1) / 20 * span()), ...cells.map((list) => unit(list[i * 12 + 11]))])]);
    el.draw = (ring) => {
        cells = lines.map(([key]) => sample(ring, key));
        const at = limit(), [y, marks] = scale(cells.flat(), at, log, unit === bytes), wide = span() / CELLS;
        paths.forEach((path, i) => set(path, {d: trace(cells[i], y)}));
        set(bound, {d: real(at) ? `M0 ${y(at)}H240` : ''});
        set(begun, {d: problems().map(({since}) => (since - begins()) / span() * CELLS).filter((x) => x >= 0 && x <= CELLS).map((x) => `M${x} 88v12`).join('')});
        each(gaps, gapsOf(cells), () => s('rect.gap', {height: 100}), (rect, [x, width]) => set(rect, {x, width}));
        ticks.draw(marks.map(unit));
        write(about, listed(log && 'logarithmic', wide > 2 * ring?.step && `highest of ${whole(wide)}`));
        write(note, summary(title, cells.at(-1).filter(real), unit));
        el.times();
        el.point();
    };
    el.point = () => {
        set(hair, {d: cursor == null ? '' : `M${cursor * CELLS} 0V100`});
        el.under(cursor);
        values.forEach((value, i) => write(value, unit(cursor == null ? cells[i]?.findLast(real) : cells[i]?.[Math.floor(cursor * CELLS)])));
    };
    charts.push(el);
    return el;
}

// Shows the time under the pointer and the values of all charts at that time.
function point(at) {
    cursor = at;
    for (const chart of charts) chart.point();
}

// Resamples a series to the width of a chart: the highest of the values in each cell, so that no peak vanishes in a long
// range.
function sample(ring, key) {
    const values = ring?.series[key] || [], wide = span() / CELLS / ring?.step, first = (begins() - ring?.start) / ring?.step, cells = [];
    for (let cell = 0; cell < CELLS; cell++) {
        let most = null;
        const from = first + cell * wide, start = wide < 1 ? Math.floor(from + wide / 2) : Math.ceil(from);
        for (let i = start; i < from + wide || i === start; i++) if (real(values[i]) && !(values[i] <= most && most != null)) most = values[i];
        cells.push(most);
    }
    return cells;
}

// Returns [y, marks]: y maps a value to its height, on a linear axis from zero or on a logarithmic axis of whole decades.
// The marks are the values at the top, in the middle and at the bottom; those of bytes are binary.
function scale(values, limit, log, isBinary) {
    const known = [...values, limit * 1.1].filter((v) => v > 0 && v < Infinity), most = known.length ? Math.max(...known) : 1, base = isBinary ? 2 : 10, power = base ** Math.floor(Math.log(most) / Math.log(base) + 1e-9);
    const max = power * (log ? [1, 10] : isBinary ? [1, 1.25, 1.5, 1.75, 2] : [1, 1.5, 2, 3, 5, 8, 10]).find((n) => n * power >= most * 0.999), low = log ? 10 ** Math.floor(Math.log10(Math.max(max / 1e9, Math.min(max / 10, ...known)))) : 0;
    const part = (v) => (v > low ? (log ? Math.log(v / low) / Math.log(max / low) : v / max) : 0);
    return [(v) => Math.round((1 - Math.min(1, part(v))) * 1000) / 10, [max, log ? Math.sqrt(low * max) : max / 2, low]];
}

// A single step is drawn as a dot.
const trace = (cells, y) => cells.map((v, i) => (v == null ? '' : `${i && cells[i - 1] != null ? 'L' : 'M'}${i + 0.5} ${y(v)}h.1`)).join('');

// The gaps between known values, as [cell, width]. They are hatched, so that no line bridges missing data.
function gapsOf(lines) {
    const known = [...Array(CELLS).keys()].filter((i) => lines.some((cells) => cells[i] != null));
    return known.flatMap((end, i) => (i && end - known[i - 1] > 3 ? [[known[i - 1] + 1, end - known[i - 1] - 1]] : []));
}

// One sentence that summarizes the chart.
function summary(title, known, unit) {
    const third = Math.ceil(known.length / 3), change = sum(known.slice(-third)) / sum(known.slice(0, third));
    return `${title}: ` + (third ? `now ${unit(known.at(-1))}, lowest ${unit(Math.min(...known))}, highest ${unit(Math.max(...known))}, ${change > 1.1 ? 'rising' : change < 0.9 ? 'falling' : 'steady'}.` : 'nothing measured yet.');
}
