// SPDX-License-Identifier: Apache-2.0
// The panel Profile: the second script of the page, which is loaded when the panel is shown first.

import {button, html, menu, update, updateChildren} from '../base/dom.js';
import {share, shortName} from '../base/format.js';
import {clockTime} from '../model/range.js';
import {address, choose, pushAddress, settings} from '../model/settings.js';
import {field} from '../page/controls.js';
import {copyText, csvText, jsonText} from '../page/copy.js';
import {makeFlames} from './flames.js';
import {makeFunctionTable} from './functions.js';
import style from './profile.css';
import {makeReader} from './reader.js';
import {MEASURES, factsOf, labelOf, summaryOf} from './texts.js';
import {actionsOf, makeTree, matchingShare, nodeAt, pathOf, stacksOf, zoomOf} from './tree.js';

// How many seconds before now a range can end, and how many seconds earlier another is to compare with.
const AGES = [0, 60, 120, 300, 600, 840];
const DISTANCES = [60, 120, 300, 600];
const MOST_ACTIONS = 200;
const MOST_CRUMBS = 6;

const LEGEND = [
    ['operation', '◧ ◆ ● ▷ operation'],
    ['function', 'function'],
    ['wait', '◷ waiting'],
    ['unsure', '? missing or probable'],
    ['outside', '○ outside of actions'],
];
const COMPARED_LEGEND = [
    ['grew', '▲ grew'],
    ['shrank', '▼ shrank'],
    ['same', 'no change beyond the error'],
];
const MISSING =
    'A function that awaits is not on the stack while what it called runs: its action stands for it. Callers below a ' +
    'C library without frame pointers are missing, or only probable. Code without a symbol table has no names. ' +
    '± is the error of sampling, at 95 %.';

const minutesText = (seconds) => (seconds === 60 ? 'a minute' : `${seconds / 60} minutes`);
// Without a choice, waits count only if those of the whole range are known.
const measureOf = ({allocations, waitsSince}, before) => {
    const isKnown = Object.hasOwn(MEASURES, settings.value || '');
    if (isKnown && (allocations || !/allocated|live/.test(settings.value))) return settings.value;
    return waitsSince || before?.waitsSince ? 'processor' : 'time';
};

window.profileView = (body, tools, it) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    document.adoptedStyleSheets.push(sheet);
    const reader = makeReader(it);
    const controls = makeControls(reader);
    const summary = html('p.note');
    const state = html('p.empty', {role: 'status'});
    const crumbs = html('nav.crumbs', {'aria-label': 'Zoom'});
    const flames = makeFlames();
    const frame = html('div.scroll', flames);
    const about = html('p.about', html('b', {dir: 'auto'}), ' ', html('span'));
    const legend = html('p.keys');
    const table = makeFunctionTable();
    const parts = html('div', crumbs, frame, about, legend, html('p.note', MISSING), table.buildTitled());
    const copies = ['JSON', 'CSV'].map((format) => button(format, () => copyText(format, textOf(format))));
    const textOf = (format) => (format === 'CSV' ? csvText : jsonText)(table.content());
    // What was drawn last.
    let drawnFor = '';
    let drawnZoom;
    let view = {};
    tools.append(menu('Copy', 'Copy Profile', ...copies));
    body.append(controls, summary, state, parts);
    body.onkeydown = (event) => {
        if (event.key !== 'Escape' || !settings.zoom || event.target.matches('input, select')) return;
        event.preventDefault();
        event.stopPropagation();
        view.zoom(view.root);
        flames.focusTop();
    };
    return () => {
        reader.read();
        const {now, before} = reader.documents;
        const text = JSON.stringify({...settings, zoom: undefined}) + reader.version + flames.clientWidth;
        if (text !== drawnFor) draw(now, before);
        else if (settings.zoom !== drawnZoom) drawGraph();
        drawnFor = text;
        return settings.of ? 'of one trace' : '';
    };

    function draw(now, before) {
        const measure = now ? measureOf(now, before) : 'time';
        const all = now ? stacksOf(now) : [];
        const sides = {now: now ? stacksOf(now, settings.action) : []};
        if (before) sides.before = stacksOf(before, settings.action);
        const root = makeTree(sides, measure);
        const matching = settings.find?.toLowerCase();
        const matches = matching && (({name, module}) => `${name} ${module}`.toLowerCase().includes(matching));
        view = {root, measure, matches, isCompared: Boolean(before), show, zoom};
        controls.draw(now, before, actionsOf(all, measure), view);
        update(summary, {text: now ? summaryOf(now, before, root) : ''});
        const message = reader.reason || (now ? emptyText(root, now) : unreadText(reader));
        update(state, {hidden: !message, text: message, class: reader.reason ? 'bad' : 'empty'});
        parts.hidden = !root.now.value && !root.before.value;
        if (parts.hidden) return;
        legend.hidden = false;
        const keys = view.isCompared ? COMPARED_LEGEND : LEGEND;
        updateChildren(legend, keys, () => html('span', html('i'), html('span')), ({children}, [kind, words]) => {
            update(children[0], {class: kind});
            update(children[1], {text: words});
        });
        table.drawFunctions(sides, view);
        drawGraph();
    }

    function drawGraph() {
        const top = nodeAt(view.root, settings.zoom, settings.action);
        drawnZoom = settings.zoom;
        flames.draw(top, view);
        show(top);
        const nodes = pathOf(top);
        const shown = nodes.length > MOST_CRUMBS ? [nodes[0], ...nodes.slice(1 - MOST_CRUMBS)] : nodes;
        crumbs.hidden = nodes.length < 2;
        updateChildren(crumbs, shown, () => button(''), (crumb, node) => {
            update(crumb, {
                text: shortName(labelOf(node.frame), 40),
                onclick: () => zoom(node),
                'aria-current': node === top && 'true',
            });
        });
    }

    // Back undoes it.
    function zoom(node) {
        const path = zoomOf(node) || undefined;
        if (path === settings.zoom) return;
        settings.zoom = path;
        pushAddress(address());
        drawGraph();
    }

    function show(node) {
        update(about.firstChild, {text: labelOf(node.frame)});
        update(about.lastChild, {text: factsOf(node, view.root, view)});
    }
};

const unreadText = ({isFile}) => (isFile ? 'This file has no profile.' : 'Reading the profile.');

function emptyText(root, {start, end}) {
    if (root.now.value > 0 || root.before.value > 0) return '';
    if (settings.of) {
        return 'No samples were taken of this trace: an action shorter than 10 ms of processor time has few samples.';
    }
    if (start >= end) return `No samples are held from before ${clockTime(end)}.`;
    const range = `from ${clockTime(start)} to ${clockTime(end)}`;
    return `Nothing ${settings.action ? 'of this action ' : ''}was sampled ${range}.`;
}

// The controls above the graph.
function makeControls(reader) {
    const measure = makeChoice('Width', 'value');
    const action = makeChoice('Action', 'action');
    const ago = makeChoice('Range', 'ago');
    const versus = makeChoice('Compare with', 'versus');
    const again = button('Refresh', reader.again);
    const search = field('find', {type: 'search', placeholder: 'Search functions', 'aria-label': 'Search functions'});
    // The field was made after the settings were read.
    search.value = settings.find || '';
    const found = html('span', {role: 'status'});
    const trace = html('a');
    const all = button('All', () => choose({of: undefined}));
    const controls = html('div.keys', measure, action, ago, versus, again, trace, all, search, found);
    controls.draw = (now, before, actions, view) => {
        const {value: total} = view.root.now;
        const part = view.matches && matchingShare(view.root, view.matches);
        const isOfTrace = Boolean(settings.of);
        measure.draw(measureOptions(now), view.measure);
        action.draw(actionOptions(actions), settings.action || '');
        ago.draw(AGES.map((age) => [age || '', age ? minutesText(age) + ' ago' : 'last minute']), settings.ago || '');
        versus.draw(distanceOptions(reader), settings.versus || '');
        ago.hidden = reader.isFile || isOfTrace;
        versus.hidden = isOfTrace || (reader.isFile && !reader.hasBefore);
        again.hidden = reader.isFile;
        trace.hidden = all.hidden = !isOfTrace;
        update(trace, {href: address({trace: settings.of, of: undefined}), text: 'Trace'});
        update(found, {text: view.matches && total ? share(part) + ' match' : ''});
    };
    return controls;
}

const measureOptions = (now) =>
    Object.entries(MEASURES)
        .filter(([key]) => now?.allocations || !/allocated|live/.test(key))
        .map(([key, [title]]) => [key, title]);

// The chosen action stays in the list if nothing of it was sampled.
function actionOptions(actions) {
    const names = actions.slice(0, MOST_ACTIONS).map(([name]) => name);
    const chosen = settings.action && !names.includes(settings.action) ? [settings.action] : [];
    return [['', 'all'], ...[...chosen, ...names].map((name) => [name, shortName(name, 60)])];
}

function distanceOptions({hasBefore}) {
    if (hasBefore) return [['', 'nothing'], ['file', 'the snapshot before']];
    const known = DISTANCES.filter((distance) => distance + Number(settings.ago || 0) <= AGES.at(-1));
    return [['', 'nothing'], ...known.map((distance) => [distance, minutesText(distance) + ' before'])];
}

// A select element for a setting. It keeps its options while it has the focus.
function makeChoice(label, key) {
    const select = html('select', {onchange: () => choose({[key]: select.value || undefined})});
    const choice = html('label', html('span', label), select);
    const drawOption = (option, [value, text]) => update(option, {value, text});
    choice.draw = (options, value) => {
        updateChildren(select, options, () => html('option'), drawOption);
        select.value = value;
    };
    return choice;
}
