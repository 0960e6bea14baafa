// SPDX-License-Identifier: Apache-2.0
// The menu of what a developer can do to the chosen component, if the process allows it.

import {button, byId, html, labelled, menu, update, updateChildren} from '../base/dom.js';
import {confirmShortly, showDialog} from '../base/notices.js';
import {isFile} from '../connection/live.js';
import {post} from '../connection/server.js';
import {chosenComponent} from '../model/components.js';
import {store} from '../model/store.js';

const BREAKER_ACTIONS = [
    {label: 'Force open', path: 'breaker', set: 'open', hasDuration: true},
    {label: 'Shadow', path: 'breaker', set: 'shadow', hasDuration: true},
    {label: 'Reset', path: 'breaker', set: 'reset'},
];
const FAULT_ACTIONS = [
    {label: 'Inject latency', path: 'fault', set: 'latency', hasDuration: true, unit: 'Seconds', largest: 10},
    {label: 'Inject errors', path: 'fault', set: 'errors', hasDuration: true, unit: 'Share from 0 to 1', largest: 1},
    {label: 'End faults', path: 'fault', set: 'none'},
];
const CAPABILITY_ACTIONS = [
    {label: 'Take away', path: 'capability', set: 'away', hasDuration: true},
    {label: 'Bring back', path: 'capability', set: 'back'},
];

// The actions for each kind of component. `path` and `set` are those of the request. An action without a duration ends
// others. One with a unit has a number of this unit.
const ACTIONS = {
    client: [...BREAKER_ACTIONS, ...FAULT_ACTIONS],
    context: BREAKER_ACTIONS,
    capability: CAPABILITY_ACTIONS,
};

export function makeActionMenu() {
    const actionMenu = menu('Actions', 'Actions');
    const summary = actionMenu.firstChild;
    const drawEntry = (entry, action) => {
        const onclick = () => {
            // The dialog returns the focus to it.
            summary.focus();
            confirmAction(action);
        };
        update(entry, {text: action.label, onclick});
    };
    actionMenu.draw = ({kind}) => {
        const actions = ACTIONS[kind] || [];
        actionMenu.hidden = !actions.length || !store.app.allows || isFile();
        updateChildren(actionMenu.lastChild, actions, () => button(''), drawEntry);
    };
    return actionMenu;
}

// Asks for the numbers of an action, and carries it out.
function confirmAction(action) {
    const {name: component} = chosenComponent();
    const value = action.unit && numberField(action.unit, action.largest);
    const minutes = action.hasDuration && numberField('Minutes', 10);
    const onsubmit = (event) => {
        event.preventDefault();
        byId('dialog').close();
        carryOut(action, {
            component,
            set: action.set,
            value: value ? numberIn(value) : undefined,
            seconds: minutes ? numberIn(minutes) * 60 : undefined,
        });
    };
    const form = html('form.keys', {onsubmit}, value, minutes, html('button', action.label));
    showDialog(`${action.label}: ${component}?`, form);
}

function numberField(title, largest) {
    const input = html('input', {type: 'number', min: 0, max: largest, step: 'any', value: 1, required: true});
    return labelled(title, input);
}

const numberIn = (field) => Number(field.lastChild.value);

async function carryOut({path}, body) {
    try {
        const {done, error} = await post('api/actions/' + path, body);
        confirmShortly(done || error);
    } catch (error) {
        confirmShortly(error.message);
    }
}
