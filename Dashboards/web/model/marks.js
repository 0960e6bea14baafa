// SPDX-License-Identifier: Apache-2.0
// The marked moment, with which the page compares what it shows.

import {refresh} from '../base/frames.js';
import {copySnapshot} from './store.js';

// The snapshot of the moment; null without a mark.
export const marks = {before: null};

// Marks this moment, or removes the mark.
export function mark() {
    marks.before = marks.before ? null : copySnapshot();
    refresh();
}
