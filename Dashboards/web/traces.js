// SPDX-License-Identifier: Apache-2.0
// What happened: actions and traces. They are requested from the process only while they are shown; an export contains them.

const plain = (name) => (name || '').replaceAll('_', ' ');
FIELDS.kept = ({kept}) => plain(kept);
FIELDS.did = ({component, name}) => (component ? component + '.' : '') + name;
FIELDS.failed = ({error, component}) => (error ? error.code + (error.origin && error.origin !== component ? ' from ' + error.origin : '') : '');

// The address of a trace; and that of a row's trace if it has one, else of the actions of its component with a text, a least
// duration in seconds, and an outcome.
const tracing = ({trace}) => address({trace, panel: ''});
const seeking = ({component, trace}, act, least, outcome = '') => (trace ? tracing({trace}) : address({panel: 'activity', sel: keyOf(db.components.get(component)), outcome, act: act || '', min: Math.floor(least * 999000) / 1000 || 0}));

const isLive = () => ['live', 'polling'].includes(live.mode) && !idle();

const request = (path, query) => fetch(api(path, query), {cache: 'no-store', signal: AbortSignal.timeout(10000)});

// Requests JSON for a panel, and draws the panel. There is one request at a time, at most one for each refresh, and none for
// ten seconds after a failure.
async function ask(it, job, path, query) {
    const time = performance.now();
    if (job.busy || time < job.due) return;
    Object.assign(job, {busy: true, why: '', due: time + state.rate * 1000 - 50});
    try {
        const answer = await request(path, query), data = await answer.json().catch(() => ({}));
        job.gone = answer.status === 404;
        if (!answer.ok) throw Error(data.error || `the server answered ${answer.status}`);
        job.take(data);
    } catch (error) {
        Object.assign(job, {why: `This cannot be read: ${error.message}`, due: time + 10000});
    }
    drawPanel(it);
    job.busy = false;
}
