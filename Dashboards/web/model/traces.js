// SPDX-License-Identifier: Apache-2.0
// The texts and the addresses of actions, spans and traces.

import {keyOfID} from './components.js';
import {address} from './settings.js';

// The name of a span, by the name of its component: 'CartClient.add'.
export const spanName = ({component, name}) => (component ? component + '.' : '') + name;

// The error of a span, and where it arose if that was elsewhere.
export function failureText({error, component}) {
    if (!error) return '';
    return error.code + (error.origin && error.origin !== component ? ' from ' + error.origin : '');
}

export const hasFailed = ({outcome}) => ['failure', 'rejected'].includes(outcome);

// The address of the trace of a row.
export const traceAddress = ({trace}) => address({trace, panel: ''});

// The address of a row's trace if it has one; else of the actions of its component with a text, a least duration in
// seconds, and an outcome.
export function actionAddress(row, text, least, outcome = '') {
    if (row.trace) return traceAddress(row);
    const min = Math.floor(least * 999000) / 1000 || 0;
    return address({panel: 'activity', sel: keyOfID(row.component), outcome, act: text || '', min});
}
