// SPDX-License-Identifier: Apache-2.0
// The states of the protocol, each with icon, colour and word: never colour alone.

import {update} from './dom.js';
import {textOf} from './format.js';

const ICONS = {
    good: '✓',
    warn: '▲',
    bad: '✕',
    idle: '–',
    info: '●',
};

// The word for each state, by its kind.
const WORDS_BY_KIND = {
    good: {
        full: 'full',
        live: 'live',
        polling: 'live by polling',
        met: 'met',
        ok: 'ok',
        closed: 'closed',
        success: 'success',
    },
    warn: {
        limited: 'limited',
        minimal: 'minimal',
        'half-open': 'half-open',
        would: 'would be open',
        warning: 'warning',
        rejected: 'rejected',
    },
    bad: {
        off: 'unavailable',
        lost: 'connection lost',
        ended: 'process ended',
        violated: 'missed',
        regressed: 'regressed',
        severe: 'severe',
        open: 'open',
        'forced-open': 'forced open',
        error: 'error',
        critical: 'critical',
        failure: 'failure',
    },
    info: {
        static: 'static export',
        paused: 'paused',
        shadow: 'shadow',
        info: 'info',
        notice: 'notice',
        worth: 'observation',
    },
    idle: {
        hidden: 'asleep',
        unmeasured: 'not measured yet',
        unbuilt: 'not built',
        unavailable: '–',
        default: 'no limit set',
        insufficient: 'too little data',
    },
};

const states = new Map();
for (const [kind, words] of Object.entries(WORDS_BY_KIND)) {
    for (const [name, word] of Object.entries(words)) states.set(name, {kind, word});
}

const stateOf = (name) => states.get(name) || {kind: 'idle', word: textOf(name)};
export const kindOf = (name) => stateOf(name).kind;
export const wordOf = (name) => stateOf(name).word;

// Shows a state.
export const showState = (node, name) => showKind(node, kindOf(name), wordOf(name));

// Shows a text as a state of this kind.
export const showKind = (node, kind, text) =>
    update(node, {class: 'badge ' + kind, text: `${ICONS[kind] || '●'}\u2002${text}`});
