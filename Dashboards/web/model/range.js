// SPDX-License-Identifier: Apache-2.0
// The range of time that the page shows.

import {localTime} from '../base/time.js';
import {fixedRange, settings, showRange} from './settings.js';
import {FINE_STEPS, store} from './store.js';

// The shown seconds: the chosen range, or all that is known if that is less.
export function shownSeconds() {
    if (fixedRange) return fixedRange[1] - fixedRange[0];
    const {fine, coarse} = store.history;
    return Math.min(settings.range, Math.max(60, store.at - Math.min(fine.start, coarse.start)));
}

export const shownEnd = () => (fixedRange ? fixedRange[1] : store.at);
export const shownBegin = () => shownEnd() - shownSeconds();
// The moment at a share of the shown range.
export const momentAt = (position) => shownBegin() + position * shownSeconds();

// The place of a moment in the shown range: 0 at its begin or before, 1 at its end or after.
export const placeOf = (moment) => Math.max(0, Math.min(1, (moment - shownBegin()) / shownSeconds()));

// The ring that covers the shown range, of the process or of another owner of rings.
export function shownRing({fine, coarse} = store.history) {
    const needsCoarse = shownBegin() < store.at - FINE_STEPS;
    return (needsCoarse && coarse) || fine;
}

// Shows a part of the shown range, or more: both ends are shares of it.
export const zoom = (from, to) => showRange(momentAt(from), momentAt(to));

// The local time of a moment. Leaves out the date if it is that of the data.
export const clockTime = (moment, size) => localTime(moment, size).replace(localTime(store.at).slice(0, 11), '');

// Whether what begins and ends at these moments belongs to a chosen range. Without one, everything does.
export const isInRange = (begin, end = begin) => !fixedRange || (begin <= fixedRange[1] && end >= fixedRange[0]);
