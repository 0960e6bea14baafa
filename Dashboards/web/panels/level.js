// SPDX-License-Identifier: Apache-2.0
// How much of a capability works, as a column, and the signs of the kinds of components.

import {store} from '../model/store.js';
import {column} from '../table/columns.js';

// A capability has the id of its component.
const levelOf = ({id}) => store.capabilities.get(id)?.level.replace('unavailable', 'off');

export const levelColumn = (options) => column('level', '', 'state', {value: levelOf, ...options});

export const SIGNS = {context: '◧', client: '◆', capability: '●', request: '▷'};
