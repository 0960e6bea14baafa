// SPDX-License-Identifier: Apache-2.0
// The top of the page: the application, the age of the data, and the controls.

function drawLink() {
    const left = Math.ceil((live.retryAt - performance.now()) / 1000), down = ['lost', 'ended'].includes(live.mode);
    badge($('pill'), live.mode);
    set($('age'), {text: listed(db.at && clock(live.endedAt || db.at) + ' ' + zone(), down && live.why, down && `trying again ${left > 0 ? `in ${left} s` : 'now'}`)});
    document.documentElement.classList.toggle('stale', down);
}

function buildTools() {
    const isLive = live.mode !== 'static';
    $('tools').append(...[
        button('Search', search, {title: 'Ctrl-K', 'aria-keyshortcuts': 'Control+K'}),
        isLive && button('Pause', pause, {id: 'pause'}),
        isLive && choice('Refresh', 'rate', '0.5=0.5 s,1=1 s,2=2 s,5=5 s,10=10 s'),
        ...rangeTools(),
        isLive && h('a', {href: api('export.html'), download: 'axiom.html'}, 'Export'),
        menu('Settings', 'Settings', choice('Theme', 'theme', 'auto,light,dark'), choice('Density', 'density', 'compact,roomy'), ['Save JSON', save], ['Help', help]),
    ].filter(Boolean));
}

// The range that follows the process, and the times of a fixed one. The buttons do by keyboard what a drag over a chart does.
function rangeTools() {
    const inputs = ['From', 'To'].map((name) => h('input', {step: 1, 'aria-label': name, onchange: () => show(...inputs.map(({value}) => Date.parse(value) / 1000))}));
    const text = h('b', {id: 'fixed', hidden: true}), back = button(live.mode === 'static' ? 'Latest' : 'Back to live', () => show(), {hidden: true});
    settings.push(() => {
        back.hidden = text.hidden = !fixed;
        set(text, {text: fixed && `${clock(begins())} to ${clock(ends())} ${zone(begins())}`});
        inputs.forEach((input, i) => input === document.activeElement || !db.at || (input.value = local(i ? ends() : begins()).replace(' ', 'T')));
    });
    const times = menu('Time', 'Time range', ...inputs.map((input, i) => h('label', h('span', i ? 'To' : 'From'), input)),
        h('p.keys', button('Zoom in', () => zoom(0.25, 0.75)), button('Zoom out', () => zoom(-0.5, 1.5)), button('Earlier', () => zoom(-0.5, 0.5)), button('Later', () => zoom(0.5, 1.5))));
    // The browser takes several milliseconds to make fields for times: not before the first paint.
    times.firstChild.onclick = () => inputs.forEach((input) => input.type = 'datetime-local');
    return [text, back, choice('Range', 'range', '60=1 min,300=5 min,900=15 min,86400=24 h'), times];
}

function pause() {
    choose({paused: 1 - state.paused});
    if (state.paused) disconnect('paused');
    else connect();
}

function drawHeader(problems) {
    const {name = 'Axiom', about, startedAt} = db.app;
    set($('name'), {text: name});
    const text = listed(startedAt && 'up ' + whole(db.at - startedAt), about?.replace(/^unknown, /, ''));
    set($('facts'), {text, title: text});
    document.title = (['lost', 'ended'].includes(live.mode) ? '(–) ' : problems ? `(${problems}) ` : '') + name;
    if ($('pause')) set($('pause'), {text: state.paused ? 'Resume' : 'Pause', 'aria-pressed': String(!!state.paused)});
}
