// SPDX-License-Identifier: Apache-2.0
// The lifetimes of instances, and suspected leaks.

import {html, idOf, update, updateChildren} from '../base/dom.js';
import {duration, joined, plural, sum} from '../base/format.js';
import {refresh} from '../base/frames.js';
import {chosenComponent, isOfChosen, nameOf} from '../model/components.js';
import {clockTime, isInRange} from '../model/range.js';
import {settings} from '../model/settings.js';
import {rowsOf, store} from '../model/store.js';
import {hasNoRows, panel} from '../page/panel.js';
import {column} from '../table/columns.js';
import {makeTable} from '../table/table.js';

const COLUMNS = [
    column('component'),
    column('start', 'Created', 'time'),
    column('end', 'Ended', 'time'),
    column('lived', '', 'seconds', {value: ({start, end}) => (end ?? store.at) - start}),
    column('how'),
];
const MOST_SUSPECTS = 20;

const table = makeTable('instances', 'Instances', COLUMNS, {sort: '-start'});

const isEmpty = hasNoRows('instances');
const options = {view: 'components', isOfRange: true, list: 'instances', table: table.content, isEmpty};

panel('lifetimes', 'Lifetimes', options, (body) => {
    const suspects = html('ul.leaks');
    const details = html('details.as', {ontoggle: refresh}, html('summary', 'Instances'), table.build());
    body.append(suspects, details);
    return () => {
        const instances = rowsOf('instances').filter(isOfChosen);
        drawSuspects(suspects, instances);
        const shown = instances.filter(({start, end}) => isInRange(start, end ?? store.at));
        // They can be copied while the table is closed.
        table.rows = shown;
        if (details.open) table.draw(shown);
        return noteOf(instances);
    };
});

function drawSuspects(list, instances) {
    const suspects = instances
        .filter(({how}) => how === 'leaked')
        .sort((left, right) => left.start - right.start || left.id - right.id);
    const lines = suspects.slice(0, MOST_SUSPECTS).map((row) => ({id: row.id, text: suspectText(row)}));
    const more = suspects.length - lines.length;
    if (more) lines.push({id: 'more', text: `and ${more} more in the table`});
    list.hidden = !lines.length;
    updateChildren(list, lines, () => html('li.warn'), (item, {text}) => update(item, {text}), idOf);
}

function suspectText({component, id, start}) {
    const age = duration(store.at - start);
    return `▲ ${nameOf(component)} #${id}, leak suspect, alive for ${age}, since ${clockTime(start)}`;
}

function noteOf(instances) {
    if (!instances.length) return 'no instances';
    const components = settings.sel ? [chosenComponent()].filter(Boolean) : rowsOf('components');
    const alive = sum(components.map(({live}) => live));
    const listed = instances.filter(({end}) => end == null).length;
    const {instances: dropped} = store.dropped;
    const text = `${plural(alive, 'instance')} alive, ${listed} of them listed`;
    return joined(text, dropped && dropped + ' older dropped');
}
