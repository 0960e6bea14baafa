// SPDX-License-Identifier: Apache-2.0
// The graph as nested lists.

import {html} from '../base/dom.js';
import {joined} from '../base/format.js';
import {store} from '../model/store.js';
import {edgeText} from './graph-edges.js';

// A component that is already listed is named again, but not expanded again.
export function makeGraphTree(nodes, edges, back) {
    const seen = new Set();
    const makeItem = (component, edge) => {
        const isKnown = seen.has(component);
        const below = isKnown ? [] : edges.filter(({from}) => from === component.id);
        const label = makeLabel(component, edge && edgeText(edge, back), edge?.note, isKnown && 'see above');
        seen.add(component);
        if (!below.length) return html('li', label);
        const items = below
            .filter(({to}) => store.components.has(to))
            .map((next) => makeItem(store.components.get(next.to), next));
        return html('li', html('details', {open: true}, html('summary', label), html('ul', ...items)));
    };
    const tops = nodes.filter(({id}) => !edges.some(({to}) => to === id));
    const items = [...tops, ...nodes].map((component) => !seen.has(component) && makeItem(component));
    return html('ul.tree', ...items);
}

function makeLabel({name, kind}, ...notes) {
    return html('span', {dir: 'auto'}, name, html('span.note', ' ' + joined(kind, ...notes)));
}
