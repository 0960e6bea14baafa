// SPDX-License-Identifier: Apache-2.0
// The drawing of the graph. It fits the panel. It can be enlarged, and then scrolled, also by a drag.

import {idOf, setText, svg, update, updateChildren} from '../base/dom.js';
import {joined, rate, seconds, share, shortName} from '../base/format.js';
import {chosenComponent, componentAddress, nameOf} from '../model/components.js';
import {levelOf} from '../model/health.js';
import {edgeText, failingShare, flagsOf} from './graph-edges.js';
import {BOX_HEIGHT, BOX_WIDTH, COLUMN_STEP, edgePath} from './graph-layout.js';
import {SIGNS} from './level.js';

const MOST_ENLARGED = 8;
// The most characters of a name in its box.
const LONGEST_NAME = 21;
const LABEL_HEIGHT = 14;
// A drawing that would be smaller than this share of its size is scrolled.
const LEAST_SCALE = 0.7;

export function makeGraphDrawing() {
    const lines = svg('g');
    const boxes = svg('g');
    const labels = svg('g');
    const onpointermove = ({buttons, pointerType, movementX, movementY}) => {
        if (buttons && pointerType === 'mouse') drawing.parentNode.scrollBy(-movementX, -movementY);
    };
    const properties = {role: 'group', 'aria-label': 'Component graph', onpointermove};
    const drawing = svg('svg.graph', properties, lines, boxes, labels);
    let factor = 1;
    let width = 0;
    // Enlarges or reduces the drawing; null fits all.
    drawing.zoom = (by) => {
        factor = by ? Math.max(1, Math.min(MOST_ENLARGED, factor * by)) : 1;
        enlarge(drawing, factor, width);
    };
    drawing.draw = (nodes, edges, plan) => {
        const chosen = chosenComponent();
        update(drawing, {viewBox: `0 0 ${plan.width} ${plan.height}`});
        if (width !== plan.width) {
            width = plan.width;
            drawing.zoom(null);
        }
        const shownEdges = edges.filter((edge) => plan.ways.has(edge));
        const drawLine = (path, edge) => drawEdge(path, edge, plan, isEdgeOf(chosen, edge));
        updateChildren(boxes, nodes, makeBox, (box, node) => drawBox(box, node, plan, node === chosen), idOf);
        updateChildren(lines, shownEdges, () => svg('path', svg('title')), drawLine, idOf);
        updateChildren(labels, labelsOf(shownEdges, plan, chosen), makeLabel, update);
    };
    return drawing;
}

const isEdgeOf = (component, {from, to}) => Boolean(component) && (from === component.id || to === component.id);

// Sets the size of the drawing, and keeps the middle of the view.
function enlarge(drawing, factor, width) {
    const frame = drawing.parentNode;
    const x = (frame.scrollLeft + frame.clientWidth / 2) / frame.scrollWidth;
    const y = (frame.scrollTop + frame.clientHeight / 2) / frame.scrollHeight;
    drawing.style.width = factor * 100 + '%';
    drawing.style.maxWidth = factor * width + 'px';
    drawing.style.minWidth = factor * width * LEAST_SCALE + 'px';
    frame.scrollTo(x * frame.scrollWidth - frame.clientWidth / 2, y * frame.scrollHeight - frame.clientHeight / 2);
}

const makeBox = () =>
    svg(
        'a',
        svg('title'),
        svg('rect', {width: BOX_WIDTH, height: BOX_HEIGHT, rx: 5}),
        svg('rect.level', {width: 4, height: BOX_HEIGHT, rx: 2}),
        svg('text.name', {x: 12, y: 17}),
        svg('text.sub', {x: 12, y: 32}),
    );

function drawBox(box, component, plan, isChosen) {
    const {id, name, kind, p99} = component;
    const failing = failingShare(component);
    const level = levelOf(component);
    const sign = {bad: '✕ ', warn: '▲ '}[level] || '';
    const sub = [SIGNS[kind], rate(component.rate), failing && share(failing), p99 > 0 && seconds(p99)];
    update(box, {
        transform: `translate(${plan.at.get(id)})`,
        class: `node ${level} ${isChosen ? 'on' : ''}`,
        'aria-label': joined(name, kind, level, rate(component.rate)),
        href: componentAddress(component),
    });
    setText(box.firstChild, name);
    setText(box.children[3], sign + shortName(name, LONGEST_NAME - sign.length));
    setText(box.lastChild, sub.filter(Boolean).join('  '));
}

function drawEdge(path, edge, {at, ways, back}, isOfChosen) {
    const kinds = ['edge', ...classesOf(edge, back), isOfChosen && 'on'];
    const thickness = 1 + Math.log10(1 + (edge.rate || 0));
    update(path, {
        d: edgePath(at.get(edge.from), at.get(edge.to), ways.get(edge), back.has(edge)),
        class: kinds.filter(Boolean).join(' '),
        'stroke-width': thickness.toFixed(1),
    });
    setText(path.firstChild, joined(`${nameOf(edge.from)} → ${nameOf(edge.to)}`, edgeText(edge, back), edge.note));
}

// The classes of an edge that are worth a label.
const classesOf = (edge, back) =>
    [edge.forbidden && 'forbidden', back.has(edge) && 'cycle', failingShare(edge) && 'failing'].filter(Boolean);

// The labels of edges: texts with their places. One that would overlap another is moved down.
function labelsOf(edges, plan, chosen) {
    const labels = [];
    for (const edge of edges) {
        const isOfChosen = isEdgeOf(chosen, edge);
        if (!isOfChosen && !classesOf(edge, plan.back).length) continue;
        const failing = failingShare(edge);
        const traffic = joined(isOfChosen && rate(edge.rate), failing && share(failing));
        const texts = [traffic, ...flagsOf(edge, plan.back)].filter(Boolean);
        const {x, y: wanted} = labelPlace(edge, plan);
        let y = wanted;
        for (const text of texts) {
            while (labels.some((label) => label.x === x && Math.abs(label.y - y) < LABEL_HEIGHT)) y += LABEL_HEIGHT;
            labels.push({x, y, text});
        }
    }
    return labels;
}

// Labels are between two columns, before the arrow, where no box is.
function labelPlace(edge, {at, ways, back}) {
    const [x, end] = at.get(edge.to);
    const [, begin] = ways.get(edge).at(-1) || at.get(edge.from);
    const side = back.has(edge) ? BOX_WIDTH + COLUMN_STEP : BOX_WIDTH - COLUMN_STEP;
    return {x: x + side / 2, y: (begin + end + BOX_HEIGHT) / 2};
}

const makeLabel = () => svg('text', {'text-anchor': 'middle', dy: -3});
