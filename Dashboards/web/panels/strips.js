// SPDX-License-Identifier: Apache-2.0
// The circuit breakers that were open, or would have been, as strips of their states: a short list of the first view.

import {html, idOf, setText, update, updateChildren} from '../base/dom.js';
import {duration, joined} from '../base/format.js';
import {kindOf, wordOf} from '../base/states.js';
import {makeStrip, stateOfCircuit, statesOf} from '../charts/strip.js';
import {keyOfID} from '../model/components.js';
import {shownSeconds} from '../model/range.js';
import {address} from '../model/settings.js';
import {rowsOf, store} from '../model/store.js';
import {panel} from '../page/panel.js';

const MOST = 5;

const openingsOf = (circuit) => statesOf(circuit).filter(({state}) => state === 'open').length;

// Those that opened most often come first.
const shownCircuits = () =>
    rowsOf('circuits')
        .filter((circuit) => statesOf(circuit).some(({state}) => ['bad', 'warn'].includes(kindOf(state))))
        .sort((left, right) => openingsOf(right) - openingsOf(left) || left.id - right.id)
        .slice(0, MOST);

const isEmpty = () => !shownCircuits().length;

const options = {view: 'health', list: 'circuits', isOfComponent: false, isOfRange: true, isEmpty};

panel('strips', 'Circuit states', options, (body) => {
    const list = html('ul.strips');
    body.append(list);
    return () => {
        updateChildren(list, shownCircuits(), makeLine, drawLine, idOf);
    };
});

const makeLine = () => html('li', html('a', {dir: 'auto'}), makeStrip(), html('span.note'));

function drawLine(item, circuit) {
    const [link, strip, words] = item.children;
    const {name, component, since} = circuit;
    const openings = openingsOf(circuit);
    update(link, {text: name, href: address({panel: 'circuits', sel: keyOfID(component)})});
    strip.draw(circuit);
    const state = `${wordOf(stateOfCircuit(circuit))} for ${duration(store.at - since)}`;
    // The process forgets older transitions: the number is that of the known part of the strip.
    const known = (1 - statesOf(circuit)[0].begin) * shownSeconds();
    const often = openings === 1 ? 'once' : openings + ' times';
    setText(words, joined(state, openings && `opened ${often} in ${duration(known)}`));
}
