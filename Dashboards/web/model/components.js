// SPDX-License-Identifier: Apache-2.0
// The components by id, and the one that the user has chosen.

import {address, settings} from './settings.js';
import {rowsOf, store} from './store.js';

export const NO_COMPONENTS = 'No components yet: no orchestrator has been started';

export const nameOf = (id) => store.components.get(id)?.name ?? (id == null ? 'application' : '#' + id);

// The key of a component in the URL: its kind and its name.
const keyOf = (component) => (component ? `${component.kind}/${component.name}` : '');
export const keyOfID = (id) => keyOf(store.components.get(id));

// The row of the chosen component; null if there is none.
export function chosenComponent() {
    if (!settings.sel) return null;
    return rowsOf('components').find((component) => keyOf(component) === settings.sel) ?? null;
}

// Whether a row is of the chosen component. Without one, all are.
export const isOfChosen = ({component}) => !settings.sel || keyOfID(component) === settings.sel;

// The address of the page of a component.
export const componentAddress = (component) => address({panel: '', sel: keyOf(component)});

// The name of an action with its component, by the id of the component: 'CartClient.add'.
export const callName = ({component, action}) => nameOf(component) + (action ? '.' + action : '');
