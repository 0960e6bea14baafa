// SPDX-License-Identifier: Apache-2.0
// The state of the connection to the process.

import {settings} from '../model/settings.js';
import {store} from '../model/store.js';

export const live = {
    // 'connecting', 'live', 'polling', 'lost', 'ended', 'paused' or 'hidden'; 'static' for a file.
    mode: 'connecting',
    // Why the connection was lost.
    reason: '',
    // The number of attempts to connect since it was lost, and when the next one is.
    attempt: 0,
    retryAt: 0,
    // The number of streams in a row that broke.
    brokenStreams: 0,
    // When the process ended.
    endedAt: 0,
};

export const isFile = () => live.mode === 'static';
export const isDown = () => ['lost', 'ended'].includes(live.mode);
// Whether the page reads nothing.
export const isIdle = () => isFile() || settings.paused || document.hidden;
export const isLive = () => ['live', 'polling'].includes(live.mode) && !isIdle();

// The current time of the process: that of the last tick plus the time since it arrived.
export function now() {
    if (['static', 'paused', 'ended'].includes(live.mode)) return store.at;
    return store.at + (performance.now() - store.receivedAt) / 1000;
}
