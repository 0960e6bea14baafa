// SPDX-License-Identifier: Apache-2.0
// The order of the rows of a table.

import {choose, settings} from '../model/settings.js';
import {compareValues} from './columns.js';

// The column by which a table is sorted, as the user has chosen or as the table has it.
export function sortOf(table) {
    const text = settings['sort.' + table.id] || table.sort || '';
    const isDownwards = text.startsWith('-');
    return {text, key: isDownwards ? text.slice(1) : text, isDownwards};
}

// Sorts by a column, or turns the order around. Numbers begin with the largest.
export function sortBy(table, column) {
    const {key, isDownwards} = sortOf(table);
    const becomesDownwards = column.key === key ? !isDownwards : column.show;
    choose({['sort.' + table.id]: (becomesDownwards ? '-' : '') + column.key});
}

// Sorts the rows, all of them at one moment. Their order is then kept for some seconds, and while the pointer or the
// focus is in the table, so that the row that one reads is the row that one clicks. `isHeld` says that this order is no
// longer that of the values.
export function sortRows(table, rows) {
    const {text, key, isDownwards} = sortOf(table);
    const column = [...table.columns, ...table.orders].find((candidate) => candidate.key === key);
    const places = keptPlaces(table, text);
    const direction = isDownwards ? -1 : 1;
    table.rows = column ? sortedRows(rows, column, direction, places) : rows;
    table.isHeld = Boolean(places && column && !isSorted(table.rows, column, direction));
}

// The place of each row that keeps its place; null if none does.
function keptPlaces(table, sort) {
    const time = performance.now();
    const isCalm = time < table.calmUntil || table.body.matches(':hover, :focus-within');
    if (table.sortedBy === sort && isCalm) return new Map(table.rows.map(({id}, index) => [id, index]));
    table.sortedBy = sort;
    table.calmUntil = table.rows.length ? time + table.calm * 1000 : time;
    return null;
}

const isSorted = (rows, {value}, direction) =>
    rows.every((row, index) => !index || compareValues(value(rows[index - 1]), value(row), direction) <= 0);

function sortedRows(rows, column, direction, places) {
    const placeOf = (row) => (places ? (places.get(row.id) ?? Infinity) : 0);
    const entries = rows.map((row) => ({row, value: column.value(row), place: placeOf(row)}));
    entries.sort((left, right) => {
        if (left.place !== right.place) return left.place - right.place;
        return compareValues(left.value, right.value, direction);
    });
    return entries.map(({row}) => row);
}
