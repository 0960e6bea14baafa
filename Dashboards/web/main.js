// SPDX-License-Identifier: Apache-2.0
// Starts the page: from the data within it, or from the process that serves it.

let drawing, drawnAt = -1e9, later, partly = 0;

// Draws soon, once, however often it is asked: everything.
function refresh() {
    partly = 0;
    drawing ||= requestAnimationFrame(draw);
}

// News has come: draws no more often than the reader asked for, what is in sight, and the rest each tenth time.
function accept() {
    const wait = drawnAt + state.rate * 1000 - 50 - performance.now();
    banner('payload');
    if (!drawing) later ||= setTimeout(() => drawing ||= requestAnimationFrame(draw), Math.max(0, wait));
}

function draw() {
    const root = document.documentElement;
    clearTimeout(later);
    drawing = later = 0;
    drawnAt = performance.now();
    root.style.colorScheme = state.theme === 'auto' ? '' : state.theme;
    set(root, {'data-density': state.density});
    // Read before anything is written, so that the browser need not lay out in between.
    live.ink = getComputedStyle($('main').querySelector('canvas')).color;
    for (const follow of settings) follow();
    if (!db.received) return;
    const found = problems();
    drawVerdict(found);
    drawHeader(found.length);
    panels.detail.el.hidden = !chosen();
    for (const it of Object.values(panels)) {
        set(it.count, {text: found.filter((problem) => problem.panel === it.id).length || ''});
        if (it.seen || partly % 10 === 0) drawPanel(it);
    }
    partly++;
}

const moment = ({capturedAt, app = {}}) => `${local(capturedAt)} (${word(app.name)}, ${word(app.about)})`;

// Shows the data within the page: a snapshot, or two of them to compare; nothing is there when a process serves the page.
function embedded() {
    const data = JSON.parse($('data').textContent || 'null');
    if (!data) return;
    live.mode = 'static';
    if (data.before) {
        marks.a = check(data.before);
        state.panel ||= 'compare';
    }
    load(data.after || data);
    banner('static', 'info', data.before ? `Before: ${moment(data.before)}. After: ${moment(data.after)}.` : `A static export: everything here is of ${moment(data)}.`);
}

function arrive() {
    partly = 0;
    draw();
    if (state.panel) goTo(state.panel);
}

readAddress();
try {
    embedded();
} catch (error) {
    live.mode = 'static';
    banner('payload', 'bad', `The data in this file cannot be shown: ${error.message}.`);
}
buildTools();
buildPanels();
drawLink();
arrive();
if (live.mode !== 'static') {
    if (state.paused) sync().then(() => disconnect('paused'));
    else connect();
    setInterval(watch, 1000);
    document.addEventListener('visibilitychange', () => {
        if (!document.hidden) connect();
        else if (!state.paused) disconnect('hidden');
    });
}
addEventListener('hashchange', () => {
    readAddress();
    arrive();
});
for (const when of ['before', 'after']) addEventListener(when + 'print', () => {
    printing = when === 'before';
    partly = 0;
    draw();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', refresh);
