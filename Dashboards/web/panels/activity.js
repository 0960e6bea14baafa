// SPDX-License-Identifier: Apache-2.0
// The latest actions, the one that ended last first. While the pointer or the focus is in the list, or it is scrolled,
// no row is added, and a button shows how many are newer.

import {button, html, idOf, labelled, update} from '../base/dom.js';
import {refresh} from '../base/frames.js';
import {count, plural, termText} from '../base/format.js';
import {isFile, isLive} from '../connection/live.js';
import {url} from '../connection/server.js';
import {chosenComponent} from '../model/components.js';
import {settings} from '../model/settings.js';
import {store} from '../model/store.js';
import {failureText, hasFailed, spanName, traceAddress} from '../model/traces.js';
import {ask} from '../page/ask.js';
import {field, selection} from '../page/controls.js';
import {isHidden, panel} from '../page/panel.js';
import {column} from '../table/columns.js';
import {makeTable} from '../table/table.js';

const COLUMNS = [
    column('finished', 'Ended', 'milliseconds', {value: ({start, seconds}) => start + seconds}),
    column('did', 'Action', 'text', {value: spanName}),
    column('seconds', 'Took', 'seconds'),
    column('outcome', '', 'state'),
    column('failed', 'Error', 'text', {value: failureText}),
    column('sender', 'Sent by', 'text', {value: ({by}) => (by ? spanName(by) : '')}),
    column('kept', 'Trace kept', 'text', {value: ({kept}) => termText(kept)}),
];
const OUTCOMES = [
    ['', 'all'],
    ['failures', 'only failures'],
    'success',
    'failure',
    'cancelled',
    'rejected',
];

const table = makeTable('activity', 'Latest actions', COLUMNS, {
    sort: '-finished',
    calm: 0,
    isKeyed: true,
    linked: 'did',
    target: traceAddress,
});

// The request for actions, and the rows that are shown.
const log = {
    receive: ({activity}) => {
        store.activity = activity;
    },
    // The filters of the shown rows.
    filters: '',
    rows: null,
};

const wantsFailures = () => settings.outcome === 'failures';

// The filters that are set, as parameters of the request. The process compares the text with each name on its own.
function parametersFor(component) {
    const parameters = {
        q: settings.act.split('.').pop(),
        component: component?.name,
        min: settings.min / 1000,
        [wantsFailures() ? 'failures' : 'outcome']: wantsFailures() ? 1 : settings.outcome,
    };
    return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value));
}

// The same here: an export has all actions, and a page that is paused those of earlier filters.
const passes = (row, component) =>
    (!component || row.component === component.name) &&
    row.seconds * 1000 >= settings.min &&
    hasWantedOutcome(row) &&
    searchedText(row).includes(settings.act.toLowerCase());

function hasWantedOutcome(row) {
    if (wantsFailures()) return hasFailed(row);
    return !settings.outcome || row.outcome === settings.outcome;
}

function searchedText(row) {
    const error = [failureText(row), row.error?.type];
    return [spanName(row), row.kind, row.outcome, ...error, row.id, row.trace].join(' ').toLowerCase();
}

panel('activity', 'Activity', {view: 'latency', table: table.content, isEmpty}, (body, tools, it) => {
    const list = table.build();
    const newer = button('', showNewer, {class: 'newer'});
    const save = html('a', {href: url('api/scenario')}, 'Save as test');
    update(list, {class: 'log'});
    body.append(html('p.keys', ...makeFilters(), newer, save), list);
    return () => {
        const component = chosenComponent();
        requestActions(it, component);
        const rows = store.activity.filter((row) => passes(row, component));
        const added = holdRows(rows);
        newer.hidden = isFile();
        save.hidden = !store.app.records || isFile();
        update(newer, {text: newerText(added), disabled: !added});
        table.draw(log.rows, log.reason || (store.activity.length ? 'No matches.' : 'No actions.'));
        return plural(rows.length, 'action');
    };
});

// A process is asked when the panel is in view.
function isEmpty() {
    return isFile() && !store.activity.length;
}

const makeFilters = () => [
    field('act', {type: 'search', placeholder: 'Filter', 'aria-label': 'Filter actions'}),
    selection('Outcome', 'outcome', OUTCOMES),
    labelled('At least', field('min', {type: 'number', min: 0, step: 'any'}), 'ms'),
];

function showNewer() {
    table.scroll.scrollTop = 0;
    table.scrolled = 0;
    log.rows = null;
    refresh();
}

// Requests the actions. New filters are requested at once, and their rows are shown.
function requestActions(it, component) {
    const parameters = parametersFor(component);
    const filters = JSON.stringify(parameters) + settings.act;
    if (filters !== log.filters) {
        log.due = 0;
        log.rows = null;
    }
    log.filters = filters;
    if (isLive() && it.isInView && !isHidden(it)) ask(it, log, 'api/activity', parameters);
}

// Shows the rows, unless the user reads the list. Returns how many of them are not shown.
function holdRows(rows) {
    const isInUse = table.scrolled || table.scroll.matches(':hover, :focus-within');
    if (!log.rows || !isInUse) {
        log.rows = rows;
        // Each row keeps its node, but a node that is inserted again does not count as moved.
        table.body.replaceChildren();
    }
    const shown = new Set(log.rows.map(idOf));
    return rows.filter(({id}) => !shown.has(id)).length;
}

function newerText(added) {
    if (added) return count(added) + ' newer';
    return isLive() ? 'Live' : 'Paused';
}
