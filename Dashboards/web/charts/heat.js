// SPDX-License-Identifier: Apache-2.0
// A heat map of a histogram over time: a column for each step, a row for each bucket, darker for more calls.

function heatMap(title, unit) {
    const canvas = h('canvas', {'aria-hidden': 'true'}), ticks = scaleMarks(), rule = h('i.budget'), note = h('span.note');
    let cells = [], bounds = [], step;
    const el = figure(title, note, brushed(h('div.plot', ticks, h('div.map', canvas, rule)), canvas), () => [['Time', ...bounds.map((bound) => '≤ ' + unit(bound)), 'more'],
        ...cells.flatMap((counts, i) => (counts && i % 5 === 0 ? [[clock(begins() + i * step), ...counts.map(count)]] : []))]);
    el.draw = (ring, edges, limit) => {
        const row = real(limit) ? edges.findIndex((edge) => edge >= limit) + 1 : 0, rows = edges.length + 1, first = Math.floor((begins() - ring.start) / ring.step) + 1;
        ({step} = ring);
        bounds = edges;
        cells = Array.from({length: Math.ceil(span() / step)}, (_, i) => ring.series.counts[first + i]);
        paint(canvas, cells, rows);
        rule.hidden = !row;
        rule.style.bottom = row / rows * 100 + '%';
        ticks.draw(['> ' + unit(edges.at(-1)), '≤ ' + unit(edges[edges.length >> 1]), '≤ ' + unit(edges[0])]);
        write(note, mostly(Array.from({length: rows}, (_, row) => sum(cells.map((counts) => counts?.[row]))), edges, unit));
        el.times();
    };
    return el;
}

// One pixel for each bucket. The style sheet stretches the canvas, so nothing here depends on the window size.
function paint(canvas, cells, height) {
    const ink = set(canvas, {width: cells.length, height}).getContext('2d'), most = Math.log1p(Math.max(1, ...cells.flat().filter(real)));
    ink.clearRect(0, 0, cells.length, height);
    ink.fillStyle = live.ink ||= getComputedStyle($('nav')).color;
    cells.forEach((counts, x) => counts?.forEach((n, row) => {
        ink.globalAlpha = n > 0 ? 0.15 + 0.85 * Math.log1p(n) / most : 0;
        ink.fillRect(x, height - 1 - row, 1, 1);
    }));
}

// A text that names the bucket with the most calls by both of its bounds.
function mostly(counts, bounds, unit) {
    const size = sum(counts), row = counts.indexOf(Math.max(...counts));
    return size ? `${some(size, 'call')}, most (${share(counts[row] / size)}) ` + (row === bounds.length ? 'over ' + unit(bounds[row - 1]) : row ? `from ${unit(bounds[row - 1])} to ${unit(bounds[row])}` : 'up to ' + unit(bounds[0])) : 'none in this range';
}
