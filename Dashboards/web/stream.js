// SPDX-License-Identifier: Apache-2.0
// How news arrives: one event stream for all tabs of this page (the tab that holds the lock reads it and tells the
// others), and polling where streams do not come through. Nothing is read while paused or out of sight.

const live = {mode: 'connecting', attempt: 0, retryAt: 0, broken: 0, why: ''}, CHANNEL = 'axiom' + location.pathname;
let source, channel, release, timer, asking;

// An address of the same server, with what the page's own address asks: the run's token, when there is one.
const api = (path, query) => `${path}${location.search || '?'}&${new URLSearchParams(query)}`;

function enter(mode, why = '') {
    Object.assign(live, {mode, why});
    drawLink();
}

const idle = () => live.mode === 'static' || state.paused || document.hidden;
const place = () => ({since: db.seq, instance: db.instance});

async function connect() {
    clearTimeout(timer);
    if (idle()) return;
    if (!channel) {
        channel = new BroadcastChannel(CHANNEL);
        channel.onmessage = ({data}) => hear(data);
    }
    await sync();
}

// What was asked for before this is no longer waited for.
function disconnect(mode) {
    clearTimeout(timer);
    source?.close();
    channel?.close();
    release?.();
    source = release = channel = asking = null;
    enter(mode);
}

// Asks for what was missed, or for everything, and then for the stream. One question at a time: news that comes between
// puts off no answer.
async function sync(whole) {
    if (asking) return;
    const mine = asking = {};
    try {
        const answer = await fetch(api('api/snapshot', whole || !db.received ? {} : place()), {cache: 'no-store', signal: AbortSignal.timeout(10000)});
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

// Only the tab that gets the lock opens the stream, which it is given when the one that had it closes, sleeps or pauses;
// where there are no locks, each tab does. Where three broke one after the other, polling has to do.
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
    source = new EventSource(api('api/stream', place()));
    for (const kind of ['tick', 'reset', 'end']) source.addEventListener(kind, ({data}) => {
        const message = {kind, data, instance: db.instance};
        channel?.postMessage(message);
        hear(message);
    });
    source.onerror = () => {
        live.broken++;
        lost('the stream broke');
    };
}

// News, from the stream or from the tab that reads it.
function hear({kind, data, instance}) {
    try {
        const news = JSON.parse(data);
        live.broken = 0;
        if (kind === 'end') {
            live.endedAt = news.at || db.at;
            return lost();
        }
        if (kind === 'reset' || instance !== db.instance) return sync(true);
        if (!apply(news)) return sync(news.at < db.at);
        if (live.mode !== 'live') enter('live');
        accept();
    } catch (error) {
        refuse(error);
    }
}

// Keeps what we have, and tries again after 1, 2, 4, 8 and then every 10 seconds.
function lost(why) {
    const wait = 1000 * Math.min(10, 2 ** live.attempt++);
    source?.close();
    source = null;
    live.retryAt = performance.now() + wait;
    clearTimeout(timer);
    timer = setTimeout(connect, wait);
    enter(live.endedAt ? 'ended' : 'lost', why);
}

// Once a second: a stream that says nothing is asked directly; what counts down is drawn.
function watch() {
    if (idle()) return;
    const silent = (performance.now() - db.received) / db.step;
    if (live.mode === 'live' && silent > 3000) live.broken = 3;
    if (['live', 'polling'].includes(live.mode) && silent > (live.broken > 2 ? 900 : 3000)) sync();
    drawLink();
    for (const card of document.querySelectorAll('article')) card.tick();
}

// What cannot be read is shown, and the last good data kept.
const refuse = (error) => banner('payload', 'bad', `What the process sent cannot be read: ${error.message}. What is shown is of ${db.at ? clock(db.at) : 'no moment'}.`);
