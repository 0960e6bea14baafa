// SPDX-License-Identifier: Apache-2.0
// How much of a capability works, as a column.

import {store} from '../model/store.js';
import {column} from '../table/columns.js';

// A capability has the id of its component.
const levelOf = ({id}) => store.capabilities.get(id)?.level.replace('unavailable', 'off');

export const levelColumn = (options) => column('level', 'Level', 'state', {value: levelOf, ...options});
