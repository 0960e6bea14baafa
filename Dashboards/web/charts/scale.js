// SPDX-License-Identifier: Apache-2.0
// The vertical axis of a chart: linear from zero, or logarithmic with whole decades.

// What the top of the axis is, as a multiple of a power of the base. It is 10 % above the highest value at least.
const HEADROOM = 1.1;
const LINEAR_TOPS = [1.5, 2, 3, 5, 8, 12];
const BINARY_TOPS = [1.25, 1.5, 1.75, 2, 2.5];
const LOGARITHMIC_TOPS = [10, 100];
// The most that the top of a logarithmic axis is above its bottom.
const MOST_DECADES = 1e9;

// Returns {heightOf, marks}: `heightOf` maps a value to its height, which is 0 at the top and 100 at the bottom. The
// marks are the values at the top, in the middle and at the bottom; those of bytes are binary.
export function makeScale(values, limit, isLogarithmic, isBinary) {
    const known = [...values, limit].filter((value) => value > 0 && value < Infinity);
    const top = topOf(known, isLogarithmic, isBinary);
    const bottom = isLogarithmic ? bottomOf(known, top) : 0;
    const middle = isLogarithmic ? Math.sqrt(bottom * top) : top / 2;
    const shareOf = (value) => {
        if (!(value > bottom)) return 0;
        return isLogarithmic ? Math.log(value / bottom) / Math.log(top / bottom) : value / top;
    };
    const heightOf = (value) => Math.round((1 - Math.min(1, shareOf(value))) * 1000) / 10;
    return {heightOf, marks: [top, middle, bottom]};
}

function topOf(known, isLogarithmic, isBinary) {
    const highest = known.length ? Math.max(...known) : 1;
    const base = isBinary ? 2 : 10;
    const power = base ** Math.floor(Math.log(highest) / Math.log(base) + 1e-9);
    const linearTops = isBinary ? BINARY_TOPS : LINEAR_TOPS;
    const tops = isLogarithmic ? LOGARITHMIC_TOPS : linearTops;
    return power * tops.find((top) => top * power >= highest * HEADROOM);
}

// The decade of the lowest value, at least one decade below the top.
function bottomOf(known, top) {
    const lowest = Math.max(top / MOST_DECADES, Math.min(top / 10, ...known));
    return 10 ** Math.floor(Math.log10(lowest));
}
