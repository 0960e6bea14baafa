// SPDX-License-Identifier: Apache-2.0
// The snapshots that are compared.

import {refresh} from '../base/frames.js';
import {copySnapshot} from './store.js';

// Null for one that was not marked.
export const marks = {before: null, after: null};

export function markBefore() {
    marks.before = copySnapshot();
    refresh();
}

export function markAfter() {
    marks.after = copySnapshot();
    refresh();
}
