// SPDX-License-Identifier: Apache-2.0
// Comparisons with the profile that was loaded as the baseline.

import {textOf} from '../base/format.js';
import {clockTime} from '../model/range.js';
import {store} from '../model/store.js';
import {actionAddress} from '../model/traces.js';
import {tablePanel} from '../page/panel.js';
import {column} from '../table/columns.js';

const COLUMNS = [
    column('call'),
    column('verdict', '', 'state'),
    column('percentile', 'At'),
    column('baseline', '', 'seconds'),
    column('current', 'Now', 'seconds'),
    column('ratio', '', 'times'),
    column('requests', 'Calls', 'count'),
    column('reason'),
];

function emptyText() {
    const {note, loaded} = store.baseline;
    return note || (loaded ? 'Nothing to compare yet.' : 'No baseline is loaded.');
}

function note() {
    const {loaded, name, recordedAt} = store.baseline;
    return loaded && `against ${textOf(name)} of ${clockTime(recordedAt)}`;
}

tablePanel('regressions', 'Regressions', COLUMNS, {
    view: 'latency',
    sort: '-ratio',
    linked: 'call',
    target: (row) => actionAddress(row, row.action, row.current),
    emptyText,
    note,
});
