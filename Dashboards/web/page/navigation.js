// SPDX-License-Identifier: Apache-2.0
// Goes to panels and to addresses of this page.

import {byId, html, setText, update} from '../base/dom.js';
import {drawNow} from '../base/frames.js';
import {address, choose, pushAddress, readAddress, settings} from '../model/settings.js';
import {store} from '../model/store.js';
import {isHidden, makePanel, panels, unmadePanels} from './panel.js';

// Makes the links to the panels that are not made yet. They come after the first paint, and before the panels, which
// they would move.
export function buildNavigation() {
    for (const it of unmadePanels) {
        if (!it.isAlone && !it.link) addLink(it);
    }
}

function addLink(it) {
    const open = (event) => {
        event.preventDefault();
        goTo(it.id);
    };
    it.problemCount = html('b');
    it.link = html('a', {href: '#panel=' + it.id, onclick: open}, it.title + ' ', it.problemCount);
    byId('nav').append(it.link);
    drawNavigationLink(it);
}

let currentProblems = [];

// Draws the links, each with the number of problems there.
export function drawNavigation(problems, isElsewhere) {
    currentProblems = problems;
    update(byId('all'), {href: address({sel: '', panel: ''}), hidden: !isElsewhere});
    for (const it of Object.values(panels)) drawNavigationLink(it);
}

function drawNavigationLink(it) {
    if (!it.link || !store.receivedAt) return;
    const number = currentProblems.filter((problem) => problem.panel === it.id).length;
    it.link.hidden = isHidden(it);
    setText(it.problemCount, number || '');
}

export function makeAllPanels() {
    buildNavigation();
    for (const it of unmadePanels.splice(0)) makePanel(it);
}

// Scrolls to a panel and moves the focus to it.
export function goTo(id) {
    const it = panels[id];
    if (!it) return;
    if (isHidden(it)) {
        if (!it.isAlone) visit(address({sel: it.isOfComponent ? settings.sel : '', panel: id}));
        return;
    }
    makeAllPanels();
    it.section.scrollIntoView();
    it.heading.focus({preventScroll: true});
    choose({panel: settings.trace ? '' : id});
}

// Goes to another address of this page. Back returns to this one, scrolled as it was.
export function visit(hash) {
    pushAddress(hash);
    arrive();
}

// Draws the address that is now that of the page, and goes to the panel that it names.
function arrive(scrolled) {
    const before = settings.sel;
    readAddress();
    drawNow();
    if (scrolled != null) window.scrollTo(0, scrolled);
    else goTo(targetPanel() || (settings.sel !== before && (settings.sel ? 'detail' : 'components')));
}

// The id of the panel that the address names: a trace is alone on the page.
export const targetPanel = () => (settings.trace ? 'trace' : settings.panel);

window.onpopstate = (event) => arrive(event.state?.y);

document.onclick = (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    visit(link.getAttribute('href'));
};
