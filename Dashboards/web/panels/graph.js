// SPDX-License-Identifier: Apache-2.0
// The graph of callers and callees: a drawing in layers, or a tree with the same content.

const NODES = 120, WIDE = 168, TALL = 24, STEP = [295, 36];

// The busiest components that have edges, in the order of their creation.
function graphNodes(edges) {
    const linked = new Set(edges.flatMap((e) => [e.from, e.to]));
    return all('components').filter((c) => linked.has(c.id)).sort((a, b) => b.calls - a.calls).slice(0, NODES).sort((a, b) => a.id - b.id);
}

const failingOf = (e) => (e.errors > 0.01 * e.calls ? e.errors / e.calls : 0);
const edgeWords = (e, back) => listed(rate(e.rate), failingOf(e) && share(failingOf(e)) + ' failing', e.forbidden && '✕ forbidden', back.has(e) && '↻ cycle');

function graphDrawing() {
    const lines = s('g'), signs = s('g'), boxes = s('g'), svg = s('svg.graph', {role: 'group', 'aria-label': 'Component graph'}, lines, boxes, signs);
    svg.draw = (nodes, edges, {at, back, columns, rows}) => {
        const row = chosen(), corner = (id) => at.get(id).map((n, i) => 9 + n * STEP[i]), width = (columns - 1) * STEP[0] + WIDE + 18, height = rows * STEP[1] + 8, middles = [];
        set(svg, {viewBox: `0 0 ${width} ${height}`, width, height});
        each(boxes, nodes, () => s('a', s('rect', {width: WIDE, height: TALL, rx: 3}), s('text', {x: 8, y: 16})), (box, c) => {
            set(box, {transform: `translate(${corner(c.id)})`, class: `node ${c.kind} ${c === row ? 'on' : ''}`, 'aria-label': `${c.name}, ${c.kind}, ${rate(c.rate)}`, href: choosing(c)});
            set(box.lastChild, {text: (c.errorRatio > 0.01 ? '▲ ' : '') + [...c.name].slice(0, 20).join('')});
        });
        each(lines, edges.filter((e) => at.has(e.from) && at.has(e.to)), () => s('path', s('title')), (path, e) => {
            const [[x, y], [x2, y2]] = [corner(e.from), corner(e.to)], ax = x + WIDE, ay = y + TALL / 2, by = y2 + TALL / 2, bend = Math.max(40, (x2 - ax) / 2), mine = row && (e.from === row.id || e.to === row.id);
            const flags = [e.forbidden && 'forbidden', back.has(e) && 'cycle', failingOf(e) && 'failing'].filter(Boolean);
            set(path, {d: `M${ax} ${ay}C${ax + bend} ${ay} ${x2 - bend} ${by} ${x2} ${by}m-5 -3l5 3l-5 3`, class: ['edge', ...flags, mine && 'on'].join(' '), 'stroke-width': (1 + Math.log10(1 + (e.rate || 0))).toFixed(1)});
            set(path.firstChild, {text: listed(edgeWords(e, back), e.note)});
            // The label of a long edge is placed before the arrow, because boxes cover the middle. The label of a back edge
            // is placed below the box where the edge starts. A label that would overlap another one is moved down.
            let [middle, sign] = x2 < ax ? [x + 84, y + 36] : x2 - ax > STEP[0] ? [x2 - 64, by] : [(ax + x2) / 2, (ay + by) / 2];
            while (middles.some(([x, y]) => Math.abs(x - middle) < 140 && Math.abs(y - sign) < 14)) sign += 14;
            if (flags[0] || mine) middles.push([middle, sign, edgeWords(e, back)]);
        });
        each(signs, middles, () => s('text', {'text-anchor': 'middle', dy: -3}), (sign, [x, y, text]) => set(sign, {x, y, text}));
    };
    return svg;
}

// The graph as nested lists. A component that is already listed is named again, but not expanded again.
function treeOf(nodes, edges, back) {
    const seen = new Set(), item = (c, edge) => {
        const below = seen.has(c) ? [] : edges.filter((e) => e.from === c.id), label = h('span', {dir: 'auto'}, c.name, h('span.note', ' ' + listed(c.kind, edge && edgeWords(edge, back), edge?.note, seen.has(c) && 'see above')));
        seen.add(c);
        return h('li', below.length ? h('details', {open: true}, h('summary', label), h('ul', ...below.map((e) => db.components.has(e.to) && item(db.components.get(e.to), e)))) : label);
    };
    const tops = nodes.filter((c) => !edges.some((e) => e.to === c.id));
    return h('ul.tree', ...[...tops, ...nodes].map((c) => !seen.has(c) && item(c)).filter(Boolean));
}

panel('graph', 'Component graph', {wide: true, one: true, list: 'edges', data: () => [['from', 'to', 'calls', 'rate', 'errors', 'forbidden'], ...all('edges').map((e) => [nameOf(e.from), nameOf(e.to), e.calls, e.rate, e.errors, e.forbidden])]}, (body, tools) => {
    const drawing = graphDrawing(), tree = h('div'), frame = region('Drawing of the component graph', drawing);
    let plan, planned, drawn;
    tools.prepend(choice('As', 'view', 'graph,tree'));
    body.append(frame, tree);
    return () => {
        const edges = all('edges'), nodes = graphNodes(edges), size = nodes.length, stamp = String([db.grown, ...nodes.map((c) => c.id)]), asTree = state.view === 'tree';
        if (stamp !== planned) plan = layout(nodes.map((c) => c.id), edges);
        planned = stamp;
        frame.hidden = asTree || !size;
        tree.hidden = !asTree;
        if (!asTree) drawing.draw(nodes, edges, plan);
        else if (drawn !== stamp) tree.replaceChildren(treeOf(nodes, edges, plan.back));
        drawn = asTree && stamp;
        return size ? listed(some(size, 'component'), size === NODES && 'the busiest', some(edges.length, 'edge'), plan.back.size && '↻ ' + some(plan.back.size, 'cycle')) : 'No component has resolved another yet';
    };
});
