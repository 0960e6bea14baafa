// SPDX-License-Identifier: Apache-2.0
// The chosen component: its numbers, its actions, who calls it, and whom it calls.

import {factList, html, setText} from '../base/dom.js';
import {joined} from '../base/format.js';
import {wordOf} from '../base/states.js';
import {chosenComponent, nameOf} from '../model/components.js';
import {rowsOf, store} from '../model/store.js';
import {panel} from '../page/panel.js';
import {column} from '../table/columns.js';
import {makeTable} from '../table/table.js';
import {makeActionMenu} from './actions.js';
import {componentColumns, failingColumn, instanceColumns, nameColumn} from './components.js';

const CALL_COLUMNS = [
    column('action'),
    column('rate', '', 'rate'),
    failingColumn,
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
    nameColumn,
    failingColumn,
    column('rate', '', 'rate'),
    column('calls', '', 'count'),
    column('errors', '', 'count'),
];

// The columns of components that are shown as facts.
const FIRST_KEYS = ['errorRatio', 'p99', 'p50', 'p90', 'rate', 'budget', 'inFlight'];
const FIRST_FACTS = componentColumns.filter(({key}) => FIRST_KEYS.includes(key));

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
    tools.append(actionMenu);
    body.append(
        inForce,
        firstFacts,
        calls.buildTitled(),
        html('div.split', callers.buildTitled(), callees.buildTitled()),
        html('h3', 'Instances'),
        instanceFacts,
    );
    return () => {
        const component = chosenComponent();
        if (!component) return '';
        setText(heading, component.name);
        actionMenu.draw(component);
        setText(inForce, textOfActionsInForce(component));
        firstFacts.draw(factsOf(component, FIRST_FACTS));
        instanceFacts.draw(factsOf(component, instanceColumns));
        calls.draw(rowsOf('calls').filter((call) => call.component === component.id));
        callers.draw(edgeRows(component, 'to', 'from'));
        callees.draw(edgeRows(component, 'from', 'to'));
        return joined(component.kind, component.module);
    };
});

// What developers do to the component: each is a problem of this panel.
const textOfActionsInForce = ({id}) =>
    rowsOf('problems')
        .filter((problem) => problem.panel === 'detail' && problem.component === id && !problem.ended)
        .map(({text}) => '▲ ' + text)
        .join('\n');

const factsOf = (component, columns) =>
    columns.map(({title, value, show = wordOf}) => [title, show(value(component))]);

// The edges that have the component at one end, as rows of the components at the other end.
const edgeRows = (component, end, otherEnd) =>
    rowsOf('edges')
        .filter((edge) => edge[end] === component.id && store.components.has(edge[otherEnd]))
        .map((edge) => {
            const {kind} = store.components.get(edge[otherEnd]);
            return {...edge, kind, name: nameOf(edge[otherEnd])};
        });
