// SPDX-License-Identifier: Apache-2.0
// The notices at the top of the page, the dialog, and what screen readers announce.

import {button, byId, html, setText, updateChildren} from './dom.js';
import {showKind} from './states.js';

// The notices by subject, as [kind, text, place]. A notice stays until its subject is resolved.
const notices = new Map();

export function showNotice(subject, kind, text, place = '') {
    notices.delete(subject);
    notices.set(subject, [kind, text, place]);
    drawNotices();
}

export function resolveNotice(subject) {
    if (notices.delete(subject)) drawNotices();
}

function drawNotices() {
    const banner = byId('banner');
    const makeLine = () => html('p', html('span'));
    banner.hidden = !notices.size;
    const drawLine = (line, [kind, text, place]) => {
        line.className = place;
        showKind(line.firstChild, kind, text);
    };
    updateChildren(banner, [...notices.values()], makeLine, drawLine);
}

// A short confirmation: shown for 4 seconds above the page, so that nothing moves, and announced to screen readers.
export function confirmShortly(text) {
    setTimeout(resolveNotice, 4000, 'confirmation');
    showNotice('confirmation', 'info', text, 'above');
    announce(text);
}

let announcement = '';
let announcing = 0;

// Announces a change to screen readers, at most every five seconds. The last change is always announced.
export function announce(text) {
    announcement = text;
    announcing ||= setTimeout(() => {
        announcing = 0;
        setText(byId('say'), announcement);
    }, 5000);
}

export function showDialog(title, ...content) {
    const dialog = byId('dialog');
    const close = button('Close', () => dialog.close());
    dialog.replaceChildren(html('h2', {id: 'titled'}, title), ...content, close);
    dialog.showModal();
}
