// SPDX-License-Identifier: Apache-2.0
// The table of all component types.

import {button, html, menu} from '../base/dom.js';
import {count, joined, plural, seconds} from '../base/format.js';
import {choose, onSettings, settings} from '../model/settings.js';
import {rowsOf, store} from '../model/store.js';
import {field} from '../page/controls.js';
import {panel} from '../page/panel.js';
import {column} from '../table/columns.js';
import {isColumnShown} from '../table/head.js';
import {makeTable} from '../table/table.js';
import {levelColumn} from './level.js';

const optional = {isOptional: true};

export const componentColumns = [
    column('name', 'Component'),
    column('kind', 'Kind'),
    column('live', 'Live', 'count'),
    column('created', 'Created', 'count'),
    column('ended', 'Ended', 'count'),
    column('leaks', 'Leaks', 'count', optional),
    column('restarts', 'Restarts', 'count', optional),
    column('lifetime.p50', 'Life p50', 'seconds'),
    column('lifetime.p95', 'Life p95', 'seconds', optional),
    column('lifetime.max', 'Longest', 'seconds', optional),
    column('calls', 'Calls', 'count'),
    column('rate', 'Rate', 'rate'),
    column('inFlight', 'In flight', 'count', optional),
    column('errors', 'Errors', 'count'),
    column('errorRatio', 'Failing', 'share'),
    column('p50', 'p50', 'seconds'),
    column('p90', 'p90', 'seconds', optional),
    column('p99', 'p99', 'seconds'),
    levelColumn(optional),
    column('budget', 'Budget', 'state'),
    column('spark', '5 min', 'spark'),
];

const NO_MATCHES = 'No component matches the filter.';
const NO_COMPONENTS = 'No components yet: no orchestrator has been started.';

const table = makeTable('components', 'Component types', componentColumns, {sort: '-rate', hasChoice: true});

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

panel('components', 'Components', {isOfComponent: false, table: table.content}, (body, tools) => {
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
