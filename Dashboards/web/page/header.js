// SPDX-License-Identifier: Apache-2.0
// The top of the page: the application and the controls.

import {button, byId, html, labelled, menu, setText, update} from '../base/dom.js';
import {duration, joined} from '../base/format.js';
import {localTime, zoneName} from '../base/time.js';
import {isDown, isFile} from '../connection/live.js';
import {url} from '../connection/server.js';
import {togglePause} from '../connection/stream.js';
import {mark, marks} from '../model/marks.js';
import {clockTime, shownBegin, shownEnd, zoom} from '../model/range.js';
import {fixedRange, onSettings, settings, showRange} from '../model/settings.js';
import {store} from '../model/store.js';
import {selection} from './controls.js';
import {saveSnapshot} from './copy.js';
import {showHelp} from './keys.js';
import {showSearch} from './search.js';

const RATES = [0.5, 1, 2, 5, 10].map((rate) => [rate, rate + ' s']);
const RANGE_NAMES = [
    ['60', '1 min'],
    ['300', '5 min'],
    ['900', '15 min'],
    ['86400', '24 h'],
];
const THEMES = ['auto', 'light', 'dark'];
const DENSITIES = ['compact', 'roomy'];

export function buildTools() {
    const search = button('Search', showSearch, {title: 'Ctrl-K', 'aria-keyshortcuts': 'Control+K'});
    const range = [selection('Range', 'range', RANGE_NAMES), timeMenu()];
    buildPast();
    const pause = () => button('Pause', togglePause, {id: 'pause'});
    const marking = () => button('Mark', mark, {id: 'mark', title: 'Compare with this moment'});
    const tools = isFile() ? [search, ...range] : [search, pause(), marking(), ...range, exportLink()];
    byId('tools').append(...tools, settingsMenu());
}

const exportLink = () => html('a', {href: url('export.html'), download: 'axiom.html'}, 'Export');

const settingsMenu = () =>
    menu(
        'Settings',
        'Settings',
        !isFile() && selection('Refresh', 'rate', RATES),
        selection('Theme', 'theme', THEMES),
        selection('Density', 'density', DENSITIES),
        button('Save JSON', saveSnapshot),
        button('Help', showHelp),
    );

// The bar below the page while a range is chosen: its times, and the way back to the range that follows the process.
function buildPast() {
    const bar = byId('past');
    const text = html('b', {id: 'fixed'});
    bar.append('You look at the past: ', text, button(isFile() ? 'Latest' : 'Back to live', () => showRange()));
    onSettings(() => {
        bar.hidden = !fixedRange;
        if (fixedRange) setText(text, rangeText());
    });
}

function rangeText() {
    const begin = shownBegin();
    return `${clockTime(begin)} to ${clockTime(shownEnd())} ${zoneName(begin)}`;
}

// The ends of the range as fields, and buttons that do by keyboard what a drag over a chart does.
function timeMenu() {
    const inputs = ['From', 'To'].map((name) => html('input', {step: 1, 'aria-label': name, onchange: () => read()}));
    const read = () => showRange(...inputs.map(({value}) => Date.parse(value) / 1000));
    onSettings(() => {
        if (!store.at) return;
        showEnd(inputs[0], shownBegin());
        showEnd(inputs[1], shownEnd());
    });
    const steps = html(
        'p.keys',
        button('Zoom in', () => zoom(0.25, 0.75)),
        button('Zoom out', () => zoom(-0.5, 1.5)),
        button('Earlier', () => zoom(-0.5, 0.5)),
        button('Later', () => zoom(0.5, 1.5)),
    );
    const times = menu('Time', 'Time range', labelled('From', inputs[0]), labelled('To', inputs[1]), steps);
    // The browser takes several milliseconds to make fields for times: not before the first paint.
    times.firstChild.onclick = () => {
        for (const input of inputs) input.type = 'datetime-local';
    };
    return times;
}

function showEnd(input, moment) {
    if (input !== document.activeElement) input.value = localTime(moment).replace(' ', 'T');
}

export function drawHeader(problemCount) {
    const {name = 'Axiom', about, startedAt} = store.app;
    const age = startedAt && 'up ' + duration(store.at - startedAt);
    const facts = joined(age, about?.replace(/^unknown, /, ''));
    setText(byId('name'), name);
    update(byId('facts'), {text: facts, title: facts});
    document.title = titleMark(problemCount) + name;
    drawPressed('pause', settings.paused, ['Pause', 'Resume']);
    drawPressed('mark', marks.before, ['Mark', 'Mark']);
}

function titleMark(problemCount) {
    if (isDown()) return '(–) ';
    return problemCount ? `(${problemCount}) ` : '';
}

function drawPressed(id, value, texts) {
    const control = byId(id);
    if (control) update(control, {text: texts[Number(Boolean(value))], 'aria-pressed': String(Boolean(value))});
}
