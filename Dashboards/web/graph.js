// SPDX-License-Identifier: Apache-2.0
// Lays out a graph in layers, deterministically: callers are left of callees.

// The width and height of a box, and the distance of two columns and of two rows. An edge that passes a column needs a
// lower row there.
const WIDE = 168, TALL = 24, STEP = [306, 36], PASS = 14;

// Returns {at: a map from id to [x, y] of its box, ways: a map from an edge to the [x, y] where it passes each column between
// its ends, back: the edges that close a cycle, width, height}. Edges to one component share their way, and no way crosses
// a box.
function layout(ids, edges) {
    const back = new Set(), depth = new Map(), layers = [], known = edges.filter((e) => e.from !== e.to && ids.includes(e.from) && ids.includes(e.to));
    // The number of layers below a node. During the descent, an edge to a node on the current path closes a cycle.
    const descend = (id) => {
        if (!depth.has(id)) {
            depth.set(id, -1);
            let below = 0;
            for (const e of known) if (e.from === id) {
                if (depth.get(e.to) === -1) back.add(e);
                else below = Math.max(below, 1 + descend(e.to));
            }
            depth.set(id, below);
        }
        return depth.get(id);
    };
    const most = Math.max(0, ...ids.map(descend)), layerOf = (id) => most - depth.get(id);
    for (const id of ids) (layers[layerOf(id)] ||= []).push(id);
    const passes = new Map(), links = new Map(), link = (a, b) => {
        for (const [one, other] of [[a, b], [b, a]]) links.set(one, [...(links.get(one) || []), other]);
    };
    for (const e of known) {
        const way = back.has(e) ? -1 : 1, keys = [];
        for (let x = layerOf(e.from) + way; x !== layerOf(e.to); x += way) {
            const key = `${way} ${e.to} ${x}`;
            if (!links.has(key)) layers[x].push(key);
            link(keys.at(-1) ?? e.from, key);
            keys.push(key);
        }
        link(keys.at(-1) ?? e.from, e.to);
        passes.set(e, keys);
    }
    return {back, ...place(layers, links, passes)};
}

// Orders each layer by the mean height of the neighbours, so that fewer lines cross, and gives each item its place.
function place(layers, links, passes) {
    const at = new Map(), size = (id) => (typeof id === 'string' ? PASS : STEP[1]), sizeOf = (layer) => sum(layer.map(size)), height = Math.max(0, ...layers.map(sizeOf));
    for (let sweep = 0; sweep < 8; sweep++) layers.forEach((layer, x) => {
        const order = new Map(layer.map((id) => {
            const near = (links.get(id) || []).map((other) => at.get(other)?.[1]).filter(real);
            return [id, near.length ? sum(near) / near.length : 0];
        }));
        let y = (height - sizeOf(layer)) / 2;
        for (const id of layer.sort((a, b) => order.get(a) - order.get(b))) {
            at.set(id, [9 + x * STEP[0], y + 6]);
            y += size(id);
        }
    });
    const ways = new Map([...passes].map(([e, keys]) => [e, keys.map((key) => at.get(key))]));
    return {at, ways, width: (layers.length - 1) * STEP[0] + WIDE + 18, height: height + 12};
}

// The line of an edge: curves between columns, and straight through them.
function wayOf([x, y], [x2, y2], ways, isBack) {
    const enter = isBack ? WIDE : 0, leave = WIDE - enter, half = TALL / 2;
    let at = [x + leave, y + half], d = `M${at}`;
    for (const [px, py] of [...ways.map(([wx, wy]) => [wx, wy + PASS / 2]), [x2, y2 + half]]) {
        const bend = (at[0] + px + enter) / 2;
        d += `C${bend} ${at[1]} ${bend} ${py} ${px + enter} ${py}H${px + leave}`;
        at = [px + leave, py];
    }
    // The last straight part would be inside the box.
    return d.replace(/H[^H]*$/, isBack ? 'm5 -3l-5 3l5 3' : 'm-5 -3l5 3l-5 3');
}
