// SPDX-License-Identifier: Apache-2.0
// The settings of the user. They are kept in the URL, so that a link shows what the sender saw.

const DEFAULTS = {range: 300, rate: 1, theme: 'auto', density: 'compact', paused: 0, keys: 1, panel: '', q: '', cols: '', sel: '', view: 'graph', ev: '', whole: 0, unmeasured: 0};
const RANGES = {60: 'minute', 300: '5 minutes', 900: '15 minutes', 86400: '24 hours'}, state = {};

function readAddress() {
    for (const key in state) delete state[key];
    take({...DEFAULTS, ...Object.fromEntries(new URLSearchParams(location.hash.slice(1)))});
}

function take(change) {
    for (const key in change) state[key] = typeof DEFAULTS[key] === 'number' ? +change[key] : change[key];
    if (!RANGES[state.range]) state.range = 300;
    if (!(state.rate >= 0)) state.rate = 1;
}

// Changes settings and redraws.
function choose(change) {
    take(change);
    history.replaceState(history.state, '', address());
    refresh();
}

// Goes to another address of this page. Back returns to this one, scrolled as it was.
function visit(hash) {
    history.replaceState({y: window.scrollY}, '');
    history.pushState(null, '', hash);
    arrive();
}

function arrive(y) {
    const {sel} = state;
    readAddress();
    partly = 0;
    draw();
    if (y == null) goTo(state.panel || (state.sel !== sel && (state.sel ? 'detail' : 'components')));
    else window.scrollTo(0, y);
}
window.onpopstate = (event) => arrive(event.state?.y);
document.onclick = (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    visit(link.getAttribute('href'));
};

// The URL of this page with changed settings.
const address = (change) => '#' + new URLSearchParams(Object.entries({...state, ...change}).filter(([key, value]) => value !== DEFAULTS[key]));
