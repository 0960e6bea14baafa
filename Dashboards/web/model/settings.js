// SPDX-License-Identifier: Apache-2.0
// The settings of the user. They are kept in the URL, so that a link shows what the sender saw.

import {refresh} from '../base/frames.js';
import {isoTime} from '../base/time.js';

// The settings with their names in the URL, and their values where the URL does not have them.
const DEFAULTS = {
    range: 300, // The shown seconds of a range that follows the process.
    rate: 1, // The seconds between two drawings.
    theme: 'auto',
    density: 'compact',
    paused: 0,
    keys: 1, // Whether single keys are shortcuts.
    tab: '', // The view, if the panel does not say it; without one it is that of the health.
    panel: '',
    q: '', // The filter of the components.
    cols: '', // The columns that are shown or hidden other than by default.
    sel: '', // The chosen component.
    trace: '',
    span: '', // The chosen span of the trace.
    act: '', // The filter of the actions.
    outcome: '',
    min: 0, // The least duration of the shown actions, in milliseconds.
    ev: '', // The kind of the shown events.
    whole: 0, // Whether tables show whole texts.
    unmeasured: 0, // Whether budgets without measurements are shown.
    from: '', // The ends of a fixed range.
    to: '',
};

// The ranges that follow the process, in words.
export const RANGES = {60: 'minute', 300: '5 minutes', 900: '15 minutes', 86400: '24 hours'};

// A fixed range in seconds: the longest that is kept, and the shortest that shows something.
const LONGEST_RANGE = 172800;
const SHORTEST_RANGE = 10;

export const settings = {};

// The moments [from, to] of a fixed range; null if the charts follow the process.
export let fixedRange = null;

// The functions that show the settings in their controls.
const followers = [];
export const onSettings = (follower) => followers.push(follower);
export function showSettings() {
    for (const follower of followers) follower();
}

export function readAddress() {
    for (const key in settings) delete settings[key];
    take({...DEFAULTS, ...Object.fromEntries(new URLSearchParams(location.hash.slice(1)))});
}

function take(change) {
    for (const key in change) {
        settings[key] = typeof DEFAULTS[key] === 'number' ? Number(change[key]) : change[key];
    }
    const from = readTime(settings.from);
    const to = readTime(settings.to);
    fixedRange = to > from ? [Math.max(from, to - LONGEST_RANGE), to] : null;
    if (!fixedRange) {
        settings.from = '';
        settings.to = '';
    }
    if (!RANGES[settings.range]) settings.range = 300;
    if (!(settings.rate >= 0)) settings.rate = 1;
    if (!(settings.min >= 0)) settings.min = 0;
}

// In a link that was written by hand, the + of an offset is a space.
const readTime = (text) => Date.parse(text.replace(' ', '+')) / 1000;

// The URL of this page with changed settings. A link leaves the trace, unless it names one.
export function address(change) {
    const changed = {...settings, ...(change && {trace: '', span: ''}), ...change};
    const entries = Object.entries(changed).filter(([key, value]) => value !== DEFAULTS[key]);
    return '#' + new URLSearchParams(entries);
}

// Changes settings and redraws. A chosen range follows the process.
export function choose(change) {
    take(change.range ? {...change, from: '', to: ''} : change);
    history.replaceState(history.state, '', address());
    refresh();
}

// Makes another address of this page the current one. Back returns to this one, scrolled as it was.
export function pushAddress(hash) {
    history.replaceState({y: window.scrollY}, '');
    history.pushState(null, '', hash);
}

// Shows the time between two moments, or without them the latest time. Back returns to the range before.
export function showRange(from, to) {
    const end = Math.max(to, from + SHORTEST_RANGE);
    pushAddress(address(from ? {from: isoTime(from), to: isoTime(end)} : {from: '', to: ''}));
    readAddress();
    refresh();
}
