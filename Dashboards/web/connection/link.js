// SPDX-License-Identifier: Apache-2.0
// The state of the connection and the age of the data, at the top of the page.

import {byId, setText} from '../base/dom.js';
import {joined} from '../base/format.js';
import {showState} from '../base/states.js';
import {zoneName} from '../base/time.js';
import {clockTime} from '../model/range.js';
import {store} from '../model/store.js';
import {isDown, live} from './live.js';

export function drawLink() {
    const time = store.at && `${clockTime(live.endedAt || store.at)} ${zoneName(store.at)}`;
    showState(byId('pill'), live.mode);
    setText(byId('age'), joined(time, isDown() && live.reason, isDown() && retryText()));
    document.documentElement.classList.toggle('stale', isDown());
}

function retryText() {
    const left = Math.ceil((live.retryAt - performance.now()) / 1000);
    return `trying again ${left > 0 ? `in ${left} s` : 'now'}`;
}
