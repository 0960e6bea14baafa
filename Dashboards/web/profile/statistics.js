// SPDX-License-Identifier: Apache-2.0
// How well shares are known that are estimated from samples.

// The quantile of the normal distribution for 95 %.
const Z = 1.96;
// The bytes between two samples of allocations. Larger allocations are known better than this says.
const BYTES_OF_SAMPLE = 524288;
// A change of less than this share of all is not marked: what spans waited for varies without a cause.
const LEAST_CHANGE = 0.01;

// The bounds between which a share is with a probability of 95 % if `hits` of `total` samples have it: Wilson's
// interval.
export function interval(hits, total) {
    if (!(total > 0)) return [0, 1];
    const square = Z * Z;
    const part = Math.min(1, hits / total);
    const middle = part + square / (2 * total);
    const reach = Z * Math.sqrt((part * (1 - part)) / total + square / (4 * total * total));
    const bounds = [middle - reach, middle + reach].map((bound) => bound / (1 + square / total));
    return bounds.map((bound) => Math.max(0, Math.min(1, bound)));
}

// A share of `all` with its bounds: any share is possible if there is nothing. What spans waited for is measured and
// not sampled.
export function estimate(part, all, measure) {
    if (!(all.value > 0)) return {share: 0, low: 0, high: 1};
    const share = part.value / all.value;
    if (measure === 'waiting' || part === all) return {share, low: share, high: share};
    if (measure === 'allocated' || measure === 'live') {
        const [low, high] = interval(part.value / BYTES_OF_SAMPLE, all.value / BYTES_OF_SAMPLE);
        return {share, low, high};
    }
    return estimateOfTime(share, part, all);
}

// The error is that of the part of the samples, and that of the processor time of all, on which the share of what spans
// waited for depends. Without samples, nothing is known but what waited.
function estimateOfTime(share, part, all) {
    const {processor, samples, value} = all;
    if (!(samples > 0)) return part.value > 0 ? {share, low: share, high: share} : {share, low: 0, high: 1};
    const hits = part.isWait ? 0 : part.samples;
    const [low, high] = part.isWait ? [0, 0] : interval(hits, samples);
    const waiting = part.value - part.processor;
    const ownWaiting = (hits / samples) * (value - processor);
    const shift = ((ownWaiting - waiting) * processor * Z) / Math.sqrt(samples) / value;
    const reach = (bound) => Math.hypot((bound - hits / samples) * processor, shift) / value;
    return {share, low: share - reach(low), high: share + reach(high)};
}

export const errorOf = ({low, high}) => (high - low) / 2;

// The change of a share if it is larger than the errors of both; else 0.
export function changeOf(before, after) {
    const change = after.share - before.share;
    const isReal = after.low > before.high || after.high < before.low;
    return isReal && Math.abs(change) >= LEAST_CHANGE ? change : 0;
}
