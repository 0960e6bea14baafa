// SPDX-License-Identifier: Apache-2.0
// Receives updates. All tabs of this page share one event stream: the tab that holds the lock reads it and forwards the
// events. If streams do not work, the page polls. It reads nothing while it is paused or hidden.

const live = {mode: 'connecting', attempt: 0, retryAt: 0, broken: 0, why: ''}, CHANNEL = 'axiom' + location.pathname;
let source, channel, release, timer, asking;

// A URL of the same server. The query of the page is passed on, because it may contain the token.
const api = (path, query) => `${path}${location.search || '?'}&${new URLSearchParams(query)}`;

// A change of the mode changes the headline and the title, too.
function enter(mode, why = '') {
    const changed = mode !== live.mode;
    Object.assign(live, {mode, why});
    drawLink();
    if (changed && begun) refresh();
}

const idle = () => live.mode === 'static' || state.paused || document.hidden;
const position = () => ({since: db.seq, instance: db.instance});

async function connect() {
    clearTimeout(timer);
    if (idle()) return;
    const answer = sync();
    if (!channel) {
        channel = new BroadcastChannel(CHANNEL);
        channel.onmessage = ({data}) => receive(data);
    }
    await answer;
}

// Also abandons a request in flight: its response is ignored.
function disconnect(mode) {
    clearTimeout(timer);
    source?.close();
    channel?.close();
    release?.();
    source = release = channel = asking = null;
    enter(mode);
}

// Requests the missed ticks, or a snapshot, and then opens the stream. There is one request at a time; messages that
// arrive before its response do not delay it.
async function sync(whole) {
    if (asking) return;
    const mine = asking = {};
    try {
        const {first} = window;
        window.first = 0;
        const answer = await (first || fetch(api('api/snapshot', whole || !db.received ? {} : position()), {cache: 'no-store', signal: AbortSignal.timeout(10000)}));
        if (!answer.ok) throw Error(`the server answered ${answer.status}`);
        const data = await answer.json();
        if (mine !== asking) return;
        if (data.schema !== 'axiom/ticks') load(data);
        else if (data.instance !== db.instance || !data.ticks.every(apply)) {
            asking = null;
            return sync(true);
        }
        live.attempt = live.endedAt = 0;
        enter(live.broken > 2 ? 'polling' : 'live');
        accept();
        elect();
    } catch (error) {
        if (mine !== asking) return;
        if (error instanceof Unreadable || error instanceof SyntaxError) refuse(error);
        live.broken = 0;
        lost(/^T/.test(error.name) ? 'no answer' : error.message);
    }
    asking = null;
}

// Only the tab that holds the lock opens the stream. Another tab gets the lock when that tab is closed, hidden or paused.
// Without support for locks each tab opens a stream. After three broken streams in a row the page polls.
function elect() {
    const mine = channel;
    if (source || !mine || live.broken > 2) return;
    if (release || !navigator.locks) open();
    else if (!mine.waits) {
        mine.waits = true;
        navigator.locks.request(CHANNEL, () => mine === channel && new Promise((done) => {
            release = done;
            open();
        }));
    }
}

function open() {
    source = new EventSource(api('api/stream', position()));
    for (const kind of ['tick', 'reset', 'end']) source.addEventListener(kind, ({data}) => {
        const message = {kind, data, instance: db.instance};
        channel?.postMessage(message);
        receive(message);
    });
    source.onerror = () => {
        live.broken++;
        lost('the stream broke');
    };
}

// Handles an event, from the stream or from the tab that reads it.
function receive({kind, data, instance}) {
    try {
        const body = JSON.parse(data);
        live.broken = 0;
        if (kind === 'end') {
            live.endedAt = body.at || db.at;
            return lost();
        }
        if (kind === 'reset' || instance !== db.instance) return sync(true);
        if (!apply(body)) return sync(body.at < db.at);
        if (live.mode !== 'live') enter('live');
        accept();
    } catch (error) {
        refuse(error);
    }
}

// Keeps the data, and reconnects after 1, 2, 4, 8 and then every 10 seconds.
function lost(why) {
    const wait = 1000 * Math.min(10, 2 ** live.attempt++);
    source?.close();
    source = null;
    live.retryAt = performance.now() + wait;
    clearTimeout(timer);
    timer = setTimeout(connect, wait);
    enter(live.endedAt ? 'ended' : 'lost', why);
}

// Runs once a second: polls if the stream is silent, and updates countdowns.
function watch() {
    if (idle()) return;
    const silent = (performance.now() - db.received) / db.step;
    if (live.mode === 'live' && silent > 3000) live.broken = 3;
    if (isLive() && silent > (live.broken > 2 ? 900 : 3000)) sync();
    drawLink();
    for (const card of document.querySelectorAll('article')) card.tick();
}

// Shows that the data cannot be read, and keeps the last good data.
const refuse = (error) => banner('payload', 'bad', `The data from the process cannot be read: ${error.message}. Last good data: ${db.at ? clock(db.at) : 'none'}.`);
