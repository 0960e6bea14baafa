// SPDX-License-Identifier: Apache-2.0
// The state of the process: the last snapshot, updated by ticks. See PROTOCOL.md.

// The lists of a snapshot: db.components and so on are maps by id. Lists that only grow are bounded here too.
const LISTS = 'problems components calls instances slowest errors occurrences budgets circuits policies regressions edges hangs runtime telemetry events latency capabilities signals'.split(' ');
const FACTS = 'app baseline dropped bounds promql panels'.split(' ');
const BOUNDED = {instances: 3000, hangs: 100, events: 300, slowest: 50, errors: 500, occurrences: 2000}, FINE = 900, COARSE = 1440, COLUMNS = 90, SPARK = 30, SPARK_STEP = 10;
const db = {at: 0, seq: 0, grown: 0, ages: {}, activity: [], traces: []};

// The data cannot be read; the message says why.
class Unreadable extends Error {}

function check(data) {
    if (data?.schema !== 'axiom/snapshot' || !real(data.capturedAt)) throw new Unreadable('this is not an Axiom snapshot');
    if (![1, 2].includes(data.version)) throw new Unreadable(`this page reads versions 1 and 2, and this is version ${word(data.version)}: reload the page`);
    for (const name of [...LISTS, 'activity', 'traces']) if (data[name] && !Array.isArray(data[name])) throw new Unreadable(`"${name}" is not a list`);
    return data;
}

// Replaces the state by a snapshot. Throws Unreadable, and changes nothing, if the data is not a snapshot. A live page
// requests activity and traces on its own.
function load(data) {
    const {seq = 0, version, capturedAt: at, instance, activity = db.activity, traces = db.traces, window = 60, tick: step = 1, history = {}} = check(data), before = db.instance !== instance && db.history;
    for (const name of LISTS) {
        db[name] = new Map();
        put(name, data[name]);
    }
    for (const name of FACTS) db[name] = {...data[name]};
    for (const name of ['fine', 'coarse']) {
        history[name] ||= {step: name === 'fine' ? 1 : 60, start: at, series: {}};
        if (before) join(before[name], history[name]);
    }
    Object.assign(db, {seq, version, at, instance, activity, traces, window, step, history, ages: {}, received: performance.now()});
    for (const id in db.panels) if (!panels[id]) {
        signalPanel(id, ...db.panels[id]);
        if (begun) requestAnimationFrame(make);
    }
}

// Adds rows to a list, or updates the given fields of existing rows. Removes the oldest rows beyond the limit of the list.
function put(name, rows) {
    const map = db[name];
    for (const row of rows || []) {
        if (!map.has(row.id)) db.grown++;
        map.set(row.id, Object.assign(map.get(row.id) || {}, row));
    }
    while (map.size > BOUNDED[name]) map.delete(map.keys().next().value);
}

// Applies one tick. Returns false if earlier ticks are missing or the clock went back; the page then needs a snapshot.
function apply({seq, at, set: facts = {}, rows = {}, gone = {}, points, coarse, columns = [], ages = {}}) {
    const {history} = db, turn = Math.floor(at / SPARK_STEP) > Math.floor(db.at / SPARK_STEP);
    if (seq <= db.seq) return true;
    if (seq !== db.seq + 1 || !(at >= db.at - 2)) return false;
    for (const name of FACTS) Object.assign(db[name], facts[name]);
    for (const name of LISTS) {
        put(name, rows[name]);
        for (const id of gone[name] || []) db.grown += db[name].delete(id);
    }
    append(history.fine, at - history.fine.step, points, FINE);
    append(history.coarse, at - history.coarse.step, coarse, COARSE);
    for (const [id, start, p50, p90, p99, counts] of columns) append(db.latency.get(id).fine, start, {p50, p90, p99, counts}, COLUMNS);
    if (turn) for (const {spark, rate} of db.components.values()) if (spark?.push(rate) > SPARK) spark.shift();
    Object.assign(db, {seq, at, ages, received: performance.now()});
    return true;
}

// A ring is {step, start, series}: `series.calls[i]` holds for the step that begins at start + i·step.
const sizeOf = (ring) => Math.max(0, ...Object.values(ring.series).map((values) => values.length));

// Stores one value of each series in the step that begins at `from`. Missed steps stay empty and show as a gap.
function append(ring, from, values, limit) {
    if (!values) return;
    const size = sizeOf(ring), far = Math.round((from - ring.start) / ring.step);
    if (!size || far > size + limit) Object.assign(ring, {series: {}, start: from});
    const index = ring.start === from ? 0 : Math.max(size - 1, far), extra = index + 1 - limit;
    for (const key in {...ring.series, ...values}) {
        const series = ring.series[key] ||= [];
        while (series.length < index) series.push(null);
        series[index] = values[key] ?? null;
        if (extra > 0) series.splice(0, extra);
    }
    if (extra > 0) ring.start += extra * ring.step;
}

// Prepends the history of the previous run to that of the new run.
function join(before, ring) {
    const shift = Math.round((ring.start - before.start) / ring.step);
    if (shift < sizeOf(before) || shift > 2 * COARSE || before.step !== ring.step) return;
    for (const key in before.series) ring.series[key] = [...before.series[key], ...Array(shift - before.series[key].length).fill(null), ...(ring.series[key] || [])];
    ring.start = before.start;
}

// The current time of the process: that of the last tick plus the time since it arrived.
const now = () => db.at + (['static', 'paused', 'ended'].includes(live.mode) ? 0 : (performance.now() - db.received) / 1000);

const all = (name) => [...(db[name]?.values() || [])];
// A text, and on a line of its own what the first of the framework's error codes in it means, and the remedy.
const helpOf = ({meaning, remedy}) => meaning + ' ' + remedy;
function explained(text) {
    const code = /AXIOM_\w+/.exec(text)?.[0], row = code && all('errors').find((e) => e.code === code && e.meaning);
    return row ? `${text}\n${code}: ${helpOf(row)}` : text;
}

const nameOf = (id) => db.components.get(id)?.name ?? (id == null ? 'application' : '#' + id);
const keyOf = (row) => (row ? `${row.kind}/${row.name}` : '');
const chosen = () => state.sel && all('components').find((row) => keyOf(row) === state.sel);
const choosing = (row) => address({panel: '', sel: keyOf(row)});
const isChosen = ({component}) => !state.sel || keyOf(db.components.get(component)) === state.sel;

// The whole state as a snapshot: a deep copy.
function dump() {
    const {seq, version, instance, at: capturedAt, window, step: tick, history, activity, traces} = db, data = {schema: 'axiom/snapshot', version, seq, instance, capturedAt, window, tick, history, activity, traces};
    for (const name of FACTS) data[name] = db[name];
    for (const name of LISTS) data[name] = all(name);
    return structuredClone(data);
}

// The seconds that are shown: the chosen range, or all that is known if that is less. Then its end, its start, and the
// ring that covers it.
function span() {
    if (fixed) return fixed[1] - fixed[0];
    const {fine, coarse} = db.history;
    return Math.min(state.range, Math.max(60, db.at - Math.min(fine.start, coarse.start)));
}
const ends = () => (fixed ? fixed[1] : db.at), begins = () => ends() - span();
const shown = ({fine, coarse} = db.history) => (begins() < db.at - FINE && coarse) || fine;
