// SPDX-License-Identifier: Apache-2.0
// The state of the process: the last snapshot, updated by ticks. See PROTOCOL.md.

import {isNumber, textOf} from '../base/format.js';
import {LIST_NAMES} from './lists.js';
import {appendStep, prependRing} from './rings.js';

// The lists of a snapshot; only exports have the last one. The store has each as a map by id: `store.components`.
const LISTS = [...LIST_NAMES, 'occurrences'];
// The values that the store has under the names of a snapshot, and what they are if a snapshot lacks them. A live page
// requests activity and traces on its own: they stay.
const VALUES = {seq: 0, version: 0, instance: '', window: 60, tick: 1, activity: null, traces: null};
// The objects of a snapshot.
const OBJECTS = ['app', 'baseline', 'dropped', 'bounds', 'promql', 'panels'];
// The most rows of lists that only grow.
const LIMITS = {instances: 3000, hangs: 100, events: 300, slowest: 50, errors: 500, occurrences: 2000};

// The most steps of the rings of the history, and of the columns of a heat map.
export const FINE_STEPS = 900;
const COARSE_STEPS = 1440;
const COLUMNS = 90;
// A sparkline has so many values, each of so many seconds.
const SPARK_VALUES = 30;
const SPARK_STEP = 10;

export const store = {
    // The time of the data, in seconds since 1970.
    at: 0,
    seq: 0,
    // When data arrived last, by the clock of the browser.
    receivedAt: 0,
    // Changes with each row that comes or goes.
    rowChanges: 0,
    // How many ticks old the oldest row of a list is, for lists with old rows.
    ages: {},
    // Loaded on request, or part of an export.
    activity: [],
    traces: [],
};

// The data cannot be read; the message says why.
export class Unreadable extends Error {}

// Returns the data if it is a snapshot.
export function checkSnapshot(data) {
    if (data?.schema !== 'axiom/snapshot' || !isNumber(data.capturedAt)) {
        throw new Unreadable('this is not an Axiom snapshot');
    }
    if (![1, 2].includes(data.version)) {
        const version = textOf(data.version);
        throw new Unreadable(`this page reads versions 1 and 2, and this is version ${version}: reload the page`);
    }
    for (const name of [...LISTS, 'activity', 'traces']) {
        if (data[name] && !Array.isArray(data[name])) throw new Unreadable(`"${name}" is not a list`);
    }
    return data;
}

// Replaces the state by a snapshot. Throws Unreadable, and changes nothing, if the data is not a snapshot.
export function loadSnapshot(data) {
    checkSnapshot(data);
    const history = loadedHistory(data);
    for (const name of LISTS) {
        store[name] = new Map();
        putRows(name, data[name]);
    }
    for (const name of OBJECTS) store[name] = {...data[name]};
    for (const [name, value] of Object.entries(VALUES)) store[name] = data[name] ?? value ?? store[name];
    store.at = data.capturedAt;
    store.history = history;
    store.ages = {};
    store.receivedAt = performance.now();
}

// The history of a snapshot. That of another run continues the history before.
function loadedHistory({history = {}, capturedAt, instance}) {
    history.fine ||= {step: 1, start: capturedAt, series: {}};
    history.coarse ||= {step: 60, start: capturedAt, series: {}};
    if (store.history && store.instance !== instance) {
        prependRing(store.history.fine, history.fine, 2 * COARSE_STEPS);
        prependRing(store.history.coarse, history.coarse, 2 * COARSE_STEPS);
    }
    return history;
}

// Adds rows to a list, or updates the given fields of existing rows. Removes the oldest rows beyond the limit of the
// list.
export function putRows(name, rows = []) {
    const list = store[name];
    for (const row of rows) {
        if (!list.has(row.id)) store.rowChanges++;
        list.set(row.id, Object.assign(list.get(row.id) || {}, row));
    }
    while (list.size > LIMITS[name]) list.delete(list.keys().next().value);
}

function removeRows(name, ids = []) {
    for (const id of ids) {
        if (store[name].delete(id)) store.rowChanges++;
    }
}

// Applies one tick. Returns false if earlier ticks are missing or the clock went back; the page then needs a snapshot.
export function applyTick(tick) {
    const {seq, at} = tick;
    if (seq <= store.seq) return true;
    if (seq !== store.seq + 1 || !(at >= store.at - 2)) return false;
    for (const name of OBJECTS) Object.assign(store[name], tick.set?.[name]);
    for (const name of LISTS) {
        putRows(name, tick.rows?.[name]);
        removeRows(name, tick.gone?.[name]);
    }
    appendHistory(tick);
    if (Math.floor(at / SPARK_STEP) > Math.floor(store.at / SPARK_STEP)) appendSparks();
    store.seq = seq;
    store.at = at;
    store.ages = tick.ages ?? {};
    store.receivedAt = performance.now();
    return true;
}

function appendHistory({at, points, coarse, columns = []}) {
    const {history} = store;
    appendStep(history.fine, at - history.fine.step, points, FINE_STEPS);
    appendStep(history.coarse, at - history.coarse.step, coarse, COARSE_STEPS);
    for (const [id, start, p50, p90, p99, counts] of columns) {
        appendStep(store.latency.get(id).fine, start, {p50, p90, p99, counts}, COLUMNS);
    }
}

function appendSparks() {
    for (const {spark, rate} of store.components.values()) {
        if (spark?.push(rate) > SPARK_VALUES) spark.shift();
    }
}

// The rows of a list.
export const rowsOf = (name) => [...(store[name]?.values() || [])];

// The whole state as a snapshot: a deep copy.
export function copySnapshot() {
    const data = {schema: 'axiom/snapshot', capturedAt: store.at, history: store.history};
    for (const name of [...Object.keys(VALUES), ...OBJECTS]) data[name] = store[name];
    for (const name of LISTS) data[name] = rowsOf(name);
    return structuredClone(data);
}
