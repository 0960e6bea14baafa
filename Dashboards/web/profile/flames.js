// SPDX-License-Identifier: Apache-2.0
// The flame graph: a tree of boxes, each as wide as its share of the node that is shown at the top.

import {html, update, updateChildren} from '../base/dom.js';
import {changeOf, estimate} from './statistics.js';
import {factsOf, labelOf} from './texts.js';
import {isOperation} from './tree.js';

// Boxes that would be narrower than so many pixels are left out, with all that is below them.
const LEAST_WIDTH = 2;
const ROW_HEIGHT = 21;
// A change of so many percent of all has the full colour.
const FULL_CHANGE = 20;
const CHANGE_SIGNS = {grew: '▲ ', shrank: '▼ '};

// The boxes of a node and of what is below it, in the order of a tree: {node, x, width}, in shares of the width.
export function layOut(top, pixels) {
    const boxes = [];
    const place = (node, x, width, level) => {
        if (width * pixels < LEAST_WIDTH) return;
        boxes.push({node, x, width, level});
        let left = x;
        for (const child of node.list) {
            const size = (width * child.now.value) / node.now.value;
            place(child, left, size, level + 1);
            left += size;
        }
    };
    if (top.now.value > 0) place(top, 0, 1, 0);
    return boxes;
}

// Makes the graph. `draw(top, view)` draws it; `view.show(node)` is called for the box under the pointer or the focus,
// and `view.zoom(node)` to show another node at the top.
export function makeFlames() {
    const tree = html('div.flames', {role: 'tree', 'aria-label': 'Flame graph'});
    let boxes = [];
    let view = null;
    let focused = null;
    const nodeOf = ({target}) => target.closest('[role=treeitem]')?.node;
    const show = (event) => nodeOf(event) && view.show(nodeOf(event));
    const focus = (node) => {
        const item = node && itemOf(tree, node);
        if (!item) return false;
        focused = node;
        mark();
        item.focus();
        return true;
    };
    // Exactly one box is in the order of the tab key.
    const mark = () => {
        for (const item of tree.children) update(item, {tabindex: item.node === focused ? 0 : -1});
    };
    // The node at the top gives way to its parent.
    const zoom = (node) => {
        view.zoom(node === boxes[0].node ? node.parent || node : node);
        if (!focus(node)) tree.focusTop();
    };
    const keys = {
        Enter: zoom,
        ' ': zoom,
        ArrowDown: (node) => focus(node.list[0]),
        ArrowUp: (node) => focus(node.parent),
        ArrowLeft: (node) => focus(beside(boxes, node, -1)),
        ArrowRight: (node) => focus(beside(boxes, node, 1)),
        Home: () => focus(boxes[0].node),
    };
    tree.onpointerover = show;
    tree.onpointerleave = () => focused && view.show(focused);
    tree.addEventListener('focusin', show);
    tree.onclick = (event) => nodeOf(event) && zoom(nodeOf(event));
    tree.onkeydown = (event) => {
        const act = keys[event.key];
        if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        act(nodeOf(event));
    };
    tree.focusTop = () => focus(boxes[0]?.node);
    tree.draw = (top, newView) => {
        view = newView;
        boxes = layOut(top, tree.clientWidth || 1000);
        if (!boxes.some(({node}) => node === focused)) focused = boxes[0]?.node;
        tree.style.height = (1 + Math.max(0, ...boxes.map(({level}) => level))) * ROW_HEIGHT + 'px';
        const makeBox = () => html('div', {role: 'treeitem'}, html('span', {dir: 'auto'}));
        updateChildren(tree, boxes, makeBox, (item, box) => drawBox(item, box, view), ({node}) => node);
        mark();
    };
    return tree;
}

const itemOf = (tree, node) => [...tree.children].find((item) => item.node === node);

// The next node of the same depth.
function beside(boxes, node, step) {
    const row = boxes.filter((box) => box.node.depth === node.depth);
    return row[row.findIndex((box) => box.node === node) + step]?.node;
}

function drawBox(item, {node, x, width, level}, view) {
    item.node = node;
    const {style} = item;
    style.left = x * 100 + '%';
    style.width = width * 100 + '%';
    style.top = level * ROW_HEIGHT + 'px';
    const label = labelOf(node.frame).slice(0, 300);
    const change = view.isCompared && changeClass(node, view, style);
    const kinds = [kindOf(node.frame), change, view.matches && (view.matches(node.frame) ? 'hit' : 'dim')];
    update(item.firstChild, {text: (CHANGE_SIGNS[change] || '') + label});
    update(item, {
        class: kinds.filter(Boolean).join(' '),
        'aria-label': `${label}, ${factsOf(node, view.root, view)}`,
        'aria-level': level + 1,
    });
}

function kindOf({kind, guessed, ...frame}) {
    if (guessed || kind === 'missing') return 'unsure';
    if (kind === 'wait' || kind === 'outside') return kind;
    return isOperation({kind, ...frame}) ? 'operation' : 'function';
}

// The class and the strength of the colour of a node that grew or shrank.
function changeClass(node, {root, measure}, style) {
    const change = changeOf(estimate(node.before, root.before, measure), estimate(node.now, root.now, measure));
    const strength = Math.min(1, Math.abs(change * 100) / FULL_CHANGE);
    style.setProperty('--part', 15 + 40 * strength + '%');
    if (!change) return 'same';
    return change > 0 ? 'grew' : 'shrank';
}
