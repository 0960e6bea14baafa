// SPDX-License-Identifier: Apache-2.0
// The main actor: its delay, what held it, and how long actions waited for the actors of their clients.

import {html, idOf, setText, update, updateChildren} from '../base/dom.js';
import {isNumber, plural, seconds} from '../base/format.js';
import {makeLineChart} from '../charts/line.js';
import {callName, chosenComponent, componentAddress, isOfChosen} from '../model/components.js';
import {clockTime, isInRange, shownRing} from '../model/range.js';
import {address, settings} from '../model/settings.js';
import {rowsOf, store} from '../model/store.js';
import {panel, tableOfList} from '../page/panel.js';
import {column} from '../table/columns.js';
import {makeTable} from '../table/table.js';

const WAIT_COLUMNS = [
    column('name', 'Client'),
    column('wait', 'p99', 'seconds'),
    column('rate', '', 'rate'),
    column('inFlight', 'In flight', 'count'),
];
const MOST_HANGS = 20;
// The delay in seconds from which on the main actor hangs.
const LIMIT = 0.1;

const waitTable = makeTable('waits', 'Waiting for the actors of clients', WAIT_COLUMNS, {
    sort: '-wait',
    hasChoice: true,
});

panel('hangs', 'Main actor', {view: 'latency', isOfRange: true, table: tableOfList('hangs'), isEmpty}, (body) => {
    const chart = makeLineChart('Longest delay', seconds, ['delay'], {limit: () => LIMIT});
    const list = html('div');
    body.append(html('div.split', html('div', chart, list), waitTable.buildTitled()));
    return () => {
        const hangs = shownHangs().reverse();
        chart.draw(shownRing());
        updateChildren(list, hangs.slice(0, MOST_HANGS), makeHang, drawHang, idOf);
        waitTable.draw(rowsOf('components').filter(hasShownWait));
        return hangs.length ? plural(hangs.length, 'hang') + ' of 100 ms or more' : 'never blocked for 100 ms';
    };
});

const shownHangs = () => rowsOf('hangs').filter((hang) => isOfChosen(hang) && isInRange(hang.at));

function isEmpty(component) {
    return component && !shownHangs().length && !isNumber(component.wait);
}

const hasShownWait = (component) => isNumber(component.wait) && (!settings.sel || component === chosenComponent());

function makeHang() {
    const holder = html('a', {dir: 'auto'});
    const trace = html('a', 'trace');
    return html('p.warn', html('span'), holder, html('span'), ' ', trace);
}

function drawHang(item, {at, seconds: took, lasts, cause, trace: id, component, action}) {
    const [time, holder, reason, trace] = item.children;
    const length = lasts ? `blocked for ${seconds(took)} now` : `blocked for ${seconds(took)}`;
    setText(time, `▲ ${clockTime(at)}, ${length}: `);
    update(holder, {
        text: action && callName({component, action}),
        href: componentAddress(store.components.get(component)),
        hidden: !action,
    });
    setText(reason, action ? ` (${cause})` : cause);
    update(trace, {href: address({trace: id, panel: ''}), hidden: !id});
}
