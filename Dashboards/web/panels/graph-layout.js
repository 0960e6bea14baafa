// SPDX-License-Identifier: Apache-2.0
// Lays out a graph in layers, deterministically: callers are left of callees.

import {isNumber, sum} from '../base/format.js';

export const BOX_WIDTH = 172;
export const BOX_HEIGHT = 40;
// The distance of two columns, and of two rows. An edge that passes a column needs a lower row there.
export const COLUMN_STEP = 246;
const ROW_STEP = 50;
const PASS_HEIGHT = 14;
// The space around the boxes.
const SIDE = 9;
const ABOVE = 6;
// How often the layers are put in order.
const SWEEPS = 8;

// Returns {at: a map from id to [x, y] of its box, ways: a map from an edge to the [x, y] where it passes each column
// between its ends, back: the edges that close a cycle, width, height}. Edges to one component share their way, and no
// way crosses a box.
export function layOut(ids, edges) {
    const known = edges.filter(({from, to}) => from !== to && ids.includes(from) && ids.includes(to));
    const {layerOf, back} = findLayers(ids, known);
    const layers = [];
    for (const id of ids) {
        layers[layerOf(id)] ||= [];
        layers[layerOf(id)].push(id);
    }
    const links = new Map();
    const passes = new Map(known.map((edge) => [edge, addPasses(edge, layers, links, layerOf, back)]));
    return {back, ...place(layers, links, passes)};
}

// Finds the layer of each node, as many before the last layer as there are layers below the node. During the descent,
// an edge to a node on the current path closes a cycle.
function findLayers(ids, edges) {
    const back = new Set();
    const depths = new Map();
    const descend = (id) => {
        if (depths.has(id)) return depths.get(id);
        // It is on the current path.
        depths.set(id, -1);
        let depth = 0;
        for (const edge of edges.filter(({from}) => from === id)) {
            if (depths.get(edge.to) === -1) back.add(edge);
            else depth = Math.max(depth, 1 + descend(edge.to));
        }
        depths.set(id, depth);
        return depth;
    };
    const deepest = Math.max(0, ...ids.map(descend));
    return {back, layerOf: (id) => deepest - depths.get(id)};
}

// Makes two items neighbours. `links` has the neighbours of each node and of each pass.
function link(links, one, other) {
    links.set(one, [...(links.get(one) || []), other]);
    links.set(other, [...(links.get(other) || []), one]);
}

// Adds the passes of an edge to the layers between its ends, and returns their keys.
function addPasses(edge, layers, links, layerOf, back) {
    const direction = back.has(edge) ? -1 : 1;
    const passes = [];
    for (let layer = layerOf(edge.from) + direction; layer !== layerOf(edge.to); layer += direction) {
        const pass = `${direction} ${edge.to} ${layer}`;
        if (!links.has(pass)) layers[layer].push(pass);
        link(links, passes.at(-1) ?? edge.from, pass);
        passes.push(pass);
    }
    link(links, passes.at(-1) ?? edge.from, edge.to);
    return passes;
}

// Passes have texts as keys, nodes have numbers.
const heightOf = (item) => (typeof item === 'string' ? PASS_HEIGHT : ROW_STEP);
const heightOfLayer = (layer) => sum(layer.map(heightOf));

// Orders each layer by the mean height of the neighbours, so that fewer lines cross, and gives each item its place.
function place(layers, links, passes) {
    const at = new Map();
    const height = Math.max(0, ...layers.map(heightOfLayer));
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
        layers.forEach((layer, column) => placeLayer(layer, column, height, links, at));
    }
    const ways = new Map([...passes].map(([edge, keys]) => [edge, keys.map((key) => at.get(key))]));
    const width = Math.max(0, layers.length - 1) * COLUMN_STEP + BOX_WIDTH + 2 * SIDE;
    return {at, ways, width, height: height + 2 * ABOVE};
}

function placeLayer(layer, column, height, links, at) {
    const means = new Map(layer.map((item) => [item, meanHeight(links.get(item) || [], at)]));
    layer.sort((left, right) => means.get(left) - means.get(right));
    let y = (height - heightOfLayer(layer)) / 2;
    for (const item of layer) {
        at.set(item, [SIDE + column * COLUMN_STEP, y + ABOVE]);
        y += heightOf(item);
    }
}

function meanHeight(items, at) {
    const heights = items.map((item) => at.get(item)?.[1]).filter(isNumber);
    return heights.length ? sum(heights) / heights.length : 0;
}

// The line of an edge: curves between columns, and straight through them.
export function edgePath([fromX, fromY], [toX, toY], ways, isBack) {
    const entry = isBack ? BOX_WIDTH : 0;
    const exit = BOX_WIDTH - entry;
    const passes = ways.map(([x, y]) => [x, y + PASS_HEIGHT / 2]);
    let [x, y] = [fromX + exit, fromY + BOX_HEIGHT / 2];
    let path = `M${x},${y}`;
    for (const [nextX, nextY] of [...passes, [toX, toY + BOX_HEIGHT / 2]]) {
        const bend = (x + nextX + entry) / 2;
        path += `C${bend} ${y} ${bend} ${nextY} ${nextX + entry} ${nextY}H${nextX + exit}`;
        [x, y] = [nextX + exit, nextY];
    }
    // The last straight part would be inside the box: the arrow stands in its place.
    return path.replace(/H[^H]*$/, isBack ? 'm5 -3l-5 3l5 3' : 'm-5 -3l5 3l-5 3');
}
