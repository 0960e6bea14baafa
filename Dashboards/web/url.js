// SPDX-License-Identifier: Apache-2.0
// The settings of the user. They are kept in the URL, so that a link shows what the sender saw.

const DEFAULTS = {range: 300, rate: 1, theme: 'auto', density: 'compact', paused: 0, keys: 1, panel: '', q: '', cols: '', sel: '', trace: '', act: '', outcome: '', min: 0, view: 'graph', ev: '', whole: 0, unmeasured: 0};
const RANGES = {60: 'minute', 300: '5 minutes', 900: '15 minutes', 86400: '24 hours'}, state = {};

// A fixed range in seconds: the longest that is kept, and the shortest that shows something.
const LONGEST = 172800, SHORTEST = 10;
// The times [from, to] of a fixed range; false if the charts follow the process.
let fixed = false;
Object.assign(DEFAULTS, {from: '', to: ''});

function readAddress() {
    for (const key in state) delete state[key];
    take({...DEFAULTS, ...Object.fromEntries(new URLSearchParams(location.hash.slice(1)))});
}

function take(change) {
    for (const key in change) state[key] = typeof DEFAULTS[key] === 'number' ? +change[key] : change[key];
    // In a link that was written by hand, the + of an offset is a space.
    const [from, to] = [state.from, state.to].map((text) => Date.parse(text.replace(' ', '+')) / 1000);
    fixed = to > from && [Math.max(from, to - LONGEST), to];
    if (!fixed) state.from = state.to = '';
    if (!RANGES[state.range]) state.range = 300;
    if (!(state.rate >= 0)) state.rate = 1;
    if (!(state.min >= 0)) state.min = 0;
}

// Changes settings and redraws. A chosen range follows the process.
function choose(change) {
    take(change.range ? {...change, from: '', to: ''} : change);
    history.replaceState(history.state, '', address());
    refresh();
}

// Shows the time between two moments, or without them the latest time. Back returns to the range before.
function show(from, to) {
    history.replaceState({y: window.scrollY}, '');
    history.pushState(null, '', address(from ? {from: stamp(from), to: stamp(Math.max(to, from + SHORTEST))} : {from: '', to: ''}));
    readAddress();
    refresh();
}

// Shows a part of the shown range, or more: both ends are shares of it.
const zoom = (a, b) => show(begins() + a * span(), begins() + b * span());

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
    if (y == null) goTo(target() || (state.sel !== sel && (state.sel ? 'detail' : 'components')));
    else window.scrollTo(0, y);
}
window.onpopstate = (event) => arrive(event.state?.y);
document.onclick = (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    visit(link.getAttribute('href'));
};

// The panel to show: a trace is alone on the page.
const target = () => (state.trace ? 'trace' : state.panel);

// The URL of this page with changed settings. A link leaves the trace, unless it names one.
const address = (change) => '#' + new URLSearchParams(Object.entries({...state, ...(change && {trace: ''}), ...change}).filter(([key, value]) => value !== DEFAULTS[key]));
