// SPDX-License-Identifier: Apache-2.0
// The states of a circuit breaker over the shown time, as a strip of their colours.

import {svg, update, updateChildren} from '../base/dom.js';
import {kindOf, wordOf} from '../base/states.js';
import {placeOf} from '../model/range.js';
import {store} from '../model/store.js';
import {makeDrawing} from './marks.js';

export function stateOfCircuit({shadow, wouldBeOpen, state}) {
    if (!shadow) return state;
    return wouldBeOpen ? 'would' : 'shadow';
}

// The process forgets older transitions of a breaker.
const MOST_TRANSITIONS = 20;

// The parts of the strip: each transition ends one. What was before is unknown if some are forgotten.
export function statesOf(circuit) {
    const {since, transitions = []} = circuit;
    const changes = [...transitions, {at: Infinity, from: stateOfCircuit(circuit)}];
    const isWhole = transitions.length && transitions.length < MOST_TRANSITIONS;
    const first = isWhole ? store.app.startedAt : (transitions[0]?.at ?? since);
    return changes
        .map(({at, from}, index) => {
            const begin = placeOf(index ? changes[index - 1].at : first || 0);
            return {state: from, begin, size: placeOf(at) - begin};
        })
        .filter(({size}) => size > 0);
}

export function makeStrip() {
    const strip = makeDrawing(1, 8);
    const makePart = () => svg('rect', {height: 8}, svg('title'));
    const drawPart = (part, {state, begin, size}) => {
        update(part, {x: begin, width: size, class: kindOf(state)});
        update(part.firstChild, {text: wordOf(state)});
    };
    update(strip, {class: 'strip'});
    strip.draw = (circuit) => updateChildren(strip, statesOf(circuit), makePart, drawPart);
    return strip;
}
