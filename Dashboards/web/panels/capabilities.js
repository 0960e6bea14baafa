// SPDX-License-Identifier: Apache-2.0
// How much of each capability works, since when and why.

import {plural} from '../base/format.js';
import {componentAddress} from '../model/components.js';
import {store} from '../model/store.js';
import {tablePanel} from '../page/panel.js';
import {column} from '../table/columns.js';
import {levelColumn} from './level.js';

const COLUMNS = [
    column('component', 'Capability'),
    levelColumn(),
    column('since', '', 'time'),
    column('changes', '', 'count'),
    column('reason'),
    column('conditions', '', 'text', {value: ({conditions}) => conditions?.join('; ')}),
];

function note(rows) {
    const degraded = rows.filter(({level}) => level !== 'full').length;
    return degraded ? plural(degraded, 'degraded type') : 'none is degraded';
}

tablePanel('capabilities', 'Capabilities', COLUMNS, {
    view: 'components',
    sort: '-level',
    isKeyed: true,
    linked: 'component',
    target: ({id}) => componentAddress(store.components.get(id)),
    exists: (component) => (component ? store.capabilities.has(component.id) : store.capabilities.size > 0),
    note,
});
