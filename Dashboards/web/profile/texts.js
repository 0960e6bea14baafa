// SPDX-License-Identifier: Apache-2.0
// The texts of nodes and of a profile.

import {bytes, joined, plural, seconds, share} from '../base/format.js';
import {clockTime} from '../model/range.js';
import {changeOf, errorOf, estimate} from './statistics.js';

// The measures by their keys: their titles, and their formats.
export const MEASURES = {
    time: ['Processor and waiting', seconds],
    processor: ['Processor', seconds],
    waiting: ['Waiting', seconds],
    allocated: ['Allocated', bytes],
    live: ['Live memory', bytes],
};

const KIND_SIGNS = {
    context: '◧',
    client: '◆',
    capability: '●',
    request: '▷',
    work: '▪',
    wait: '◷',
    missing: '?',
    outside: '○',
};

// What precedes the name of a frame. A guess and a gap have the same sign.
const signOf = ({kind, guessed}) => (guessed ? '?' : KIND_SIGNS[kind] || '');

export const labelOf = (frame) => [signOf(frame), frame.name].filter(Boolean).join(' ');

const percent = (value) => share(Math.round(value * 1000) / 1000);

// A share with its error, if that is known: '62 % ± 8 %'.
export function shareText(part, all, measure) {
    const it = estimate(part, all, measure);
    const error = errorOf(it);
    return share(it.share) + (part.value > 0 && error > 0.0005 ? ` ± ${percent(error)}` : '');
}

export const changeText = (change) => (change > 0 ? '+' : '−') + percent(Math.abs(change));

// How the share of a node of all changed, with the mark of a change beyond the errors of both.
export function comparisonText(node, root, measure) {
    const before = estimate(node.before, root.before, measure);
    const now = estimate(node.now, root.now, measure);
    const change = now.share - before.share;
    const word = change > 0 ? 'grew' : 'shrank';
    const size = percent(Math.abs(change));
    const verdict = changeOf(before, now) ? `${word} by ${size} of all` : 'no change beyond the error';
    return `before ${shareText(node.before, root.before, measure)}, ${verdict}`;
}

// All that is known of a node beside its name.
export function factsOf(node, root, view) {
    const {frame, now} = node;
    const {module, file, line, kind, guessed} = frame;
    const [, format] = MEASURES[view.measure];
    return joined(
        guessed ? 'probable caller' : kind !== 'all' && kind,
        module,
        file && file.split('/').at(-1) + (line ? ':' + line : ''),
        format(now.value),
        `${shareText(now, root.now, view.measure)} of all`,
        now.own.value > 0 && node.list.length > 0 && `${format(now.own.value)} by itself`,
        now.samples > 0 && plural(now.samples, 'sample'),
        view.isCompared && node !== root && comparisonText(node, root, view.measure),
    );
}

const rangeOf = ({start, end}) => `${clockTime(start)} to ${clockTime(end)}`;

// What was sampled, and what is not known. `before` is the profile to compare with, if there is one; `root` is that of
// the tree of both.
export function summaryOf(now, before, root) {
    const {samples, outside, lost, rate, waitsSince, lostAllocated, lostLive, unsampled, ended} = now;
    return joined(
        `${plural(samples, 'sample')} from ${rangeOf(now)}`,
        rate > 0 && `${rate} samples per second of processor time`,
        samples > 0 && `${share(outside / samples)} outside of actions`,
        lost > 0 && `${lost} lost`,
        lostAllocated > 0 && `${plural(lostAllocated, 'sample')} of allocations lost`,
        lostLive > 0 && `${plural(lostLive, 'live block')} lost`,
        unsampled > 0 && `${plural(unsampled, 'thread')} not sampled`,
        ended && `the sampling ended: ${ended}`,
        waitsSince && `waits before ${clockTime(waitsSince)} are not known`,
        before && `compared with ${rangeOf(before)}`,
        before && !root.before.samples && 'nothing was sampled before',
    );
}
