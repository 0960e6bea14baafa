// SPDX-License-Identifier: Apache-2.0
// The views, and the ways to panels and addresses of this page.

import {byId, html, setText, update, updateChildren} from '../base/dom.js';
import {drawNow} from '../base/frames.js';
import {address, choose, pushAddress, readAddress, settings} from '../model/settings.js';
import {currentView, drawPanel, isFolded, isHidden, isThere} from './panel.js';
import {makePanel, panels, showOrHide, unmadePanels} from './panel.js';

// The views, and what narrow windows leave out of their titles.
const VIEWS = [
    ['health', 'Health'],
    ['components', 'Components'],
    ['errors', 'Errors', ' and circuits'],
    ['latency', 'Latency', ' and budgets'],
    ['process', 'Process'],
    ['profile', 'Profile'],
];

export const viewAddress = (view) => address({tab: view === 'health' ? '' : view, panel: '', sel: ''});

// Draws the links to the views, each with the number of problems there, and the way back from a component or a trace.
export function drawNavigation(problems, component) {
    const elsewhere = settings.trace ? 'latency' : component && 'components';
    const current = elsewhere || currentView();
    const makeLink = () => html('a', html('span'), html('span'), ' ', html('b'));
    const views = VIEWS.filter(([view]) => isThere(panels[view]));
    updateChildren(byId('nav'), views, makeLink, (link, [view, title, more = '']) => {
        const size = problems.filter((problem) => panels[problem.panel]?.view === view).length;
        update(link, {href: viewAddress(view), 'aria-current': view === current && 'page'});
        setText(link.children[0], title);
        setText(link.children[1], more);
        setText(link.lastChild, size || '');
    });
    update(byId('all'), {href: viewAddress('components'), hidden: !elsewhere});
}

// The panels of the page that have nothing to show are one line of links.
export function drawFolded(component) {
    const folded = Object.values(panels).filter((it) => isFolded(it, component));
    const [links, words] = byId('nothing').children;
    const drawLink = (link, {id, title}, index) => {
        update(link, {href: address({panel: id}), text: title + (folded[index + 1] ? ', ' : '')});
    };
    updateChildren(links, folded, () => html('a'), drawLink);
    setText(words, folded.length ? ': nothing' : '');
}

export function makeAllPanels() {
    for (const it of unmadePanels.splice(0)) makePanel(it);
}

// Scrolls to a panel and moves the focus to it.
export function goTo(id) {
    const it = panels[id];
    if (!it || !isThere(it)) return;
    if (isHidden(it)) {
        if (!it.isAlone) visit(address({sel: it.isOfComponent ? settings.sel : '', panel: id}));
        return;
    }
    makeAllPanels();
    choose({panel: settings.trace ? '' : id});
    for (const other of Object.values(panels)) showOrHide(other);
    drawPanel(it);
    it.sectionNode.scrollIntoView();
    it.heading.focus({preventScroll: true});
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
    const target = targetPanel() || (settings.sel !== before && settings.sel && 'detail');
    if (target && scrolled == null) goTo(target);
    else window.scrollTo(0, scrolled || 0);
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
