// SPDX-License-Identifier: Apache-2.0
// The events, newest first.

import {plural} from '../base/format.js';
import {isInRange} from '../model/range.js';
import {settings} from '../model/settings.js';
import {store} from '../model/store.js';
import {selection} from '../page/controls.js';
import {tablePanel} from '../page/panel.js';
import {column} from '../table/columns.js';

const COLUMNS = [
    column('at', 'Time', 'time'),
    column('severity', '', 'state'),
    column('kind'),
    column('component'),
    column('text', 'What'),
];
const KINDS = ['transition', 'violation', 'regression', 'hang', 'action', 'error', 'leak', 'started', 'ended'];
const CHOICES = [['', 'all'], ...KINDS];

function note() {
    const {events: dropped} = store.dropped;
    return dropped && plural(dropped, 'older event') + ' dropped';
}

tablePanel('events', 'Events', COLUMNS, {
    isOfRange: true,
    sort: '-at',
    calm: 0,
    isShown: ({at, kind}) => isInRange(at) && (!settings.ev || kind === settings.ev),
    note,
    tool: () => selection('Kind', 'ev', CHOICES),
});
