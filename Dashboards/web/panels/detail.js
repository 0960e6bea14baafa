// SPDX-License-Identifier: Apache-2.0
// The chosen component: its numbers, its actions, who calls it, and whom it calls.

import {factList, html, setText, updateChildren} from '../base/dom.js';
import {count, joined, seconds, sum} from '../base/format.js';
import {wordOf} from '../base/states.js';
import {makeMeter} from '../charts/marks.js';
import {chosenComponent, nameOf} from '../model/components.js';
import {rowsOf, store} from '../model/store.js';
import {panel} from '../page/panel.js';
import {column} from '../table/columns.js';
import {makeTable} from '../table/table.js';
import {makeActionMenu} from './actions.js';
import {componentColumns} from './components.js';

const CALL_COLUMNS = [
    column('action'),
    column('rate', '', 'rate'),
    column('errorRatio', 'Failing', 'share'),
    column('p50', 'p50', 'seconds'),
    column('p90', 'p90', 'seconds'),
    column('p99', 'p99', 'seconds'),
    column('inFlight', 'In flight', 'count'),
    column('success', '', 'count'),
    column('failure', '', 'count'),
    column('cancelled', '', 'count'),
    column('rejected', '', 'count'),
];
const EDGE_COLUMNS = [
    column('name', 'Component'),
    column('rate', '', 'rate'),
    column('errorRatio', 'Failing', 'share'),
    column('calls', '', 'count'),
    column('errors', '', 'count'),
];

// The keys of the columns of components that are shown as facts.
const FIRST_FACTS = ['rate', 'errorRatio', 'p50', 'p90', 'p99', 'inFlight', 'budget'];
const INSTANCE_FACTS = [
    'live',
    'created',
    'ended',
    'leaks',
    'restarts',
    'lifetime.p50',
    'lifetime.p95',
    'lifetime.max',
];

const calls = makeTable('calls', 'Actions', CALL_COLUMNS, {sort: 'action'});
const callers = makeEdgeTable('from', 'Called by');
const callees = makeEdgeTable('to', 'Calls');

function makeEdgeTable(end, title) {
    return makeTable('edges-' + end, title, EDGE_COLUMNS, {sort: 'name', hasChoice: true});
}

const options = {view: 'components', isAlone: true, list: 'calls', table: calls.content};

panel('detail', 'Component', options, (body, tools, {heading}) => {
    const actionMenu = makeActionMenu();
    const inForce = html('p.warn');
    const firstFacts = factList('big');
    const instanceFacts = factList();
    const lifetimeBars = html('div');
    const lifetimes = html('div', html('h3', 'Lifetimes of ended instances'), lifetimeBars);
    tools.append(actionMenu);
    body.append(
        inForce,
        firstFacts,
        calls.buildTitled(),
        html('div.split', callers.buildTitled(), callees.buildTitled()),
        html('div.split', html('div', html('h3', 'Instances'), instanceFacts), lifetimes),
    );
    return () => {
        const component = chosenComponent();
        if (!component) return '';
        setText(heading, component.name);
        actionMenu.draw(component);
        setText(inForce, textOfActionsInForce(component));
        firstFacts.draw(factsOf(component, FIRST_FACTS));
        instanceFacts.draw(factsOf(component, INSTANCE_FACTS));
        calls.draw(rowsOf('calls').filter((call) => call.component === component.id));
        callers.draw(edgeRows(component, 'to', 'from'));
        callees.draw(edgeRows(component, 'from', 'to'));
        drawLifetimes(lifetimes, lifetimeBars, component);
        return joined(component.kind, component.module);
    };
});

// What developers do to the component: each is a problem of this panel.
const textOfActionsInForce = ({id}) =>
    rowsOf('problems')
        .filter((problem) => problem.panel === 'detail' && problem.component === id && !problem.ended)
        .map(({text}) => '▲ ' + text)
        .join('\n');

const factsOf = (component, keys) =>
    keys.map((key) => {
        const {title, value, show = wordOf} = componentColumns.find((candidate) => candidate.key === key);
        return [title, show(value(component))];
    });

// The edges that have the component at one end, as rows of the components at the other end.
const edgeRows = (component, end, otherEnd) =>
    rowsOf('edges')
        .filter((edge) => edge[end] === component.id && store.components.has(edge[otherEnd]))
        .map((edge) => {
            const {kind} = store.components.get(edge[otherEnd]);
            return {...edge, kind, name: nameOf(edge[otherEnd])};
        });

function drawLifetimes(section, bars, {lifetime}) {
    const counts = lifetime?.counts || [];
    const bounds = store.bounds.lifetime || [];
    const most = Math.max(1, ...counts);
    const labelOf = (index) => (index < bounds.length ? '≤ ' + seconds(bounds[index]) : 'longer');
    const drawBar = (bar, number, index) => bar.draw(number / most, null, count(number), labelOf(index));
    section.hidden = !sum(counts);
    updateChildren(bars, counts, () => makeMeter(''), drawBar);
}
