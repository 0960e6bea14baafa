// SPDX-License-Identifier: Apache-2.0
// Errors, grouped by component, code and deepest cause, never by message.

import {joined, plural, sum} from '../base/format.js';
import {chainText, helpText} from '../model/errors.js';
import {store} from '../model/store.js';
import {actionAddress} from '../model/traces.js';
import {tablePanel} from '../page/panel.js';
import {column} from '../table/columns.js';

// The meaning and the remedy of the code follow the text, so that an open row shows them too.
const sampleWithHelp = (group) => group.sample + (group.meaning ? ' ▸ ' + helpText(group) : '');

const COLUMNS = [
    column('code', 'Error', 'text', {value: chainText}),
    column('component'),
    column('severity', '', 'state', {value: (group) => (group.count === 0 ? 'recovered' : group.severity)}),
    column('count', '', 'count'),
    column('first', 'First seen', 'time'),
    column('last', 'Last seen', 'time'),
    column('recovered', '', 'count'),
    column('sample', '', 'text', {value: sampleWithHelp}),
];

function note(groups) {
    const total = sum(groups.map(({count}) => count));
    const {errors: dropped} = store.dropped;
    const sizes = `${plural(total, 'error')} in ${plural(groups.length, 'group')}`;
    return joined(sizes, dropped && plural(dropped, 'group') + ' dropped');
}

tablePanel('errors', 'Errors', COLUMNS, {
    view: 'errors',
    sort: '-count',
    linked: 'last',
    target: (group) => actionAddress(group, group.code, 0, 'failures'),
    note,
});
