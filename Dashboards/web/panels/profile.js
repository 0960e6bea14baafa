// SPDX-License-Identifier: Apache-2.0
// The profile. Its script is a second one, which is loaded when the panel is shown first. An export contains it.

import {button, byId, html, menu, update, updateChildren} from '../base/dom.js';
import {bytes, joined, plural, seconds, share, shortName} from '../base/format.js';
import {request} from '../connection/server.js';
import {clockTime} from '../model/range.js';
import {address, choose, pushAddress, settings} from '../model/settings.js';
import {store} from '../model/store.js';
import {ask} from '../page/ask.js';
import {field} from '../page/controls.js';
import {copyText, csvText, jsonText} from '../page/copy.js';
import {drawPanel, isHidden, panel} from '../page/panel.js';
import {column} from '../table/columns.js';
import {makeTable} from '../table/table.js';

// What the second script uses of this one. Scripts/embed-page makes its imports of this list.
window.shared = [
    button, html, menu, update, updateChildren, bytes, joined, plural, seconds, share, shortName, request, clockTime,
    address, choose, pushAddress, settings, field, copyText, csvText, jsonText, drawPanel, column, makeTable,
];

const exists = () => store.app.profile;

panel('profile', 'Profile', {view: 'profile', isOfComponent: false, exists}, (body, tools, it) => {
    const show = () => {
        it.draw = window.profileView(body, tools, it);
    };
    // The policy of the page allows this script by its digest, and not that of another version, which then fails here.
    const receive = (text) => {
        body.append(html('script', text));
        show();
    };
    const job = {receive};
    return () => {
        if (isHidden(it)) return '';
        if (!window.profileView) {
            ask(it, job, 'profile.js', {}, 'text');
            return job.reason;
        }
        show();
        return it.draw();
    };
});
