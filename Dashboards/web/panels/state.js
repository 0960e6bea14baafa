// SPDX-License-Identifier: Apache-2.0
// The state of the chosen client: a tree, its subscribers, and its latest updates with what each changed. The process
// keeps states only while this panel is in view.

import {button, factList, html, setText, update, updateChildren} from '../base/dom.js';
import {UNKNOWN, bytes, count, joined, seconds} from '../base/format.js';
import {isFile, isIdle} from '../connection/live.js';
import {chosenComponent} from '../model/components.js';
import {clockTime} from '../model/range.js';
import {address} from '../model/settings.js';
import {store} from '../model/store.js';
import {ask} from '../page/ask.js';
import {panel} from '../page/panel.js';
import {column} from '../table/columns.js';
import {makeTable} from '../table/table.js';

function causeOf({component, action, trace}) {
    if (action) return `${component}.${action}`;
    return trace ? 'unknown as yet' : UNKNOWN;
}

const partOf = ({path}) => path.join(' › ') || 'everything';

const UPDATE_COLUMNS = [
    column('update', '', 'count'),
    column('at', '', 'time'),
    column('cause', 'Caused by', 'text', {value: causeOf}),
    column('bytes', 'Memory', 'bytes'),
];
const CHANGE_COLUMNS = [
    column('part', '', 'text', {value: partOf}),
    column('before'),
    column('after'),
];

const updates = makeTable('updates', 'Updates', UPDATE_COLUMNS, {
    sort: '-update',
    calm: 0,
    empty: 'No update since this panel came into view.',
});
const changes = makeTable('changes', 'Changes', CHANGE_COLUMNS, {empty: 'Nothing that is shown has changed.'});

// The request for the state of a client: its name and its id, the update that the user has chosen (null for the
// latest), and the answer.
let reader = {name: ''};

function makeReader(name, due) {
    const made = {name, due, id: null, chosenUpdate: null, state: null};
    made.receive = ({clients, ...state}) => {
        if (!clients) made.state = state;
        else if (clients.length) Object.assign(made, {id: clients.at(-1).id, due: 0});
    };
    return made;
}

// Requests the id of the client, and then its state.
function readState(it) {
    const {name} = chosenComponent() || {};
    if (reader.name !== name) reader = makeReader(name);
    if (reader.isGone && reader.id) reader = makeReader(name, reader.due);
    if (!name || !it.isInView || isIdle()) return;
    const query = reader.chosenUpdate == null ? {} : {update: reader.chosenUpdate};
    if (reader.id) ask(it, reader, 'api/state/' + reader.id, query);
    else ask(it, reader, 'api/state', {component: name});
}

const exists = (component) => component?.kind === 'client' && store.app.inspects && !isFile();

panel('state', 'State', {view: 'components', table: updates.content, exists}, (body, tools, it) => {
    const chooseUpdate = (chosenUpdate) => {
        Object.assign(reader, {chosenUpdate, due: 0});
        readState(it);
    };
    const updatesRead = () => reader.state?.list || [];
    const tree = html('ul.tree');
    const subscribers = factList();
    const title = html('h3');
    const link = html('a', 'Trace');
    const slider = html('input', {
        type: 'range',
        'aria-label': 'Update',
        oninput: () => chooseUpdate(updatesRead()[slider.value].update),
    });
    const latest = button('Latest', () => chooseUpdate(null));
    const left = html('div', html('h3', 'Value'), tree, html('h3', 'Subscribers'), subscribers);
    const right = html('div', title, link, changes.build(), updates.buildTitled());
    tools.prepend(slider, latest);
    body.append(html('div.split', left, right));
    updates.body.onclick = ({target}) => chooseUpdate(target.closest('tr').row.update);
    return () => {
        readState(it);
        const {state} = reader;
        const rows = updatesRead();
        const row = rows.find(({update: number}) => number === state.shown);
        drawSlider(slider, rows, row);
        update(latest, {'aria-pressed': String(reader.chosenUpdate == null)});
        drawTables(state, rows);
        drawTree(tree, state);
        subscribers.draw((state?.subscribers || []).map(subscriberFact));
        setText(title, row ? `Update ${row.update} by ${causeOf(row)}` : 'Update');
        update(link, {hidden: !row?.trace, href: row?.trace && address({trace: row.trace})});
        return noteOf(state);
    };
});

function drawSlider(slider, rows, row) {
    const text = row && `Update ${row.update}, ${causeOf(row)}, ${clockTime(row.at)}`;
    update(slider, {max: rows.length - 1, disabled: !row, 'aria-valuetext': text});
    slider.value = rows.indexOf(row);
}

function drawTables(state, rows) {
    const changed = state?.changes || [];
    updates.openRows = new Set([state?.shown]);
    updates.draw(rows.map((row) => ({...row, id: row.update})));
    changes.draw(
        changed.map((row) => ({...row, id: partOf(row)})),
        state?.before == null ? 'There is no earlier state to compare with.' : undefined,
    );
}

// The root of a tree that is new is open.
function drawTree(tree, state) {
    const roots = state ? [state.tree] : [];
    updateChildren(tree, roots, () => html('li'), (item, root) => {
        const isNew = !item.branch;
        drawPart(item, root);
        if (isNew && item.branch) item.branch.open = true;
    });
}

// A part of a state as a list item. A part that is closed has no children in the page.
function drawPart(item, {name, type, text, children}) {
    const label = name == null ? '' : name + ': ';
    if (!children) {
        setText(item, label + text);
        return;
    }
    if (!item.branch) {
        item.branch = html('details', {ontoggle: () => drawChildren(item)}, html('summary'), html('ul'));
        item.append(item.branch);
    }
    item.parts = children;
    setText(item.branch.firstChild, label + [type, text].filter(Boolean).join('.'));
    drawChildren(item);
}

function drawChildren({branch, parts}) {
    const keyOf = ({name, children}) => `${name} ${Boolean(children)}`;
    if (branch.open) updateChildren(branch.lastChild, parts, () => html('li'), drawPart, keyOf);
}

function subscriberFact({by, pending, lag}) {
    const state = pending ? `${count(pending)} pending, ${seconds(lag)} behind` : 'up to date';
    return [by || 'another subscriber', state];
}

function noteOf(state) {
    if (!state) return 'no state yet';
    const {shown, updates: total, bytes: size, dropped} = state;
    const droppedText = dropped && `${count(dropped)} older dropped`;
    return joined(`update ${shown} of ${total}`, 'state of ' + bytes(size), droppedText);
}
