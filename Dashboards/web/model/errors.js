// SPDX-License-Identifier: Apache-2.0
// The codes of errors and of their causes, and what those of the framework mean.

import {rowsOf} from './store.js';

// The meaning and the remedy of the code of an error.
export const helpText = ({meaning, remedy}) => `${meaning} ${remedy}`;

// The error and its causes, the deepest one last; the code of an error without a cause.
export const chainText = (error) => error.chain || error.code;

// The first of the framework's error codes in a text that has an explanation: the row of an error with it.
function explainedError(text) {
    const codes = String(text).match(/AXIOM_\w+/g) || [];
    return codes.map((code) => rowsOf('errors').find((row) => row.code === code && row.meaning)).find(Boolean);
}

// The code of that error, if there is one.
export const explainedCode = (text) => explainedError(text)?.code;

// A text, and on a line of its own what the first of the framework's error codes in it means.
export function explained(text) {
    const error = explainedError(text);
    return error ? `${text}\n${error.code}: ${helpText(error)}` : text;
}
