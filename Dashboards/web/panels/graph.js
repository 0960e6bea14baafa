// SPDX-License-Identifier: Apache-2.0
// The graph of callers and callees: a drawing in layers.

import {button, html, region} from '../base/dom.js';
import {joined, plural} from '../base/format.js';
import {chosenComponent, nameOf} from '../model/components.js';
import {isInTrouble} from '../model/health.js';
import {rowsOf, store} from '../model/store.js';
import {panel} from '../page/panel.js';
import {makeGraphDrawing} from './graph-drawing.js';
import {layOut} from './graph-layout.js';
import {SIGNS} from './level.js';

const MOST_NODES = 60;
const EDGE_FIELDS = ['calls', 'rate', 'errors', 'forbidden'];

// The components that have edges, those in trouble and the busiest first, or the chosen component with its callers and
// callees, in the order of their creation.
function shownNodes(edges) {
    const component = chosenComponent();
    const isShown = ({from, to}) => !component || from === component.id || to === component.id;
    const linked = new Set(edges.filter(isShown).flatMap(({from, to}) => [from, to]));
    return rowsOf('components')
        .filter(({id}) => linked.has(id))
        .sort((left, right) => isInTrouble(right) - isInTrouble(left) || right.calls - left.calls)
        .slice(0, MOST_NODES)
        .sort((left, right) => left.id - right.id);
}

const tableOfEdges = () => [
    ['from', 'to', ...EDGE_FIELDS],
    ...rowsOf('edges').map((edge) => [nameOf(edge.from), nameOf(edge.to), ...EDGE_FIELDS.map((name) => edge[name])]),
];

const isEmpty = (component) => component && !shownNodes(rowsOf('edges')).length;

panel('graph', 'Component graph', {view: 'health', list: 'edges', table: tableOfEdges, isEmpty}, (body, tools) => {
    const drawing = makeGraphDrawing();
    const frame = region('Drawing of the component graph', drawing);
    const zooms = makeZooms(drawing);
    const legend = makeLegend();
    // The places of the nodes, and what they depend on.
    let plan = null;
    let plannedFor = '';
    tools.prepend(zooms);
    body.append(frame, legend);
    return () => {
        const edges = rowsOf('edges');
        const nodes = shownNodes(edges);
        const ids = nodes.map(({id}) => id);
        const state = [store.rowChanges, ...ids].join();
        if (state !== plannedFor) plan = layOut(ids, edges);
        plannedFor = state;
        for (const part of [zooms, legend, frame]) part.hidden = !nodes.length;
        drawing.draw(nodes, edges, plan);
        return noteOf(nodes.length, edges.length, plan.back.size);
    };
});

function makeZooms(drawing) {
    const enlarge = button('+', () => drawing.zoom(1.5), {'aria-label': 'Enlarge'});
    const reduce = button('−', () => drawing.zoom(1 / 1.5), {'aria-label': 'Reduce'});
    return html('span', enlarge, reduce, button('Fit', () => drawing.zoom(null)));
}

function makeLegend() {
    return html(
        'p.keys',
        html('span.bad', '✕ severe'),
        html('span.warn', '▲ in trouble'),
        html('span', Object.entries(SIGNS).map(([kind, sign]) => sign + ' ' + kind).join('\u2002')),
        html('span', 'calls, failing, p99 of 60 s'),
    );
}

function noteOf(nodes, edges, cycles) {
    if (!nodes) return 'No component has resolved another yet';
    return joined(
        plural(nodes, 'component'),
        plural(edges, 'edge'),
        cycles && '↻ ' + plural(cycles, 'cycle'),
    );
}
