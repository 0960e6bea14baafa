// SPDX-License-Identifier: Apache-2.0
// The latest errors of the chosen component, each with its whole message. A server sends them on request.

import {refresh} from '../base/frames.js';
import {joined, membersText, plural} from '../base/format.js';
import {isIdle} from '../connection/live.js';
import {request} from '../connection/server.js';
import {chosenComponent, isOfChosen} from '../model/components.js';
import {address} from '../model/settings.js';
import {putRows, rowsOf, store} from '../model/store.js';
import {tablePanel} from '../page/panel.js';
import {column} from '../table/columns.js';

// The milliseconds between two requests for a group.
const REQUEST_INTERVAL = 5000;

// What the application said of the situation: user, session, device and version, and its attributes.
function contextText({context}) {
    const {attributes, ...members} = context || {};
    return joined(membersText(members, ' '), membersText(attributes, ' '));
}

const COLUMNS = [
    column('at', 'Time', 'time'),
    column('code', 'Error', 'text', {value: ({chain, error}) => chain || store.errors.get(error)?.code}),
    column('action'),
    column('settled', 'Outcome', 'text', {value: ({outcome}) => (outcome === 'ended' ? 'not recovered' : outcome)}),
    column('message'),
    column('context', '', 'text', {value: contextText}),
];

// Requests the latest errors of a group if there are new ones, at most every five seconds.
async function requestOccurrences(group) {
    const size = group.count + group.recovered;
    if (isIdle() || group.askedSize === size || performance.now() < group.nextRequest) return;
    group.askedSize = size;
    group.nextRequest = performance.now() + REQUEST_INTERVAL;
    try {
        const answer = await request('api/errors/' + group.id);
        const {instance, occurrences} = answer.ok ? await answer.json() : {};
        if (instance !== store.instance) return;
        replaceOccurrences(group.id, occurrences);
        refresh();
    } catch {
        group.askedSize = null;
    }
}

function replaceOccurrences(group, occurrences) {
    for (const {id, error} of rowsOf('occurrences')) {
        if (error === group) store.occurrences.delete(id);
    }
    putRows('occurrences', occurrences);
}

function note(rows) {
    if (chosenComponent()) rowsOf('errors').filter(isOfChosen).forEach(requestOccurrences);
    const hasTraces = rows.some(({trace}) => trace);
    return joined(plural(rows.length, 'error'), 'at most 20 of each group', hasTraces && 'a time opens the trace');
}

tablePanel('occurrences', 'Latest errors', COLUMNS, {
    view: 'errors',
    isAlone: true,
    list: 'errors',
    sort: '-at',
    calm: 0,
    linked: 'at',
    target: ({trace}) => trace && address({trace}),
    note,
});
