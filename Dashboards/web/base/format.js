// SPDX-License-Identifier: Apache-2.0
// Formats numbers with a unit: two significant digits below 100, for most numbers are not known better, and integers
// above. What is not a number is a dash.

export const UNKNOWN = '–';

export const isNumber = (value) => typeof value === 'number' && !Number.isNaN(value);

// Not Intl.NumberFormat: its first use takes 30 ms.
const grouped = (value) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');

function digits(value) {
    const size = Math.abs(value);
    if (size >= 1e15) return value.toExponential(1);
    return size >= 99.5 ? grouped(value) : String(Number(value.toPrecision(2)));
}

// Units, the largest first: `from` is the value from which a unit is used, and its size unless `size` is another.
const COUNT_UNITS = [
    {from: 1e12, name: ' T'},
    {from: 1e9, name: ' G'},
    {from: 1e6, name: ' M'},
    {from: 1, name: ''},
];
const BYTE_UNITS = [
    {from: 2 ** 30, name: ' GiB'},
    {from: 2 ** 20, name: ' MiB'},
    {from: 2 ** 10, name: ' KiB'},
    {from: 1, name: ' B'},
];
const TIME_UNITS = [
    {from: 172800, name: ' d', size: 86400},
    {from: 7200, name: ' h', size: 3600},
    {from: 120, name: ' min', size: 60},
    {from: 1, name: ' s'},
    {from: 1e-3, name: ' ms'},
    {from: 1e-6, name: ' µs'},
    {from: 1e-9, name: ' ns'},
];

// The value in the largest unit that it fills after rounding.
function scaled(value, units) {
    if (!Number.isFinite(value)) return UNKNOWN;
    const {from, name, size = from} = units.find((unit) => Math.abs(value) >= unit.from * 0.995) || units.at(-1);
    return digits(value / size).replace('-', '−') + name;
}

export const count = (value) => scaled(value, COUNT_UNITS);
export const bytes = (value) => scaled(value, BYTE_UNITS);
export const seconds = (value) => (value === 0 ? '0 s' : scaled(value, TIME_UNITS));
// Shares near 0 and near 1 have hundredths of a percent.
export function share(value) {
    if (!isNumber(value)) return UNKNOWN;
    const isNearEnd = Math.abs(value) < 0.01 || (value > 0.99 && value < 1);
    return (isNearEnd ? Number((value * 100 - 0.004 * (value > 0.99)).toFixed(2)) : count(value * 100)) + ' %';
}
export const rate = (value) => (isNumber(value) ? count(value) + '/s' : UNKNOWN);
export const times = (value) => (isNumber(value) ? count(value) + '×' : UNKNOWN);

// A value in the unit that the process names.
const FORMATS_BY_UNIT = {bytes, ratio: share, count};
export const inUnit = (value, unit) => (FORMATS_BY_UNIT[unit] || seconds)(value);

const DURATION_UNITS = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];

// Seconds in whole units, the two largest of them: '8 min 14 s', '2 h 03 min'.
export function duration(value) {
    if (!Number.isFinite(value)) return UNKNOWN;
    const total = Math.max(0, Math.round(value));
    if (total < 60) return total + ' s';
    const index = DURATION_UNITS.findIndex(([size]) => total >= size);
    const [[size, name], [partSize, partName]] = DURATION_UNITS.slice(index);
    const part = Math.floor((total % size) / partSize);
    return `${grouped(Math.floor(total / size))} ${name} ${String(part).padStart(2, '0')} ${partName}`;
}

// A value as text, and a dash if there is none.
export const textOf = (value) => (value == null || value === '' ? UNKNOWN : String(value));

// A number with its noun: '1 call', '12 calls'.
export const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? '' : 's'}`;

// The parts that are not empty, with commas.
export const joined = (...parts) => parts.filter(Boolean).join(', ');

// The members of an object, as 'name=value, name=value' if the sign is '='.
export const membersText = (object, sign) =>
    Object.entries(object || {})
        .map(([name, value]) => name + sign + value)
        .join(', ');

// A term of the protocol in words.
export const termText = (name) => (name || '').replaceAll('_', ' ');

export const sum = (numbers) => numbers.reduce((total, number) => total + (number || 0), 0);

// A name of at most so many characters, cut in its middle: the ends tell names apart.
export function shortName(name, size) {
    const characters = [...name];
    if (characters.length <= size) return name;
    const end = Math.floor((size - 1) / 2);
    return [...characters.slice(0, size - 1 - end), '…', ...characters.slice(-end)].join('');
}
