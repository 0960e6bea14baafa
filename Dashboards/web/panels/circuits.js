// SPDX-License-Identifier: Apache-2.0
// Circuit breakers: the state of each, its reason and duration, and the next transition.

const signOf = (c) => (c.shadow ? (c.wouldBeOpen ? 'would' : 'shadow') : c.state);

function circuitCard() {
    const name = h('h3', {dir: 'auto'}), sign = h('span'), since = h('p.note'), last = h('p.note', {dir: 'auto'}), log = facts(), bars = ['Failing', 'Slow', 'Window'].map(meter);
    const numbers = facts(), steps = h('details.as', h('summary', 'Transitions'), log), el = h('article', h('div.head', name, sign), since, ...bars, numbers, last, steps);
    el.draw = (c) => {
        const {windowCalls, minimumCalls, transitions = []} = c, few = windowCalls < minimumCalls, size = few ? minimumCalls : c.windowSize || windowCalls;
        const ratio = (bar, part, whole) => bar.draw(few ? 0 : part, whole, few || part == null ? NA : whole == null ? share(part) : `${share(part)}, limit ${share(whole)}`);
        // A copy: the rest of the card must not be older than its times.
        el.circuit = {...c};
        set(el, {class: kindOf(signOf(c))});
        write(name, c.name);
        badge(sign, signOf(c));
        ratio(bars[0], c.failureRatio, c.failureThreshold);
        ratio(bars[1], c.slowRatio, c.slowThreshold);
        bars[2].draw(windowCalls / size, null, `${count(windowCalls)} of ${some(size, 'call')}`);
        numbers.draw([['Rejected', listed(count(c.rejected), rate(c.rejectedRate))], ['Would have rejected', count(c.shadowRejections)], ['Probes', `${count(c.permitsUsed)} of ${some(c.permits, 'permit')}`]]);
        set(last, {text: c.lastError ? 'Last error: ' + c.lastError : 'No error yet', title: explained(c.lastError)});
        log.draw(transitions.slice(-20).reverse().map((t) => [clock(t.at), `${t.from} → ${t.to}: ${t.reason}`]));
        steps.hidden = !transitions.length;
        el.tick();
    };
    el.tick = () => {
        const {since: from, until, transitions} = el.circuit, left = until - now(), why = transitions?.at(-1)?.reason;
        write(since, listed(`${stateOf(signOf(el.circuit))[1]} for ${whole(now() - from)}`, why, until && (left > 0 ? 'probes in ' + whole(Math.ceil(left)) : 'probes with the next call')));
    };
    return el;
}

panel('circuits', 'Circuits', {data: dataOf('circuits', 'name state shadow wouldBeOpen since until failureRatio slowRatio windowCalls minimumCalls rejected shadowRejections lastError')}, (body) => {
    const cards = h('div.cards', {id: 'cards'}), chart = lineChart('Rejections', rate, 'rejected='), policies = facts(), rank = (c) => ['bad', 'warn', 'info', 'good', 'idle'].indexOf(kindOf(signOf(c)));
    // These are of the whole process.
    const common = h('div.split', h('div', h('h3', 'Retry budgets and limits'), policies), chart);
    body.append(cards, common);
    return () => {
        // The worst are chosen, and shown by name, so that a card stays where it is.
        const list = all('circuits').filter(isChosen).sort((a, b) => rank(a) - rank(b) || a.id - b.id);
        each(cards, list.slice(0, 60).sort((a, b) => a.name.localeCompare(b.name) || a.id - b.id), circuitCard, (card, c) => card.draw(c), byID);
        common.hidden = chosen();
        policies.draw(factsOf('policies'));
        chart.draw(shown());
        return list.length ? some(list.length, 'breaker') + (list.length > 60 ? ', the 60 worst shown' : '') : 'No circuit breakers';
    };
});
