// SPDX-License-Identifier: Apache-2.0
// Series over time. A ring is {step, start, series}: `series.calls[i]` holds for the step that begins at start +
// i·step.

export const sizeOfRing = (ring) => Math.max(0, ...Object.values(ring.series).map((values) => values.length));

// Stores one value of each series in the step that begins at `from`. Missed steps stay empty and show as a gap. Removes
// the oldest steps beyond the limit.
export function appendStep(ring, from, values, limit) {
    if (!values) return;
    const size = sizeOfRing(ring);
    const distance = Math.round((from - ring.start) / ring.step);
    if (!size || distance > size + limit) {
        ring.series = {};
        ring.start = from;
    }
    const index = ring.start === from ? 0 : Math.max(size - 1, distance);
    const excess = Math.max(0, index + 1 - limit);
    for (const key in {...ring.series, ...values}) {
        ring.series[key] ||= [];
        const series = ring.series[key];
        while (series.length < index) series.push(null);
        series[index] = values[key] ?? null;
        series.splice(0, excess);
    }
    ring.start += excess * ring.step;
}

// Prepends the history of the previous run to that of the new run, if the gap between them has at most `limit` steps.
export function prependRing(before, ring, limit) {
    const shift = Math.round((ring.start - before.start) / ring.step);
    if (shift < sizeOfRing(before) || shift > limit || before.step !== ring.step) return;
    for (const [key, values] of Object.entries(before.series)) {
        const gap = Array(shift - values.length).fill(null);
        ring.series[key] = [...values, ...gap, ...(ring.series[key] || [])];
    }
    ring.start = before.start;
}
