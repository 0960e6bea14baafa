// SPDX-License-Identifier: Apache-2.0
// The search over everything that has a page or a panel.

import {byId, html, setText, update, updateChildren} from '../base/dom.js';
import {seconds} from '../base/format.js';
import {showDialog} from '../base/notices.js';
import {pauseIfLive} from '../connection/stream.js';
import {callName, componentAddress, keyOfID, nameOf} from '../model/components.js';
import {chainText} from '../model/errors.js';
import {mark} from '../model/marks.js';
import {listedProblems, problemAddress} from '../model/problems.js';
import {clockTime} from '../model/range.js';
import {address, choose} from '../model/settings.js';
import {rowsOf, store} from '../model/store.js';
import {actionAddress, spanName, traceAddress} from '../model/traces.js';
import {saveSnapshot} from './copy.js';
import {visit} from './navigation.js';
import {isThere, panels} from './panel.js';

const MOST_HITS = 12;

// Words that people use for what a panel shows.
const WORDS = {
    lifetimes: 'leak memory',
    circuits: 'breaker retry flapping',
    overdue: 'queue',
    latency: 'slow duration',
    budgets: 'slow memory',
    hangs: 'slow queue',
    activity: 'traces retry',
    storage: 'cache queue pool',
    runtime: 'memory cpu leak',
};

const COMMANDS = [
    ['Pause or resume', pauseIfLive],
    ['Dark theme', () => choose({theme: 'dark'})],
    ['Light theme', () => choose({theme: 'light'})],
    ['Export as JSON', saveSnapshot],
    ['Mark this moment, or remove the mark', mark],
];

const entryOf = (kind, text, hash, words = '') => ({
    kind,
    text,
    hash,
    searched: `${text} ${kind} ${words}`.toLowerCase(),
});

// The address of a command is what it does.
const commandEntries = () => COMMANDS.map(([text, run]) => entryOf('command', text, run));

// Everything that can be found.
const findableEntries = () => [
    ...listedProblems().map((problem) => entryOf('problem', problem.text, problemAddress(problem))),
    ...panelEntries(),
    ...rowsOf('components').map((row) => entryOf(row.kind, row.name, componentAddress(row))),
    ...rowsOf('errors').map(errorEntry),
    ...rowsOf('calls').map((call) => entryOf('action', callName(call), actionAddress(call, call.action))),
    ...commandEntries(),
    ...store.activity.filter((row) => !row.parent).map(traceEntry),
];

const panelEntries = () =>
    Object.values(panels)
        .filter((it) => !it.isAlone && isThere(it))
        .map(({id, title}) => entryOf('panel', title, address({panel: id}), WORDS[id]));

function errorEntry(error) {
    const hash = address({panel: 'errors', sel: keyOfID(error.component)});
    return entryOf('error', `${chainText(error)} of ${nameOf(error.component)}`, hash);
}

function traceEntry(row) {
    const text = [spanName(row), seconds(row.seconds), clockTime(row.start, 23), row.trace].join(', ');
    return entryOf('trace', text, traceAddress(row));
}

// The first entries that contain all words: those that contain the first word earliest, then the shortest.
function hitsOf(entries, text) {
    const words = text.toLowerCase().split(' ');
    const place = ({searched}) => searched.indexOf(words[0]);
    const hits = entries
        .filter(({searched}) => words.every((word) => searched.includes(word)))
        .sort((left, right) => place(left) - place(right) || left.searched.length - right.searched.length);
    if (hits.length) return hits.slice(0, MOST_HITS);
    if (/^[0-9a-f]{32}$/.test(text)) return [entryOf('trace', text, traceAddress({trace: text}))];
    return [entryOf('', 'No matches', '')];
}

export function showSearch() {
    if (byId('dialog').open || !store.receivedAt) return;
    const entries = findableEntries();
    const list = html('ul.hits', {id: 'hits', role: 'listbox', 'aria-label': 'Matches'});
    let hits = [];
    let selected = 0;
    const open = (index) => {
        const {hash} = hits[index];
        if (!hash) return;
        byId('dialog').close();
        if (hash.call) hash();
        else visit(hash);
    };
    const select = (index) => {
        selected = (index + hits.length) % hits.length;
        updateChildren(list, hits, makeHit, (item, hit, place) => drawHit(item, hit, place, place === selected, open));
        update(input, {'aria-activedescendant': 'hit' + selected});
    };
    const find = () => {
        hits = hitsOf(entries, input.value.trim());
        select(0);
    };
    const input = searchField(find, (event) => {
        if (event.key === 'ArrowDown') select(selected + 1);
        else if (event.key === 'ArrowUp') select(selected - 1);
        else if (event.key === 'Enter') open(selected);
        else return;
        event.preventDefault();
    });
    find();
    showDialog('Search', input, list);
}

const searchField = (oninput, onkeydown) =>
    html('input', {
        type: 'text',
        role: 'combobox',
        'aria-expanded': 'true',
        'aria-controls': 'hits',
        'aria-label': 'Search',
        oninput,
        onkeydown,
    });

const makeHit = () => html('li', {role: 'option'}, html('span', {dir: 'auto'}), html('span.note'));

function drawHit(item, {kind, text}, index, isSelected, open) {
    update(item, {id: 'hit' + index, 'aria-selected': String(isSelected), onclick: () => open(index)});
    setText(item.firstChild, text);
    setText(item.lastChild, kind);
}
