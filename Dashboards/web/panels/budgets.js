// SPDX-License-Identifier: Apache-2.0
// Performance budgets: limits, measurements, and burn rates.

import {html} from '../base/dom.js';
import {rate} from '../base/format.js';
import {wordOf} from '../base/states.js';
import {makeLineChart} from '../charts/line.js';
import {chosenComponent, isOfChosen} from '../model/components.js';
import {shownRing} from '../model/range.js';
import {settings} from '../model/settings.js';
import {rowsOf} from '../model/store.js';
import {actionAddress} from '../model/traces.js';
import {toggle} from '../page/controls.js';
import {panel} from '../page/panel.js';
import {column} from '../table/columns.js';
import {makeTable} from '../table/table.js';

// p99 as a multiple of the limit: below 1 it is within the limit.
const p99OfLimit = ({p99, limit}) => (p99 == null ? null : p99 / limit);
const overShare = ({within}) => (within == null ? null : 1 - within);
const allowedShare = ({objective}) => (objective == null ? null : 1 - objective);
// A budget without measurements shows n/a: a zero would look like success.
const missedChecks = ({checks, violations}) => (checks > 0 ? violations : null);

const BUDGET_COLUMNS = [
    column('name', 'Budget'),
    column('status', 'Verdict', 'state'),
    column('limit', '', 'unit'),
    column('p99', 'p99', 'unit'),
    column('p99OfLimit', 'Of limit', 'ofLimit', {value: p99OfLimit}),
    column('over', '', 'share', {value: overShare}),
    column('allowed', '', 'share', {value: allowedShare}),
    column('burn.5m', 'Burn 5m', 'times'),
    column('burn.1h', 'Burn 1h', 'times'),
    column('burn.6h', 'Burn 6h', 'times'),
    column('missed', '', 'count', {value: missedChecks}),
    column('spark', '5 min', 'spark'),
    column('note'),
];
const WORST_COLUMNS = [
    column('budget'),
    column('call', 'Where'),
    column('value', 'Seen', 'unit'),
    column('ofLimit', 'Of limit', 'times', {value: ({value, limit}) => value / limit}),
    column('at', 'When', 'time'),
];
const STATUSES = ['met', 'violated', 'unmeasured'];

const budgetTable = makeTable('budgets', 'Performance budgets', BUDGET_COLUMNS, {
    sort: '-status',
});
const worstTable = makeTable('worst', 'Worst offenders', WORST_COLUMNS, {
    sort: '-ofLimit',
    linked: 'call',
    target: (row) => actionAddress(row, row.action, row.unit === 'seconds' && row.value),
});

panel('budgets', 'Budgets', {view: 'latency', table: budgetTable.content, isEmpty}, (body, tools) => {
    const chart = makeLineChart('Violations', rate, ['violations']);
    tools.prepend(toggle('Not measured', 'unmeasured'));
    body.append(budgetTable.build(), html('div.split', worstTable.buildTitled(), chart));
    return () => {
        const budgets = rowsOf('budgets');
        const component = chosenComponent();
        budgetTable.draw(budgets.filter((budget) => isShown(budget, component)));
        worstTable.draw(budgets.flatMap(worstRows));
        // It counts the violations of the whole process.
        chart.hidden = Boolean(component);
        chart.draw(shownRing());
        return STATUSES.map((status) => statusText(budgets, status)).join(', ');
    };
});

function isEmpty(component) {
    return !rowsOf('budgets').some((budget) => !component || worstOf(budget).length);
}

const worstOf = (budget) => (budget.worst || []).filter(isOfChosen);

function isShown(budget, component) {
    if (component) return worstOf(budget).length > 0;
    return budget.checks > 0 || Boolean(settings.unmeasured);
}

const worstRows = (budget) =>
    worstOf(budget).map((row) => ({
        ...row,
        budget: budget.name,
        unit: budget.unit,
        limit: row.limit ?? budget.limit,
    }));

function statusText(budgets, status) {
    const number = budgets.filter((budget) => budget.status === status).length;
    return `${number} ${wordOf(status)}`;
}
