// SPDX-License-Identifier: Apache-2.0
// The top of the page: what runs, how fresh this is, and the controls.

function drawLink() {
    const left = Math.ceil((live.retryAt - performance.now()) / 1000), down = ['lost', 'ended'].includes(live.mode);
    badge($('pill'), live.mode);
    set($('age'), {text: listed(db.at && clock(live.endedAt || db.at), down && live.why, down && `trying again ${left > 0 ? `in ${left} s` : 'now'}`)});
    document.documentElement.classList.toggle('stale', down);
}

function buildTools() {
    const isLive = live.mode !== 'static';
    $('tools').append(...[
        isLive && button('Pause', pause, {id: 'pause'}),
        isLive && choice('Refresh', 'rate', [0.5, 1, 2, 5, 10].map((v) => [v, v + ' s'])),
        choice('Range', 'range', [[60, '1 min'], [300, '5 min'], [900, '15 min'], [86400, '24 h']]),
        choice('Theme', 'theme', [['auto'], ['light'], ['dark']]),
        choice('Density', 'density', [['compact'], ['roomy']]),
        menu('Export', 'Export', ...(isLive ? [h('a', {href: api('export.html'), download: 'axiom.html'}, 'This page, as one file')] : []), ['Snapshot, as JSON', () => save(`axiom-${Math.round(db.at)}.json`, JSON.stringify(dump()))]),
        button('Help', help),
    ].filter(Boolean));
}

function pause() {
    choose({paused: 1 - state.paused});
    if (state.paused) disconnect('paused');
    else connect();
}

function drawHeader(problems) {
    const {name = 'Axiom', revision, axiom, swift, os, pid, startedAt} = db.app;
    set($('name'), {text: name});
    set($('facts'), {text: Object.entries({revision, Axiom: axiom, Swift: swift, on: os, pid, up: startedAt && whole(db.at - startedAt)}).filter((fact) => fact[1]).map((fact) => fact.join(' ')).join(' · ')});
    document.title = (problems ? `(${problems}) ` : '') + name;
    if ($('pause')) set($('pause'), {text: state.paused ? 'Resume' : 'Pause', 'aria-pressed': String(!!state.paused)});
}
