// SPDX-License-Identifier: Apache-2.0
// Lays out a graph in layers, deterministically: callers are left of callees.

// Returns {at: a map from id to [column, row], back: the edges that close a cycle, columns, rows}.
function layout(ids, edges) {
    const back = new Set(), depth = new Map(), layers = [], at = new Map();
    // The number of layers below a node. During the descent, an edge to a node on the current path closes a cycle.
    const descend = (id) => {
        if (!depth.has(id)) {
            depth.set(id, -1);
            let below = 0;
            for (const e of edges) if (e.from === id && ids.includes(e.to)) {
                if (depth.get(e.to) === -1) back.add(e);
                else below = Math.max(below, 1 + descend(e.to));
            }
            depth.set(id, below);
        }
        return depth.get(id);
    };
    const most = Math.max(0, ...ids.map(descend));
    for (const id of ids) (layers[most - depth.get(id)] ||= []).push(id);
    const rows = Math.max(1, ...layers.map((layer) => layer.length));
    // Sorts each layer by the mean row of the neighbours, so that fewer lines cross. The sort is stable.
    for (let sweep = 0; sweep < 6; sweep++) layers.forEach((layer, x) => {
        const mean = (id) => {
            const near = edges.map((e) => at.get(e.to === id ? e.from : e.from === id && e.to)?.[1]).filter(real);
            return near.length ? sum(near) / near.length : 0;
        };
        const order = new Map(layer.map((id) => [id, mean(id)]));
        layer.sort((a, b) => order.get(a) - order.get(b)).forEach((id, y) => at.set(id, [x, y + (rows - layer.length) / 2]));
    });
    return {at, back, rows, columns: layers.length};
}
