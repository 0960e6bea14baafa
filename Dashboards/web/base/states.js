// SPDX-License-Identifier: Apache-2.0
// The states of the protocol, each with icon, colour and word: never colour alone.

import {update} from './dom.js';
import {textOf} from './format.js';

export const ICONS = {
    good: '✓',
    warn: '▲',
    bad: '✕',
    idle: '–',
    info: '●',
};

// The states of each kind, and the words of those that have another one than their name.
const STATES = {
    good: 'full live polling met ok closed success',
    warn: 'limited minimal half-open would warning rejected',
    bad: 'off lost ended violated regressed severe open forced-open error critical failure',
    info: 'static paused shadow info notice worth',
    idle: 'hidden unmeasured unbuilt unavailable insufficient default',
};
const WORDS = {
    polling: 'live by polling',
    would: 'would be open',
    off: 'unavailable',
    lost: 'connection lost',
    ended: 'process ended',
    violated: 'missed',
    'forced-open': 'forced open',
    static: 'static export',
    worth: 'observation',
    hidden: 'asleep',
    unmeasured: 'not measured yet',
    unbuilt: 'not built',
    unavailable: '–',
    insufficient: 'too little data',
    default: 'no limit set',
};

const kinds = new Map();
for (const [kind, names] of Object.entries(STATES)) {
    for (const name of names.split(' ')) kinds.set(name, kind);
}

export const kindOf = (name) => kinds.get(name) || 'idle';
export const wordOf = (name) => (kinds.has(name) && WORDS[name]) || textOf(name);

// Shows a state.
export const showState = (node, name) => showKind(node, kindOf(name), wordOf(name));

// Shows a text as a state of this kind.
export const showKind = (node, kind, text) =>
    update(node, {class: 'badge ' + kind, text: `${ICONS[kind] || '●'}\u2002${text}`});
