// SPDX-License-Identifier: Apache-2.0
// The search over everything that has a page or a panel.

const HITS = 12;

// Everything that can be found, as [kind, text, address].
const findable = () => [
    ...problems().map((p) => ['problem', p.text, problemAt(p)]),
    ...Object.values(panels).filter((it) => !it.alone).map(({id, title}) => ['panel', title, address({panel: id})]),
    ...all('components').map((c) => [c.kind, c.name, choosing(c)]),
    ...all('errors').map(({code, component}) => ['error', `${code} of ${nameOf(component)}`, address({panel: 'errors', sel: keyOf(db.components.get(component))})]),
    ...all('calls').map((c) => ['action', callOf(c), seeking(c, c.action)]),
    ...db.activity.filter((row) => !row.parent).map((row) => ['trace', `${FIELDS.did(row)}, ${seconds(row.seconds)}, ${clock(row.start, 23)}, ${row.trace}`, tracing(row)]),
];

// The first entries that contain all words: those that contain the first word earliest, then the shortest.
function hitsOf(entries, text) {
    const words = text.toLowerCase().split(' '), hits = entries.filter((entry) => words.every((part) => entry.said.includes(part))).sort((a, b) => a.said.indexOf(words[0]) - b.said.indexOf(words[0]) || a.said.length - b.said.length).slice(0, HITS);
    return hits[0] ? hits : /^[0-9a-f]{32}$/.test(text) ? [['trace', text, tracing({trace: text})]] : [['', 'No matches', '']];
}

function search() {
    if ($('dialog').open || !db.received) return;
    const entries = findable().map((entry) => Object.assign(entry, {said: `${entry[1]} ${entry[0]}`.toLowerCase()})), list = h('ul.hits', {id: 'hits', role: 'listbox', 'aria-label': 'Matches'});
    let hits, at = 0;
    const open = (i) => {
        if (!hits[i]?.[2]) return;
        $('dialog').close();
        visit(hits[i][2]);
    };
    const mark = (to) => {
        at = (to + hits.length) % hits.length;
        each(list, hits, () => h('li', {role: 'option'}, h('span', {dir: 'auto'}), h('span.note')), (item, [kind, text], i) => {
            set(item, {id: 'hit' + i, 'aria-selected': String(i === at), onclick: () => open(i)});
            write(item.firstChild, text);
            write(item.lastChild, kind);
        });
        set(input, {'aria-activedescendant': 'hit' + at});
    };
    const find = () => {
        hits = hitsOf(entries, input.value.trim());
        mark(0);
    };
    const input = h('input', {type: 'text', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'hits', 'aria-label': 'Search', oninput: find, onkeydown: (event) => {
        const way = {ArrowDown: 1, ArrowUp: -1}[event.key];
        if (way) mark(at + way);
        else if (event.key === 'Enter') open(at);
        else return;
        event.preventDefault();
    }});
    find();
    dialog('Search', input, list);
}
