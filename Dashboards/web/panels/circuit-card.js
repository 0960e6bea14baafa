// SPDX-License-Identifier: Apache-2.0
// The card of one circuit breaker.

import {factList, html, setText, update} from '../base/dom.js';
import {UNKNOWN, count, duration, joined, plural, rate, share} from '../base/format.js';
import {kindOf, showState, wordOf} from '../base/states.js';
import {makeMeter} from '../charts/marks.js';
import {makeStrip, stateOfCircuit} from '../charts/strip.js';
import {now} from '../connection/live.js';
import {explained} from '../model/errors.js';
import {clockTime} from '../model/range.js';

export function makeCircuitCard() {
    const name = html('h3', {dir: 'auto'});
    const sign = html('span');
    const strip = makeStrip();
    const since = html('p.note');
    const meters = {failing: makeMeter('Failing'), slow: makeMeter('Slow'), window: makeMeter('Window')};
    const numbers = factList();
    const lastError = html('p.note', {dir: 'auto'});
    const log = factList();
    const history = html('details.as', html('summary', 'Transitions'), log);
    const bars = [meters.failing, meters.slow, meters.window];
    const card = html('article', html('div.head', name, sign), strip, since, ...bars, numbers, lastError, history);
    let shown = null;
    card.draw = (circuit) => {
        const {transitions = []} = circuit;
        // A copy: the rest of the card must not be older than its times.
        shown = {...circuit};
        update(card, {class: kindOf(stateOfCircuit(circuit))});
        setText(name, circuit.name);
        showState(sign, stateOfCircuit(circuit));
        strip.draw(circuit);
        drawMeters(meters, circuit);
        numbers.draw(numbersOf(circuit));
        drawLastError(lastError, circuit.lastError);
        log.draw([...transitions].reverse().map(transitionFact));
        history.hidden = !transitions.length;
        card.drawTimes();
    };
    // Draws what changes between two ticks.
    card.drawTimes = () => setText(since, sinceText(shown));
    return card;
}

function drawMeters({failing, slow, window: calls}, circuit) {
    const {windowCalls, minimumCalls, windowSize} = circuit;
    const isTooFew = windowCalls < minimumCalls;
    const size = isTooFew ? minimumCalls : windowSize || windowCalls;
    drawRatio(failing, circuit.failureRatio, circuit.failureThreshold, isTooFew);
    drawRatio(slow, circuit.slowRatio, circuit.slowThreshold, isTooFew);
    calls.draw(windowCalls / size, null, `${count(windowCalls)} of ${plural(size, 'call')}`);
}

function drawRatio(meter, ratio, threshold, isTooFew) {
    meter.draw(isTooFew ? 0 : ratio, threshold, ratioText(ratio, threshold, isTooFew));
}

function ratioText(ratio, threshold, isTooFew) {
    if (isTooFew || ratio == null) return UNKNOWN;
    return threshold == null ? share(ratio) : `${share(ratio)}, limit ${share(threshold)}`;
}

const numbersOf = ({rejected, rejectedRate, shadowRejections, permitsUsed, permits}) => [
    ['Rejected', joined(count(rejected), rate(rejectedRate))],
    ['Would have rejected', count(shadowRejections)],
    ['Probes', `${count(permitsUsed)} of ${plural(permits, 'permit')}`],
];

function drawLastError(node, error) {
    update(node, {text: error ? 'Last error: ' + error : 'No error yet', title: explained(error)});
}

const transitionFact = ({at, from, to, reason}) => [clockTime(at), `${from} → ${to}: ${reason}`];

function sinceText(circuit) {
    const {since, until, transitions, state, permitsUsed} = circuit;
    const word = wordOf(stateOfCircuit(circuit));
    const reason = transitions?.at(-1)?.reason;
    const isWaiting = state === 'half-open' && !permitsUsed;
    const probe = isWaiting ? 'the next call is a probe' : until && probeText(until - now());
    return joined(`${word} for ${duration(now() - since)}`, reason, probe);
}

const probeText = (left) => (left > 0 ? 'probes in ' + duration(Math.ceil(left)) : 'probes with the next call');
