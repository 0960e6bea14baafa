// SPDX-License-Identifier: Apache-2.0
// Receives updates. All tabs of this page share one event stream: the tab that holds the lock reads it and forwards the
// events. If streams do not work, the page polls. It reads nothing while it is paused or hidden.

import {page, refresh, refreshData} from '../base/frames.js';
import {resolveNotice, showNotice} from '../base/notices.js';
import {clockTime} from '../model/range.js';
import {choose, settings} from '../model/settings.js';
import {Unreadable, applyTick, loadSnapshot, store} from '../model/store.js';
import {drawLink} from './link.js';
import {isFile, isIdle, isLive, live} from './live.js';
import {request, url} from './server.js';

// The name of the channel and of the lock that the tabs share.
const CHANNEL = 'axiom' + location.pathname;
// After so many broken streams in a row the page polls.
const BROKEN_STREAMS = 3;

// The open stream, if this tab reads it.
let source = null;
// The channel on which the tab that reads the stream forwards its events.
let channel = null;
// Gives the lock back, if this tab holds it.
let releaseLock = null;
let timer = 0;
// The request in flight. There is one at a time.
let asking = null;

// A change of the mode changes the headline and the title, too.
function enterMode(mode, reason = '') {
    const hasChanged = mode !== live.mode;
    live.mode = mode;
    live.reason = reason;
    drawLink();
    if (hasChanged && page.hasStarted) refresh();
}

export async function connect() {
    clearTimeout(timer);
    if (isIdle()) return;
    const answer = synchronize();
    if (!channel) {
        channel = new BroadcastChannel(CHANNEL);
        channel.onmessage = ({data}) => receive(data);
    }
    await answer;
}

// Also abandons a request in flight: its response is ignored.
export function disconnect(mode) {
    clearTimeout(timer);
    source?.close();
    channel?.close();
    releaseLock?.();
    source = null;
    channel = null;
    releaseLock = null;
    asking = null;
    enterMode(mode);
}

// A file has nothing to pause.
export function pauseIfLive() {
    if (!isFile()) togglePause();
}

export function togglePause() {
    choose({paused: 1 - settings.paused});
    if (settings.paused) disconnect('paused');
    else connect();
}

// Requests the missed ticks, or a snapshot, and then opens the stream. Messages that arrive before the response do not
// delay it.
export async function synchronize(needsSnapshot = false) {
    if (asking) return;
    const mine = {};
    asking = mine;
    try {
        const answer = await requestUpdate(needsSnapshot);
        if (!answer.ok) throw Error(`the server answered ${answer.status}`);
        const data = await answer.json();
        if (mine !== asking) return;
        if (!loadUpdate(data)) {
            asking = null;
            await synchronize(true);
            return;
        }
        haveSynchronized();
    } catch (error) {
        if (mine !== asking) return;
        if (error instanceof Unreadable || error instanceof SyntaxError) refuse(error);
        live.brokenStreams = 0;
        lose(/^T/.test(error.name) ? 'no answer' : error.message);
    }
    asking = null;
}

// The first request of a page is already on its way: see request.js.
function requestUpdate(needsSnapshot) {
    const {first} = window;
    window.first = null;
    return first || request('api/snapshot', needsSnapshot || !store.receivedAt ? {} : position());
}

const position = () => ({since: store.seq, instance: store.instance});

// Returns false if the data does not continue what the page has.
function loadUpdate(data) {
    if (data.schema === 'axiom/ticks') return data.instance === store.instance && data.ticks.every(applyTick);
    loadSnapshot(data);
    return true;
}

function haveSynchronized() {
    live.attempt = 0;
    live.endedAt = 0;
    enterMode(live.brokenStreams >= BROKEN_STREAMS ? 'polling' : 'live');
    accept();
    openStream();
}

// Draws new data.
function accept() {
    resolveNotice('payload');
    refreshData(settings.rate);
}

// Only the tab that holds the lock opens the stream. Another tab gets the lock when that tab is closed, hidden or
// paused. Without support for locks each tab opens a stream.
function openStream() {
    if (source || !channel || live.brokenStreams >= BROKEN_STREAMS) return;
    if (releaseLock || !navigator.locks) readStream();
    else if (!channel.waits) waitForLock(channel);
}

function waitForLock(mine) {
    mine.waits = true;
    navigator.locks.request(CHANNEL, () => {
        if (mine !== channel) return undefined;
        return new Promise((release) => {
            releaseLock = release;
            readStream();
        });
    });
}

function readStream() {
    source = new EventSource(url('api/stream', position()));
    for (const kind of ['tick', 'reset', 'end']) {
        source.addEventListener(kind, ({data}) => {
            const message = {kind, data, instance: store.instance};
            channel?.postMessage(message);
            receive(message);
        });
    }
    source.onerror = () => {
        live.brokenStreams++;
        lose('the stream broke');
    };
}

// Handles an event, from the stream or from the tab that reads it.
function receive({kind, data, instance}) {
    try {
        const body = JSON.parse(data);
        live.brokenStreams = 0;
        if (kind === 'end') {
            live.endedAt = body.at || store.at;
            lose();
        } else if (kind === 'reset' || instance !== store.instance) synchronize(true);
        else if (!applyTick(body)) synchronize(body.at < store.at);
        else {
            if (live.mode !== 'live') enterMode('live');
            accept();
        }
    } catch (error) {
        refuse(error);
    }
}

// Keeps the data, and reconnects after 1, 2, 4, 8 and then every 10 seconds.
function lose(reason) {
    const wait = 1000 * Math.min(10, 2 ** live.attempt);
    live.attempt++;
    source?.close();
    source = null;
    live.retryAt = performance.now() + wait;
    clearTimeout(timer);
    timer = setTimeout(connect, wait);
    enterMode(live.endedAt ? 'ended' : 'lost', reason);
}

// Runs once a second: polls if the stream is silent, and updates countdowns.
export function watch() {
    if (isIdle()) return;
    const silence = (performance.now() - store.receivedAt) / store.tick;
    if (live.mode === 'live' && silence > 3000) live.brokenStreams = BROKEN_STREAMS;
    const longestSilence = live.brokenStreams >= BROKEN_STREAMS ? 900 : 3000;
    if (isLive() && silence > longestSilence) synchronize();
    drawLink();
    for (const card of document.querySelectorAll('article')) card.drawTimes();
}

// Shows that the data cannot be read, and keeps the last good data.
function refuse(error) {
    const last = store.at ? clockTime(store.at) : 'none';
    const text = `The data from the process cannot be read: ${error.message}. Last good data: ${last}.`;
    showNotice('payload', 'bad', text);
}
