// SPDX-License-Identifier: Apache-2.0
// A line chart over time, as SVG, with a summary text and a table of the same data.

import {html, setText, svg, update, updateChildren} from '../base/dom.js';
import {bytes, duration, isNumber, joined, sum} from '../base/format.js';
import {refresh} from '../base/frames.js';
import {marks} from '../model/marks.js';
import {isObservation, listedProblems} from '../model/problems.js';
import {clockTime, momentAt, placeOf, shownBegin, shownSeconds} from '../model/range.js';
import {makeSelectable, positionIn} from './brush.js';
import {linePath, makeDrawing, makeFigure, makeTicks} from './marks.js';
import {makeScale} from './scale.js';

// A chart has so many cells of time, and its table so many rows.
const CELLS = 240;
const TABLE_ROWS = 20;
// A chart that is narrower than so many pixels shows the mean of so many cells, and a band from the lowest to the
// highest.
const NARROW = 300;
const STEP = 4;
// More unknown cells between two known ones are a gap.
const SHORTEST_GAP = 3;

const charts = [];
// The charts that are narrow.
const narrow = new Set();
const widths = new ResizeObserver((entries) => {
    for (const {target, contentRect} of entries) {
        const isNarrow = contentRect.width > 0 && contentRect.width < NARROW;
        if (narrow.has(target) === isNarrow) continue;
        if (isNarrow) narrow.add(target);
        else narrow.delete(target);
        refresh();
    }
});
// The position of the pointer over a chart, as a share of the width; null if it is elsewhere.
let cursor = null;

// Makes a chart of the series with these names, which label the lines if there are several. Options: `isLogarithmic`,
// and `limit()` for the value of a limit line.
export function makeLineChart(title, unit, names, {isLogarithmic = false, limit = () => null} = {}) {
    const parts = {
        paths: names.map((_, index) => svg('path.line l' + index)),
        bands: names.map((_, index) => svg('path.band l' + index)),
        gaps: svg('g'),
        limit: svg('path.limit'),
        cursor: svg('path.hair'),
        ghost: svg('path.ghost', svg('title', 'The marked moment')),
        problems: svg('path.failing', {'stroke-width': 3}, svg('title', 'A problem began')),
        values: names.map(() => html('b')),
        ticks: makeTicks(),
        summary: html('p.away'),
        about: html('span.note'),
    };
    // The values of each line in each cell.
    let cells = [];
    const content = () => numbersOf(title, unit, names, cells);
    const chart = makeFigure(title, makeLegend(names, parts), makePlot(parts), content);
    chart.draw = (ring) => {
        const limitValue = limit();
        cells = names.map((name) => sampleSeries(ring, name));
        const scale = makeScale(cells.flat(), limitValue, isLogarithmic, unit === bytes);
        const isNarrow = narrow.has(chart);
        const transform = isNarrow && `scale(${STEP} 1)`;
        cells.forEach((values, index) => {
            const steps = isNarrow ? stepsOf(values) : [];
            const line = isNarrow ? steps.map(meanOf) : values;
            update(parts.paths[index], {d: linePath(line, scale.heightOf), transform});
            update(parts.bands[index], {d: bandPath(steps, scale.heightOf), transform});
        });
        update(parts.ghost, {d: ghostMark()});
        update(parts.limit, {d: isNumber(limitValue) ? `M0 ${scale.heightOf(limitValue)}H${CELLS}` : ''});
        update(parts.problems, {d: problemMarks()});
        updateChildren(parts.gaps, gapsOf(cells), () => svg('rect.gap', {height: 100}), update);
        parts.ticks.draw(scale.marks.map(unit));
        setText(parts.about, joined(isLogarithmic && 'logarithmic', cellNote(ring)));
        setText(parts.summary, summary(title, cells.at(-1).filter(isNumber), unit));
        chart.drawTimes();
        chart.drawCursor();
    };
    chart.drawCursor = () => {
        update(parts.cursor, {d: cursor == null ? '' : `M${cursor * CELLS} 0V100`});
        chart.drawCursorTime(cursor);
        parts.values.forEach((value, index) => setText(value, unit(valueAtCursor(cells[index]))));
    };
    widths.observe(chart);
    charts.push(chart);
    return chart;
}

function makeLegend(names, {about, values}) {
    const makeKey = (name, index) => {
        const sample = makeDrawing(16, 4, svg('path.line l' + index, {d: 'M0 2H16'}));
        return names.length > 1 ? html('span', sample, name, ' ', values[index]) : values[index];
    };
    return html('span.keys', about, ...names.map(makeKey));
}

function makePlot({paths, bands, gaps, limit, cursor: hair, ghost, problems, ticks, summary: text}) {
    const rule = svg('path.rule', {d: `M0 100H${CELLS}M0 50H${CELLS}M0 0H${CELLS}`});
    const drawing = makeDrawing(CELLS, 100, rule, gaps, ...bands, ...paths, limit, problems, ghost, hair);
    const onpointermove = (event) => {
        const position = positionIn(drawing, event);
        moveCursor(position < 0 ? null : Math.min(0.999, position));
    };
    const plot = html('div.plot', {onpointerleave: () => moveCursor(null), onpointermove}, ticks, drawing, text);
    return makeSelectable(plot, drawing);
}

// Shows the time under the pointer and the values of all charts at that time.
function moveCursor(position) {
    cursor = position;
    for (const chart of charts) chart.drawCursor();
}

// The value under the pointer, or without one the latest.
function valueAtCursor(cells = []) {
    return cursor == null ? cells.findLast(isNumber) : cells[Math.floor(cursor * CELLS)];
}

function numbersOf(title, unit, names, cells) {
    const step = CELLS / TABLE_ROWS;
    const rows = Array.from({length: TABLE_ROWS}, (_, index) => {
        const time = clockTime(momentAt((index + 1) / TABLE_ROWS));
        return [time, ...cells.map((values) => unit(values[(index + 1) * step - 1]))];
    });
    return [['Time', ...(names.length > 1 ? names : [title])], ...rows];
}

// Says how many seconds a cell has, if that is more than a step.
function cellNote(ring) {
    const width = shownSeconds() / CELLS;
    return width > 2 * ring?.step && `highest of ${duration(width)}`;
}

// The path of the marks at the times at which problems began.
const problemMarks = () =>
    listedProblems()
        .filter((problem) => !isObservation(problem))
        .map(({since}) => ((since - shownBegin()) / shownSeconds()) * CELLS)
        .filter((x) => x >= 0 && x <= CELLS)
        .map((x) => `M${x} 88v12`)
        .join('');

// The place of the marked moment, if it is in the shown range.
function ghostMark() {
    const place = marks.before ? placeOf(marks.before.capturedAt) : 0;
    return place > 0 && place < 1 ? `M${place * CELLS} 0V100` : '';
}

// The known values of each step.
const stepsOf = (values) =>
    Array.from({length: CELLS / STEP}, (_, index) => values.slice(index * STEP, (index + 1) * STEP).filter(isNumber));

const meanOf = (known) => (known.length ? sum(known) / known.length : null);

const bandPath = (steps, heightOf) =>
    steps
        .map((known, index) => {
            if (known.length < 2) return '';
            return `M${index + 0.5} ${heightOf(Math.max(...known))}V${heightOf(Math.min(...known))}`;
        })
        .join('');

// Resamples a series to the width of a chart: the highest of the values in each cell, so that no peak vanishes in a
// long range.
function sampleSeries(ring, name) {
    const values = ring?.series[name] || [];
    const width = shownSeconds() / CELLS / ring?.step;
    const first = (shownBegin() - ring?.start) / ring?.step;
    return Array.from({length: CELLS}, (_, cell) => highestIn(values, first + cell * width, width));
}

// The highest value of the steps from `from` on; null if none is known. A cell that is narrower than a step has that of
// the step in its middle.
function highestIn(values, from, width) {
    const start = width < 1 ? Math.floor(from + width / 2) : Math.ceil(from);
    const end = Math.max(start + 1, Math.ceil(from + width));
    let highest = null;
    for (let index = start; index < end; index++) {
        const value = values[index];
        if (isNumber(value) && (highest == null || value > highest)) highest = value;
    }
    return highest;
}

// The gaps between known values. They are hatched, so that no line bridges missing data.
function gapsOf(lines) {
    const known = [...Array(CELLS).keys()].filter((cell) => lines.some((cells) => cells[cell] != null));
    return known.flatMap((end, index) => {
        const begin = known[index - 1];
        return index && end - begin > SHORTEST_GAP ? [{x: begin + 1, width: end - begin - 1}] : [];
    });
}

// One sentence that summarizes the chart.
function summary(title, known, unit) {
    if (!known.length) return `${title}: nothing measured yet.`;
    const lowest = unit(Math.min(...known));
    const highest = unit(Math.max(...known));
    return `${title}: now ${unit(known.at(-1))}, lowest ${lowest}, highest ${highest}, ${trendOf(known)}.`;
}

// Compares the last third of the values with the first third.
function trendOf(known) {
    const third = Math.ceil(known.length / 3);
    const change = sum(known.slice(-third)) / sum(known.slice(0, third));
    if (change > 1.1) return 'rising';
    return change < 0.9 ? 'falling' : 'steady';
}
