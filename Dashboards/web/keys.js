// SPDX-License-Identifier: Apache-2.0
// The keyboard: single-key shortcuts, which can be turned off.

const GO = pairs('c=components,l=latency,e=errors,b=budgets,o=circuits,g=graph,v=events,a=activity');
const KEYS = new Map([
    ['/', () => {
        goTo('components');
        $('find').focus();
    }],
    ['p', () => live.mode !== 'static' && pause()],
    ['m', () => mark('a')],
    ['Escape', () => (state.trace ? visit(address({panel: 'activity'})) : state.sel && visit(address({sel: '', panel: ''})))],
    ['?', help],
    ...GO.map(([key, id]) => [key, () => goTo(id)]),
]);

function help() {
    const on = h('input', {type: 'checkbox', onchange: () => choose({keys: +on.checked})}), list = facts();
    on.checked = state.keys;
    list.draw([...pairs('/=filter,p=pause,m=mark before,Escape=back to all components,Ctrl-K=search,?=help'), ...GO]);
    dialog('Keyboard', list, h('p', 'Enter on a name opens the page of that component.'), h('label', on, 'Single-key shortcuts'));
}

document.onkeydown = (event) => {
    const {key, target} = event, typing = target.matches('input, select, textarea'), act = KEYS.get(key);
    if (key === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        search();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || $('dialog').open || !act || (key !== 'Escape' && (typing || !state.keys))) return;
    event.preventDefault();
    if (typing) target.blur();
    else act();
};
