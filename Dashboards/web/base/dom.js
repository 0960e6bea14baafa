// SPDX-License-Identifier: Apache-2.0
// Creates and updates nodes. All data of the process is inserted as text; nothing here parses HTML.

const $ = (id) => document.getElementById(id);

// Sets attributes, and writes to the document only if they differ. `text` is the content of a leaf, `onclick` and the
// like are listeners, true is an empty attribute, false and null remove the attribute. The policy of the page forbids
// style attributes.
function set(node, props) {
    for (const key in props) {
        const value = props[key], plain = value === true ? '' : String(value);
        if (key === 'text') {
            if (node.was !== plain) node.textContent = node.was = plain;
        } else if (key.startsWith('on')) node[key] = value;
        else if (value === false || value == null) node.removeAttribute(key);
        else if (node.getAttribute(key) !== plain) node.setAttribute(key, plain);
    }
    return node;
}

const write = (node, text) => set(node, {text});

// h('p.note', {title: 'why', onclick: act}, 'text', node) creates an HTML element, s() an SVG element. The properties are
// optional.
const maker = (space) => (spec, props, ...kids) => {
    const [tag, kind] = spec.split('.'), node = document.createElementNS(space, tag), given = props && props.constructor === Object;
    set(node, {class: kind, ...(given && props)}).append(...[!given && props, ...kids].filter(Boolean));
    return node;
};
const h = maker('http://www.w3.org/1999/xhtml'), s = maker('http://www.w3.org/2000/svg');

// Keeps one child of `parent` for each item, so that a refresh creates none. With `key`, a child stays with its item when
// items come, go or move, and keeps its focus and whatever is open in it. Without, children are reused by index.
function each(parent, items, make, update, key = (item, i) => i) {
    const before = parent.nodes || new Map(), nodes = items.map((item, i) => {
        const id = key(item, i), node = before.get(id) || make();
        before.delete(id);
        return [id, node];
    });
    for (const node of before.values()) node.remove();
    parent.nodes = new Map(nodes);
    nodes.forEach(([, node], i) => {
        const there = parent.children[i];
        // Unlike insertBefore, moveBefore does not take the focus from a node.
        if (there !== node) parent[node.parentNode && parent.moveBefore ? 'moveBefore' : 'insertBefore'](node, there || null);
        update(node, items[i], i);
    });
}
const byID = ({id}) => id;

const button = (label, onclick, props) => h('button', {type: 'button', onclick, ...props}, label);

// Parses 'a=one,b=two' into [[a, one], [b, two]], and 'a,b' into [[a], [b]].
const pairs = (text) => text.split(',').map((part) => part.split('='));

// A select element for the setting `key`. `settings` holds functions that update such elements from the URL.
const settings = [], follow = () => settings.forEach((setting) => setting());
function choice(label, key, options) {
    const select = h('select', {onchange: () => choose({[key]: select.value})}, ...pairs(options).map(([value, name = value]) => h('option', {value}, name)));
    settings.push(() => select.value = fixed && key === 'range' ? '' : state[key]);
    return h('label', h('span', label), select);
}

// A field for the setting `key`. Nothing writes to it while it has the focus.
function field(key, props) {
    const input = h('input', {...props, oninput: () => choose({[key]: input.value})});
    settings.push(() => input === document.activeElement || (input.value = state[key] || ''));
    return input;
}

// A button for a setting that is on or off. The page of a component, which shows everything, does not have it.
function toggle(label, key) {
    const it = button(label, () => choose({[key]: 1 - state[key]}));
    settings.push(() => set(it, {'aria-pressed': String(!!state[key]), hidden: !!chosen()}));
    return it;
}

// A menu that opens, and closes when a button in it is pressed; its entries are nodes, or [label, act].
const menu = (title, name, ...entries) => h('details.menu', h('summary', {'aria-label': name}, title), h('div', {onclick: ({target}) => target.closest('details').open = !target.matches('button')}, ...entries.map((entry) => (entry.map ? button(...entry) : entry))));
