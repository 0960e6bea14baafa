// SPDX-License-Identifier: Apache-2.0
// What the drawing and the tree say of an edge. `back` has the edges that close a cycle.

import {joined, rate, share} from '../base/format.js';

// A share that is worth a word.
export const failingShare = ({errorRatio}) => (errorRatio > 0.01 ? errorRatio : 0);

export const flagsOf = (edge, back) =>
    [edge.forbidden && '✕ forbidden', back.has(edge) && '↻ cycle'].filter(Boolean);

export const trafficText = (edge) =>
    joined(rate(edge.rate), failingShare(edge) && share(failingShare(edge)) + ' failing');

export const edgeText = (edge, back) => joined(trafficText(edge), ...flagsOf(edge, back));
