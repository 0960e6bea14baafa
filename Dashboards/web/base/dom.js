// SPDX-License-Identifier: Apache-2.0
// Creates and updates nodes. All data of the process is inserted as text; nothing here parses HTML.

export const byId = (id) => document.getElementById(id);

// Sets properties of a node. `text` is the content of a leaf, `onclick` and the like are listeners, everything else is
// an attribute. Returns the node.
export function update(node, properties) {
    for (const [name, value] of Object.entries(properties)) {
        if (name === 'text') setText(node, value);
        else if (name.startsWith('on')) node[name] = value;
        else setAttribute(node, name, value);
    }
    return node;
}

// Sets the content of a leaf. Writes to the document only if it differs.
export function setText(node, value) {
    const text = String(value);
    if (node.shownText === text) return;
    node.shownText = text;
    node.textContent = text;
}

// Sets an attribute. Writes to the document only if it differs. True is an empty attribute; false and null remove the
// attribute. The policy of the page forbids style attributes.
function setAttribute(node, name, value) {
    if (value === false || value == null) {
        node.removeAttribute(name);
        return;
    }
    const text = value === true ? '' : String(value);
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

// Returns a function that creates elements: its first argument is the tag with an optional class ('p.note'), then
// follow the properties, which are optional, and the children, which are nodes and texts. It skips children that are
// false.
const maker = (namespace) => (spec, ...rest) => {
    const [tag, kind] = spec.split('.');
    const hasProperties = rest[0] && rest[0].constructor === Object;
    const properties = hasProperties ? rest.shift() : {};
    const node = document.createElementNS(namespace, tag);
    update(node, {class: kind, ...properties});
    node.append(...rest.filter(Boolean));
    return node;
};

export const html = maker('http://www.w3.org/1999/xhtml');
export const svg = maker('http://www.w3.org/2000/svg');

// Keeps one child of `parent` for each item, so that a refresh creates none. With `keyOf`, a child stays with its item
// when items come, go or move, and keeps its focus and whatever is open in it. Without, children are reused by index.
export function updateChildren(parent, items, make, draw, keyOf = (item, index) => index) {
    const before = parent.childrenByKey || new Map();
    const entries = items.map((item, index) => {
        const key = keyOf(item, index);
        const node = before.get(key) || make();
        before.delete(key);
        return [key, node];
    });
    for (const node of before.values()) node.remove();
    parent.childrenByKey = new Map(entries);
    entries.forEach(([, node], index) => {
        moveTo(parent, node, index);
        draw(node, items[index], index);
    });
}

// Makes `node` the child of `parent` at `index`. Unlike insertBefore, moveBefore does not take the focus from a node.
function moveTo(parent, node, index) {
    const present = parent.children[index] || null;
    if (present === node) return;
    if (node.parentNode && parent.moveBefore) parent.moveBefore(node, present);
    else parent.insertBefore(node, present);
}

// The key of a row for `updateChildren`.
export const idOf = (row) => row.id;

export const button = (label, onclick, properties) => html('button', {type: 'button', onclick, ...properties}, label);

// A control with its label before it, and a unit behind it.
export const labelled = (label, ...control) => html('label', html('span', label), ...control);

// A menu that opens, and closes when a button in it is pressed. Its entries are nodes.
export function menu(title, name, ...entries) {
    const close = ({target}) => {
        target.closest('details').open = !target.matches('button');
    };
    const summary = html('summary', {'aria-label': name}, title);
    return html('details.menu', summary, html('div', {onclick: close}, ...entries));
}

// A scrollable region with a name, which the keyboard can reach.
export const region = (name, ...children) =>
    html('div.scroll', {tabindex: 0, role: 'region', 'aria-label': name}, ...children);

// A list of labels and values; its `draw` takes [[label, value]…].
export function factList(kind) {
    const list = html('dl', {class: kind});
    const makeItem = () => html('div', html('dt'), html('dd'));
    const drawItem = (item, [label, value]) => {
        setText(item.children[0], label);
        setText(item.children[1], value);
    };
    list.draw = (facts) => updateChildren(list, facts, makeItem, drawItem);
    return list;
}
