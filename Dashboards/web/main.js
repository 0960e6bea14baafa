// SPDX-License-Identifier: Apache-2.0
// Starts the page, with its embedded data or with data from the process that serves it.

let drawing, drawnAt = -1e9, later, partly = 0;

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
    if (!drawing) later ||= setTimeout(() => drawing ||= requestAnimationFrame(draw), wait);
}

function draw() {
    const root = document.documentElement;
    clearTimeout(later);
    drawing = later = 0;
    root.style.colorScheme = state.theme === 'auto' ? '' : state.theme;
    set(root, {'data-density': state.density});
    // Reads the style before any write, so that the browser does not have to compute the layout twice.
    live.ink = getComputedStyle($('nav')).color;
    follow();
    if (!db.received) return;
    drawnAt = performance.now();
    const found = problems(), held = found.filter((p) => !p.ended);
    drawVerdict(found, held.length);
    drawHeader(held.length);
    const one = !!chosen();
    set($('main'), {class: one && 'one'});
    $('all').hidden = !one;
    for (const it of Object.values(panels)) {
        if (it.el) it.el.hidden = isHidden(it);
        if (it.link) it.link.hidden = isHidden(it);
        set(it.count, {text: held.filter((problem) => problem.panel === it.id).length || ''});
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
        state.panel ||= 'compare';
    }
    load(data.after || data);
    banner('static', 'info', data.before ? `Before: ${moment(data.before)}. After: ${moment(data.after)}.` : `Static export of ${moment(data)}.`);
}

// Paints the verdict before it makes the panels. These are made in the order of the page, some after each frame.
function begin() {
    draw();
    requestAnimationFrame(() => requestAnimationFrame(make));
}

function make() {
    for (const end = performance.now() + 10; unmade[0] && performance.now() < end;) makePanel(unmade.shift());
    if (unmade[0]) return requestAnimationFrame(make);
    set($('main'), {'aria-busy': false});
    goTo(state.panel);
}

readAddress();
try {
    embedded();
} catch (error) {
    live.mode = 'static';
    banner('payload', 'bad', `The data in this file cannot be shown: ${error.message}.`);
}
buildTools();
buildNav();
drawLink();
if (live.mode === 'static') begin();
else {
    (state.paused ? sync().then(() => disconnect('paused')) : connect()).then(begin);
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
