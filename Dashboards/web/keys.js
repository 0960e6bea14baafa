// SPDX-License-Identifier: Apache-2.0
// The keyboard: single keys, which can be turned off.

const KEYS = {
    '/': ['filter the components', () => {
        goTo('components');
        $('find').focus();
    }],
    p: ['pause or resume', () => live.mode !== 'static' && pause()],
    r: ['next range', () => choose({range: {60: 300, 300: 900, 900: 86400}[state.range] || 60})],
    m: ['mark this moment, to compare with', () => mark('a')],
    Escape: ['clear the choice', () => choose({sel: ''})],
    '?': ['this help', () => help()],
};
for (const [key, id] of Object.entries({c: 'components', l: 'latency', e: 'errors', b: 'budgets', o: 'circuits', g: 'graph', v: 'events'})) KEYS[key] = ['go to ' + id, () => goTo(id)];

function help() {
    const on = h('input', {type: 'checkbox', onchange: () => choose({keys: +on.checked})});
    on.checked = state.keys;
    dialog('Keyboard', h('dl', ...Object.entries(KEYS).map(([key, [does]]) => h('div', h('dt', h('kbd', key)), h('dd', does)))), h('p', 'Enter on a name chooses that component in every panel.'), h('label', on, 'Single-key shortcuts'));
}

document.addEventListener('keydown', (event) => {
    const {key, target} = event, typing = target.matches('input, select, textarea');
    if (event.ctrlKey || event.metaKey || event.altKey || $('dialog').open || !Object.hasOwn(KEYS, key) || (key !== 'Escape' && (typing || !state.keys))) return;
    event.preventDefault();
    if (typing) target.blur();
    else KEYS[key][1]();
});
