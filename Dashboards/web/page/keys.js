// SPDX-License-Identifier: Apache-2.0
// The keyboard: single-key shortcuts, which can be turned off.

import {byId, factList, html} from '../base/dom.js';
import {showDialog} from '../base/notices.js';
import {pauseIfLive} from '../connection/stream.js';
import {mark} from '../model/marks.js';
import {address, choose, settings} from '../model/settings.js';
import {goTo, visit} from './navigation.js';
import {showSearch} from './search.js';

const PANEL_KEYS = [
    ['c', 'components'],
    ['l', 'latency'],
    ['e', 'errors'],
    ['b', 'budgets'],
    ['o', 'circuits'],
    ['g', 'graph'],
    ['v', 'events'],
    ['a', 'activity'],
];

const OTHER_KEYS = [
    ['/', 'filter'],
    ['p', 'pause'],
    ['m', 'mark this moment'],
    ['Escape', 'back to all components'],
    ['Ctrl-K', 'search'],
    ['?', 'help'],
];

const actions = new Map([
    ['/', goToFilter],
    ['p', pauseIfLive],
    ['m', mark],
    ['Escape', leave],
    ['?', showHelp],
    ...PANEL_KEYS.map(([key, id]) => [key, () => goTo(id)]),
]);

function goToFilter() {
    goTo('components');
    byId('find').focus();
}

// Leaves a trace for the list of actions, and the page of a component for that of all components.
function leave() {
    if (settings.trace) visit(address({panel: 'activity'}));
    else if (settings.sel) visit(address({sel: '', panel: ''}));
}

export function showHelp() {
    const list = factList();
    const box = html('input', {type: 'checkbox', onchange: () => choose({keys: Number(box.checked)})});
    const about = html('p', 'Enter on a name opens its page.');
    box.checked = settings.keys;
    list.draw([...OTHER_KEYS, ...PANEL_KEYS]);
    showDialog('Keyboard', list, about, html('label', box, 'Single-key shortcuts'));
}

document.onkeydown = (event) => {
    const {key, target} = event;
    const isCommand = event.ctrlKey || event.metaKey;
    if (key === 'k' && isCommand) {
        event.preventDefault();
        return showSearch();
    }
    const act = actions.get(key);
    if (!act || isCommand || event.altKey || byId('dialog').open) return;
    // For a frame after a dialog was closed, the focus is still in it.
    const isTyping = target.matches('input:not(dialog *), select');
    if (key !== 'Escape' && (isTyping || !settings.keys)) return;
    event.preventDefault();
    if (isTyping) target.blur();
    else act();
};
