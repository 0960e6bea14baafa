// SPDX-License-Identifier: Apache-2.0
// The components in most trouble, and what happened last: short lists of the first view.

import {html, setText, update, updateChildren} from '../base/dom.js';
import {kindOf} from '../base/states.js';
import {isInTrouble, troubleOf} from '../model/health.js';
import {clockTime, isInRange} from '../model/range.js';
import {rowsOf} from '../model/store.js';
import {panel} from '../page/panel.js';
import {makeTable} from '../table/table.js';
import {failingColumn, nameColumn, p99Column, signOf} from './components.js';

const MOST = 5;

const TROUBLE_COLUMNS = [nameColumn, failingColumn, p99Column];
const trouble = makeTable('trouble', 'Components in most trouble', TROUBLE_COLUMNS, {
    hasChoice: true,
    signOf,
});

const worstComponents = () =>
    rowsOf('components')
        .filter(isInTrouble)
        .sort((left, right) => troubleOf(right) - troubleOf(left) || left.id - right.id);

panel('trouble', 'Most trouble', {view: 'health', isWide: false, isOfComponent: false}, (body) => {
    body.append(trouble.build());
    return () => {
        const worst = worstComponents();
        trouble.draw(worst.slice(0, MOST), 'None.');
    };
});

panel('happened', 'What happened', {view: 'health', isWide: false, isOfComponent: false, isOfRange: true}, (body) => {
    const list = html('ul.happened');
    body.append(list);
    return () => {
        const events = rowsOf('events').filter(({at}) => isInRange(at));
        const shown = events.length ? events.slice(-MOST).reverse() : [{text: 'Nothing in this range.'}];
        updateChildren(list, shown, makeEvent, drawEvent);
    };
});

const makeEvent = () => html('li', html('time'), ' ', html('span'));

function drawEvent(item, {at, severity, text}) {
    setText(item.firstChild, clockTime(at));
    update(item.lastChild, {text, title: text, class: kindOf(severity)});
}
