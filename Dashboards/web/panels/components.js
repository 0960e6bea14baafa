// SPDX-License-Identifier: Apache-2.0
// The table of all component types.

import {button, html, menu} from '../base/dom.js';
import {count, isNumber, joined, plural, seconds} from '../base/format.js';
import {NO_COMPONENTS} from '../model/components.js';
import {failingKind, isInTrouble, p99OfLimit, troubleOf} from '../model/health.js';
import {choose, onSettings, settings} from '../model/settings.js';
import {rowsOf, store} from '../model/store.js';
import {field} from '../page/controls.js';
import {panel} from '../page/panel.js';
import {column} from '../table/columns.js';
import {isColumnShown} from '../table/head.js';
import {makeTable} from '../table/table.js';
import {SIGNS, levelColumn} from './level.js';

const optional = {isOptional: true};

// A bar is full from this share of failures on.
const FULL_BAR = 0.2;
const LONGEST_NAME = 28;

export const signOf = ({kind}) => SIGNS[kind];

export const nameColumn = column('name', 'Component', 'text', {cut: LONGEST_NAME});
export const failingColumn = column('errorRatio', 'Failing', 'share', {
    bar: (row) => [isNumber(row.errorRatio) ? row.errorRatio / FULL_BAR : null, failingKind(row)],
});
// The bar is full at the limit.
export const p99Column = column('p99', 'p99', 'seconds', {
    bar: (row) => [p99OfLimit(row), p99OfLimit(row) > 1 && 'warn'],
});

export const instanceColumns = [
    column('live', '', 'count'),
    column('created', '', 'count', optional),
    column('ended', '', 'count', optional),
    column('leaks', '', 'count', optional),
    column('restarts', '', 'count', optional),
    column('lifetime.p50', 'Median life', 'seconds', optional),
    column('lifetime.p95', 'Life p95', 'seconds', optional),
    column('lifetime.max', 'Longest', 'seconds', optional),
];

export const componentColumns = [
    nameColumn,
    column('kind', '', 'text', optional),
    failingColumn,
    p99Column,
    column('p50', 'p50', 'seconds'),
    column('p90', 'p90', 'seconds', optional),
    column('rate', '', 'rate'),
    column('spark', '5 min', 'spark'),
    column('budget', '', 'state'),
    levelColumn(optional),
    column('errors', '', 'count'),
    column('calls', '', 'count', optional),
    column('inFlight', 'In flight', 'count', optional),
    ...instanceColumns,
];

const NO_MATCHES = 'No component matches the filter.';

const table = makeTable('components', 'Component types', componentColumns, {
    sort: '-trouble',
    orders: [{key: 'trouble', value: troubleOf}],
    hasChoice: true,
    kindOf: (row) => isInTrouble(row) && 'sick',
    signOf,
});

// The components that match the filter, and what they depend on.
let matches = [];
let matchedFor = '';

function matchingComponents() {
    const state = store.rowChanges + settings.q;
    const filter = settings.q.toLowerCase();
    if (state !== matchedFor) {
        matches = rowsOf('components').filter(({name, module, kind}) =>
            `${name} ${module} ${kind}`.toLowerCase().includes(filter),
        );
    }
    matchedFor = state;
    return matches;
}

panel('components', 'Components', {view: 'components', isOfComponent: false, table: table.content}, (body, tools) => {
    const filter = field('q', {
        type: 'search',
        id: 'find',
        placeholder: 'Filter',
        'aria-label': 'Filter components',
    });
    const reset = button('Show all', () => choose({q: ''}), {hidden: true});
    const boxes = componentColumns.slice(1).map(makeColumnBox);
    tools.prepend(filter, menu('Columns', 'Choose columns', ...boxes));
    body.append(table.build(), reset);
    return () => {
        const rows = matchingComponents();
        const {size} = store.components;
        table.draw(rows, size ? NO_MATCHES : NO_COMPONENTS);
        reset.hidden = !size || Boolean(rows.length);
        return noteOf(rows.length, size);
    };
});

// A box that shows or hides a column.
function makeColumnBox(it) {
    const onchange = () => {
        const changed = new Set(settings.cols.split(',')).symmetricDifference(new Set([it.key]));
        choose({cols: [...changed].join()});
    };
    const box = html('input', {type: 'checkbox', onchange});
    onSettings(() => {
        box.checked = isColumnShown(it);
    });
    return html('label', box, it.title);
}

function noteOf(shown, size) {
    const part = shown < size ? count(shown) + ' of ' : '';
    return joined(part + plural(size, 'type'), `rates, failing and percentiles of the last ${seconds(store.window)}`);
}
