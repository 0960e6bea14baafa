// SPDX-License-Identifier: Apache-2.0
// Circuit breakers: in which state, why, how long, and what comes next.

const signOf = (c) => (c.shadow ? (c.wouldBeOpen ? 'would' : 'shadow') : c.state);

function circuitCard() {
    const name = h('h3', {dir: 'auto'}), sign = h('span'), since = h('p.note'), last = h('p.note', {dir: 'auto'}), log = h('ol.log'), bars = ['Failing', 'Slow', 'Window', 'Probes'].map(meter);
    const numbers = facts(), steps = h('details.as', h('summary', 'Transitions'), log), el = h('article', h('div.head', name, sign), since, ...bars, numbers, last, steps);
    let until, from;
    el.draw = (c) => {
        const {failureRatio, failureThreshold, slowRatio, slowThreshold, windowCalls, minimumCalls, permitsUsed, permits, transitions = [], lastError} = c, few = windowCalls < minimumCalls, size = few ? minimumCalls : c.windowSize || windowCalls;
        const of = (bar, part, whole) => bar.draw(few ? 0 : part, whole, few ? NA : `${share(part)} of ${share(whole)}`), [failing, slow, filled, probes] = bars;
        ({until, since: from} = c);
        set(el, {class: kindOf(signOf(c))});
        set(name, {text: c.name});
        badge(sign, signOf(c));
        of(failing, failureRatio, failureThreshold);
        of(slow, slowRatio, slowThreshold);
        filled.draw(windowCalls / size, null, `${count(windowCalls)} of ${some(size, 'call')}`);
        probes.draw(permitsUsed / permits, null, `${count(permitsUsed)} of ${some(permits, 'permit')}`);
        probes.hidden = c.state !== 'half-open';
        numbers.draw([['Rejected', count(c.rejected)], ['Rejecting', rate(c.rejectedRate)], ['Would have rejected', count(c.shadowRejections)]]);
        set(last, {text: lastError ? 'Last error: ' + lastError : ''});
        each(log, transitions.slice(-20).reverse(), () => h('li'), (item, t) => set(item, {text: `${clock(t.at)} ${t.from} → ${t.to}: ${t.reason}`}));
        steps.hidden = !transitions.length;
        el.tick();
    };
    el.tick = () => set(since, {text: listed('for ' + whole(now() - from), until && (until > now() ? 'probes in ' + whole(until - now()) : 'probes with the next call'))});
    return el;
}

const policyTable = table('policies', 'Retry budgets and limits', 'name::Policy, tokens:n:Retry tokens, maxTokens:n:of, retries:n:Retries, refused:n:Refused, timeouts:n:Timeouts, inUse:n:In use, limit:n:Limit, queue:n:Queued', {empty: 'No retry budgets or limits.'});
const CIRCUIT = 'name state shadow wouldBeOpen since until failureRatio slowRatio windowCalls minimumCalls rejected shadowRejections lastError'.split(' ');

panel('circuits', 'Circuits', {wide: true, data: () => [CIRCUIT, ...all('circuits').map((c) => CIRCUIT.map((key) => c[key]))]}, (body) => {
    const cards = h('div.cards', {id: 'cards'}), chart = lineChart('Rejections', rate, 'rejected='), rank = (c) => ['bad', 'warn', 'info', 'good', 'idle'].indexOf(kindOf(signOf(c)));
    body.append(cards, h('div.split', h('div', h('h3', 'Retry budgets and limits'), policyTable.el), chart));
    return () => {
        const list = all('circuits').filter(isChosen).sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
        each(cards, list.slice(0, 60), circuitCard, (card, c) => card.draw(c));
        policyTable.draw(all('policies'));
        chart.draw(shown());
        return list.length ? some(list.length, 'breaker') + (list.length > 60 ? ', the 60 gravest shown' : '') : 'No circuit breakers';
    };
});
