// SPDX-License-Identifier: Apache-2.0
// The graph of callers and callees: a drawing in layers, or a tree with the same content.

const NODES = 120;

// The busiest components that have edges, or the chosen component with its callers and callees, in the order of their
// creation.
function graphNodes(edges) {
    const row = chosen(), linked = new Set(edges.filter((e) => !row || e.from === row.id || e.to === row.id).flatMap((e) => [e.from, e.to]));
    return all('components').filter((c) => linked.has(c.id)).sort((a, b) => b.calls - a.calls).slice(0, NODES).sort((a, b) => a.id - b.id);
}

const failingOf = (e) => (e.errorRatio > 0.01 ? e.errorRatio : 0);
const flagWords = (e, back) => listed(e.forbidden && '✕ forbidden', back.has(e) && '↻ cycle');
const edgeWords = (e, back) => listed(rate(e.rate), failingOf(e) && share(failingOf(e)) + ' failing', flagWords(e, back));

// The drawing fits the panel. It can be enlarged, and then scrolled, also by a drag.
function graphDrawing() {
    const lines = s('g'), signs = s('g'), boxes = s('g'), svg = s('svg.graph', {role: 'group', 'aria-label': 'Component graph', onpointermove: ({buttons, pointerType, movementX, movementY}) => buttons && pointerType === 'mouse' && svg.parentNode.scrollBy(-movementX, -movementY)}, lines, boxes, signs);
    let large = 1, wide;
    // Keeps the middle of the view. No factor fits all.
    svg.zoom = (factor) => {
        const frame = svg.parentNode, {clientWidth: w, clientHeight: h} = frame, x = (frame.scrollLeft + w / 2) / frame.scrollWidth, y = (frame.scrollTop + h / 2) / frame.scrollHeight;
        large = factor ? Math.max(1, Math.min(8, large * factor)) : 1;
        Object.assign(svg.style, {width: large * 100 + '%', maxWidth: large * wide + 'px', minWidth: large * wide / 2 + 'px'});
        frame.scrollTo(x * frame.scrollWidth - w / 2, y * frame.scrollHeight - h / 2);
    };
    svg.draw = (nodes, edges, {at, ways, back, width, height}) => {
        const row = chosen(), middles = [];
        set(svg, {viewBox: `0 0 ${width} ${height}`});
        if (wide !== width) {
            wide = width;
            svg.zoom();
        }
        each(boxes, nodes, () => s('a', s('title'), s('rect', {width: WIDE, height: TALL, rx: 3}), s('text', {x: 8, y: 16})), (box, c) => {
            const name = [...c.name];
            set(box, {transform: `translate(${at.get(c.id)})`, class: `node ${c.kind} ${c === row ? 'on' : ''}`, 'aria-label': `${c.name}, ${c.kind}, ${rate(c.rate)}`, href: choosing(c)});
            write(box.firstChild, c.name);
            write(box.lastChild, (c.errorRatio > 0.01 ? '▲ ' : '') + (name.length > 21 ? name.slice(0, 20).join('') + '…' : c.name));
        }, byID);
        each(lines, edges.filter((e) => ways.has(e)), () => s('path', s('title')), (path, e) => {
            const from = at.get(e.from), to = at.get(e.to), way = ways.get(e), mine = row && (e.from === row.id || e.to === row.id);
            const flags = [e.forbidden && 'forbidden', back.has(e) && 'cycle', failingOf(e) && 'failing'].filter(Boolean);
            set(path, {d: wayOf(from, to, way, back.has(e)), class: ['edge', ...flags, mine && 'on'].join(' '), 'stroke-width': (1 + Math.log10(1 + (e.rate || 0))).toFixed(1)});
            write(path.firstChild, listed(`${nameOf(e.from)} → ${nameOf(e.to)}`, edgeWords(e, back), e.note));
            if (!flags[0] && !mine) return;
            // Labels are between two columns, before the arrow, where no box is. One that would overlap another is moved down.
            const [, y] = way.at(-1) || [0, from[1]], x = to[0] + (back.has(e) ? STEP[0] + WIDE : WIDE - STEP[0]) / 2;
            let sign = (y + to[1] + TALL) / 2;
            for (const text of [failingOf(e) || mine ? edgeWords({...e, forbidden: 0}, new Set()) : '', flagWords(e, back)]) if (text) {
                while (middles.some(([at, line]) => at === x && Math.abs(line - sign) < 13)) sign += 13;
                middles.push([x, sign, text]);
            }
        }, byID);
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

panel('graph', 'Component graph', {list: 'edges', data: () => [['from', 'to', 'calls', 'rate', 'errors', 'forbidden'], ...all('edges').map((e) => [nameOf(e.from), nameOf(e.to), e.calls, e.rate, e.errors, e.forbidden])]}, (body, tools) => {
    const drawing = graphDrawing(), tree = h('div'), frame = region('Drawing of the component graph', drawing);
    let plan, planned, drawn;
    const zooms = h('span', button('+', () => drawing.zoom(1.5), {'aria-label': 'Enlarge'}), button('−', () => drawing.zoom(1 / 1.5), {'aria-label': 'Reduce'}), button('Fit', () => drawing.zoom()));
    const legend = h('p.keys', h('span', {class: 'box context'}, 'context'), h('span', {class: 'box client'}, 'client'), h('span', {class: 'box capability'}, 'capability'), '▲ and red: more than 1 % failing in 60 s', h('span', canvasOf(24, 4, s('path', {class: 'edge forbidden', d: 'M0 2H24'})), 'forbidden'), h('span', canvasOf(24, 4, s('path', {class: 'edge cycle', d: 'M0 2H24'})), 'closes a cycle'), 'a line is thicker with more calls');
    tools.prepend(choice('As', 'view', 'graph,tree'), zooms);
    body.append(frame, legend, tree);
    return () => {
        const edges = all('edges'), nodes = graphNodes(edges), size = nodes.length, stamp = String([db.grown, ...nodes.map((c) => c.id)]), asTree = state.view === 'tree';
        if (stamp !== planned) plan = layout(nodes.map((c) => c.id), edges);
        planned = stamp;
        zooms.hidden = legend.hidden = frame.hidden = asTree || !size;
        tree.hidden = !asTree;
        if (!asTree) drawing.draw(nodes, edges, plan);
        else if (drawn !== stamp) tree.replaceChildren(treeOf(nodes, edges, plan.back));
        drawn = asTree && stamp;
        return size ? listed(some(size, 'component'), size === NODES && 'the busiest', some(edges.length, 'edge'), plan.back.size && '↻ ' + some(plan.back.size, 'cycle')) : 'No component has resolved another yet';
    };
});
