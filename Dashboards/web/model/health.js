// SPDX-License-Identifier: Apache-2.0
// How well each component is: by its problems, its failures, its budgets, and its p99 against its limit.

import {rowsOf, store} from './store.js';

// A smaller share of failures is no trouble, and a larger one is severe.
const FAILING = 0.01;
const SEVERE = 0.05;

// What the levels depend on, by component: the gravity of its problems (2 severe, 1 a warning or a symptom), and its
// limit in seconds. It is read once for each change of the data.
let known = {at: -1, gravities: new Map(), limits: new Map()};

function read() {
    if (known.at === store.receivedAt) return known;
    known = {at: store.receivedAt, gravities: new Map(), limits: new Map()};
    for (const {component, kind, ended, cause} of rowsOf('problems')) {
        const gravity = {bad: cause == null ? 2 : 1, warn: 1}[kind];
        if (gravity && !ended) known.gravities.set(component, Math.max(gravity, known.gravities.get(component) || 0));
    }
    for (const {component, limit} of rowsOf('latency')) {
        if (limit > 0) known.limits.set(component, Math.max(limit, known.limits.get(component) || 0));
    }
    return known;
}

// p99 as a multiple of the limit of the component; null if one of them is not known.
export function p99OfLimit({id, p99}) {
    const limit = read().limits.get(id);
    return limit && p99 != null ? p99 / limit : null;
}

export const failingKind = ({errorRatio}) => (errorRatio > SEVERE ? 'bad' : errorRatio > FAILING && 'warn');

// The more, the more trouble: severe problems count most, then failing, missed budgets, and p99 over its limit. Of
// components without trouble the busier ones come first.
export function troubleOf(component) {
    const {id, errorRatio, budget, rate} = component;
    const failing = errorRatio > FAILING ? 4 + 4 * errorRatio : 0;
    const gravity = (read().gravities.get(id) || 0) ** 3;
    const over = p99OfLimit(component) > 1 ? 1 : 0;
    return failing + gravity + over + 2 * (budget === 'violated') + (rate || 0) / 1e9;
}

export const isInTrouble = (component) => troubleOf(component) >= 1;

// 'bad', 'warn' or 'good'.
export function levelOf(component) {
    if (read().gravities.get(component.id) === 2 || failingKind(component) === 'bad') return 'bad';
    if (isInTrouble(component)) return 'warn';
    return 'good';
}
