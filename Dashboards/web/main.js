// SPDX-License-Identifier: Apache-2.0
// Starts the page, with its embedded data or with data from the process that serves it.

import {byId, update} from './base/dom.js';
import {drawNow, page, refresh} from './base/frames.js';
import {textOf} from './base/format.js';
import {showNotice} from './base/notices.js';
import {localTime} from './base/time.js';
import {forgetInk} from './charts/heat.js';
import {drawLink} from './connection/link.js';
import {isFile, live} from './connection/live.js';
import {connect, disconnect, synchronize, watch} from './connection/stream.js';
import {chosenComponent} from './model/components.js';
import {marks} from './model/marks.js';
import {isObservation, listedProblems} from './model/problems.js';
import {fixedRange, readAddress, settings, showSettings} from './model/settings.js';
import {checkSnapshot, loadSnapshot, store} from './model/store.js';
import {buildTools, drawHeader} from './page/header.js';
import {drawFolded, drawNavigation, goTo, makeAllPanels, targetPanel} from './page/navigation.js';
import {currentView, drawPanel, makePanel, panels, showOrHide, unmadePanels} from './page/panel.js';
import {drawVerdict} from './page/verdict.js';
import {declareSignalPanels} from './panels/signals.js';
import {printing} from './table/table.js';
import './panels/all.js';

// Panels that are not visible are drawn in each so many turns.
const HIDDEN_TURNS = 10;
// The milliseconds for which panels are made in one frame.
const MAKING_TIME = 10;
// The milliseconds for which the first frame waits for the data.
const REVEAL_AFTER = 100;

page.draw = drawPage;
page.start = start;

function drawPage(turn) {
    const root = document.documentElement;
    root.style.colorScheme = settings.theme === 'auto' ? '' : settings.theme;
    update(root, {'data-density': settings.density});
    root.classList.toggle('past', Boolean(fixedRange));
    if (turn === 0) forgetInk();
    showSettings();
    if (!store.receivedAt) return false;
    if (declareSignalPanels() && page.hasStarted) requestAnimationFrame(makePanels);
    const problems = listedProblems();
    const current = problems.filter((problem) => !problem.ended && !isObservation(problem));
    const component = chosenComponent();
    drawVerdict(problems, current.length);
    drawHeader(current.length);
    update(byId('main'), {class: component ? 'one' : currentView()});
    drawNavigation(current, component);
    drawPanels(turn, component);
    drawFolded(component);
    return true;
}

function drawPanels(turn, component) {
    for (const it of Object.values(panels)) {
        showOrHide(it, component);
        if (it.isInView || turn % HIDDEN_TURNS === 0) drawPanel(it);
    }
}

// Shows the embedded data: a snapshot, or two snapshots to compare. A served page has none.
function loadEmbeddedData() {
    const data = JSON.parse(byId('data').textContent || 'null');
    if (!data) return;
    live.mode = 'static';
    if (data.before) {
        marks.before = checkSnapshot(data.before);
        // The comparison is the first panel of the first view.
        panels.compare.view = 'health';
        unmadePanels.unshift(...unmadePanels.splice(unmadePanels.indexOf(panels.compare), 1));
    }
    loadSnapshot(data.after || data);
    showNotice('static', 'info', embeddedText(data));
}

function embeddedText(data) {
    if (!data.before) return `Static export of ${momentText(data)}.`;
    return `Before: ${momentText(data.before)}. After: ${momentText(data.after)}.`;
}

const momentText = ({capturedAt, app = {}}) => `${localTime(capturedAt)} (${textOf(app.name)}, ${textOf(app.about)})`;

// Called with the first data, or when the first request has failed. Paints the verdict before it makes the panels.
function start() {
    reveal();
    drawNow();
    page.hasStarted = true;
    requestAnimationFrame(() => requestAnimationFrame(makePanels));
}

// Makes the panels in the order of the page, some after each frame.
function makePanels() {
    const end = performance.now() + MAKING_TIME;
    while (unmadePanels.length && performance.now() < end) makePanel(unmadePanels.shift());
    if (unmadePanels.length) {
        requestAnimationFrame(makePanels);
        return;
    }
    update(byId('main'), {'aria-busy': false});
    goTo(targetPanel());
}

// A frame without data would delay the verdict: the first frame waits for the data.
function reveal() {
    document.body.hidden = false;
}

function followProcess() {
    const connected = settings.paused ? synchronize().then(() => disconnect('paused')) : connect();
    connected.then(() => {
        if (!page.hasStarted && !document.hidden) start();
    });
    setInterval(watch, 1000);
    document.onvisibilitychange = () => {
        if (!document.hidden) connect();
        else if (!settings.paused) disconnect('hidden');
    };
}

function drawForPrint({type}) {
    printing.isActive = type === 'beforeprint';
    makeAllPanels();
    drawNow();
}

readAddress();
try {
    loadEmbeddedData();
} catch (error) {
    live.mode = 'static';
    showNotice('payload', 'bad', `This file cannot be shown: ${error.message}.`);
}
document.body.hidden = true;
setTimeout(reveal, REVEAL_AFTER);
// The request is on its way while the tools are built: see request.js.
buildTools();
drawLink();
if (isFile()) start();
else followProcess();
window.onbeforeprint = drawForPrint;
window.onafterprint = drawForPrint;
matchMedia('(prefers-color-scheme: dark)').onchange = refresh;
