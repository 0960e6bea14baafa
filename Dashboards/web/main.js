// SPDX-License-Identifier: Apache-2.0
// Starts the page, with its embedded data or with data from the process that serves it.

let drawing, drawnAt = -1e9, later, partly = 0, begun;

// Schedules one drawing of all panels, however often it is called.
function refresh() {
    partly = 0;
    drawing ||= requestAnimationFrame(draw);
}

// Called when new data has arrived. Draws at most at the chosen refresh rate: visible panels each time, the others each
// tenth time.
function accept() {
    const wait = drawnAt + state.rate * 1000 - 50 - performance.now();
    banner('payload');
    if (!begun) return begin();
    if (!drawing) later ||= setTimeout(() => drawing ||= requestAnimationFrame(draw), wait);
}

function draw() {
    const root = document.documentElement;
    clearTimeout(later);
    drawing = later = 0;
    root.style.colorScheme = state.theme === 'auto' ? '' : state.theme;
    set(root, {'data-density': state.density});
    if (!partly) live.ink = 0;
    follow();
    if (!db.received) return;
    drawnAt = performance.now();
    const found = problems();
    held = found.filter((p) => !p.ended);
    drawVerdict(found, held.length);
    drawHeader(held.length);
    const one = !!chosen();
    set($('main'), {class: one && 'one'});
    set($('all'), {href: address({sel: '', panel: ''}), hidden: !one && !state.trace});
    for (const it of Object.values(panels)) {
        if (it.el) it.el.hidden = isHidden(it);
        drawLinkOf(it);
        if (it.seen || partly % 10 === 0) drawPanel(it);
    }
    partly++;
}

const moment = ({capturedAt, app = {}}) => `${local(capturedAt)} (${word(app.name)}, ${word(app.about)})`;

// Shows the embedded data: a snapshot, or two snapshots to compare. A served page has none.
function embedded() {
    const data = JSON.parse($('data').textContent || 'null');
    if (!data) return;
    live.mode = 'static';
    if (data.before) {
        marks.a = check(data.before);
        unmade.unshift(...unmade.splice(unmade.indexOf(panels.compare), 1));
    }
    load(data.after || data);
    banner('static', 'info', data.before ? `Before: ${moment(data.before)}. After: ${moment(data.after)}.` : `Static export of ${moment(data)}.`);
}

// Called with the first data, or when the first request has failed. Paints the verdict before it makes the panels. These are made in the order of the page, some after
// each frame.
function begin() {
    begun = true;
    reveal();
    draw();
    requestAnimationFrame(() => requestAnimationFrame(make));
}

function make() {
    buildNav();
    for (const end = performance.now() + 10; unmade[0] && performance.now() < end;) makePanel(unmade.shift());
    if (unmade[0]) return requestAnimationFrame(make);
    set($('main'), {'aria-busy': false});
    goTo(target());
}

readAddress();
try {
    embedded();
} catch (error) {
    live.mode = 'static';
    banner('payload', 'bad', `The data in this file cannot be shown: ${error.message}.`);
}
// A frame without data would delay the verdict: the first frame waits for the data, at most 0.1 s.
const reveal = () => document.body.hidden = false;
document.body.hidden = true;
setTimeout(reveal, 100);
// The request is on its way while the tools are built: see request.js.
buildTools();
drawLink();
if (live.mode === 'static') begin();
else {
    (state.paused ? sync().then(() => disconnect('paused')) : connect()).then(() => begun || document.hidden || begin());
    setInterval(watch, 1000);
    document.onvisibilitychange = () => {
        if (!document.hidden) connect();
        else if (!state.paused) disconnect('hidden');
    };
}
window.onbeforeprint = window.onafterprint = ({type}) => {
    printing = type === 'beforeprint';
    makeAll();
    partly = 0;
    draw();
};
matchMedia('(prefers-color-scheme: dark)').onchange = refresh;
