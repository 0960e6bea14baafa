// SPDX-License-Identifier: Apache-2.0
// The problems. The process finds them; each has a text and a link to its panel. A problem that follows from another
// one is a symptom: it is not counted, and is listed below its cause when that is unfolded. An observation is no
// problem: it is counted apart, and only while it lasts.

import {keyOfID} from './components.js';
import {shownBegin, shownEnd} from './range.js';
import {address} from './settings.js';
import {rowsOf, store} from './store.js';

// The kinds, the worst first.
const KINDS = ['bad', 'warn', 'note'];

export const isObservation = ({kind}) => kind === 'note';

export const isSymptom = ({cause}) => cause != null && store.problems.has(cause);

// Current problems and observations, the most severe first and then in the order in which they began, so that none
// moves while it lasts. Then problems that ended in the shown range and have not come back, the latest first.
export const listedProblems = () =>
    rowsOf('problems')
        .filter((problem) => !isSymptom(problem) && (!problem.ended || endedInRange(problem)))
        .sort(compareProblems);

const endedInRange = ({later, ended, since, kind}) =>
    kind !== 'note' && later == null && ended >= shownBegin() && since <= shownEnd();

function compareProblems(left, right) {
    const byEnded = Boolean(left.ended) - Boolean(right.ended);
    const byKind = KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind);
    const byTime = left.ended ? right.ended - left.ended : byKind;
    return byEnded || byTime || (left.since || 0) - (right.since || 0) || left.id - right.id;
}

// The current symptoms of a problem, and those that one reads, in the order in which they began.
export const symptomsOf = ({id}, read = []) =>
    rowsOf('problems')
        .filter((problem) => problem.cause === id && (!problem.ended || read.includes(problem)))
        .sort((left, right) => left.since - right.since || left.id - right.id);

// The address of what shows more about a problem; of a cause, the page of the component.
export function problemAddress({panel, component}) {
    const sel = keyOfID(component);
    return address({panel: sel && panel === 'components' ? 'detail' : panel, sel});
}
