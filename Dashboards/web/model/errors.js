// SPDX-License-Identifier: Apache-2.0
// What the error codes of the framework mean.

import {rowsOf} from './store.js';

// The meaning and the remedy of the code of an error.
export const helpText = ({meaning, remedy}) => `${meaning} ${remedy}`;

// A text, and on a line of its own what the first of the framework's error codes in it means.
export function explained(text) {
    const code = /AXIOM_\w+/.exec(text)?.[0];
    const error = code && rowsOf('errors').find((row) => row.code === code && row.meaning);
    return error ? `${text}\n${code}: ${helpText(error)}` : text;
}
