// SPDX-License-Identifier: Apache-2.0
// Circuit breakers: the state of each, its reason and duration, and the next transition.

import {factList, html, idOf, updateChildren} from '../base/dom.js';
import {plural, rate} from '../base/format.js';
import {kindOf} from '../base/states.js';
import {makeLineChart} from '../charts/line.js';
import {stateOfCircuit} from '../charts/strip.js';
import {chosenComponent, isOfChosen} from '../model/components.js';
import {shownRing} from '../model/range.js';
import {rowsOf, store} from '../model/store.js';
import {factsOf, panel, tableOfList} from '../page/panel.js';
import {makeCircuitCard} from './circuit-card.js';

const MOST_CARDS = 60;
// The kinds of states, the worst first.
const KINDS = ['bad', 'warn', 'info', 'good', 'idle'];

const rankOf = (circuit) => KINDS.indexOf(kindOf(stateOfCircuit(circuit)));

panel('circuits', 'Circuits', {view: 'errors', table: tableOfList('circuits'), isEmpty}, (body) => {
    const cards = html('div.cards', {id: 'cards'});
    const chart = makeLineChart('Rejections', rate, ['rejected']);
    const policies = factList();
    // These are of the whole process.
    const common = html('div.split', html('div', html('h3', 'Retry budgets and limits'), policies), chart);
    body.append(cards, common);
    return () => {
        const circuits = rowsOf('circuits').filter(isOfChosen);
        updateChildren(cards, shownCircuits(circuits), makeCircuitCard, (card, circuit) => card.draw(circuit), idOf);
        common.hidden = Boolean(chosenComponent());
        policies.draw(factsOf('policies'));
        chart.draw(shownRing());
        return noteOf(circuits.length);
    };
});

// The whole process may have retry budgets without circuits.
function isEmpty(component) {
    return !rowsOf('circuits').some(isOfChosen) && Boolean(component || !store.policies.size);
}

// The worst are chosen, and shown by name, so that a card stays where it is.
const shownCircuits = (circuits) =>
    circuits
        .sort((left, right) => rankOf(left) - rankOf(right) || left.id - right.id)
        .slice(0, MOST_CARDS)
        .sort((left, right) => left.name.localeCompare(right.name) || left.id - right.id);

function noteOf(size) {
    if (!size) return 'No circuit breakers';
    return plural(size, 'breaker') + (size > MOST_CARDS ? `, the ${MOST_CARDS} worst shown` : '');
}
