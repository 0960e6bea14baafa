// SPDX-License-Identifier: Apache-2.0
// Controls for the settings of the user. Each shows its setting, also after a change of the URL.

import {button, html, labelled, update} from '../base/dom.js';
import {chosenComponent} from '../model/components.js';
import {choose, fixedRange, onSettings, settings} from '../model/settings.js';

// A select element for the setting `key`. The options are values that are their texts, or [value, text].
export function selection(label, key, options) {
    const choices = options.map((it) => [it].flat()).map(([value, text = value]) => html('option', {value}, text));
    const select = html('select', {onchange: () => choose({[key]: select.value})}, ...choices);
    onSettings(() => {
        select.value = fixedRange && key === 'range' ? '' : settings[key];
    });
    return labelled(label, select);
}

// A field for the setting `key`. Nothing writes to it while it has the focus.
export function field(key, properties) {
    const input = html('input', {...properties, oninput: () => choose({[key]: input.value})});
    onSettings(() => {
        if (input !== document.activeElement) input.value = settings[key] || '';
    });
    return input;
}

// A button for a setting that is on or off. The page of a component, which shows everything, does not have it.
export function toggle(label, key) {
    const control = button(label, () => choose({[key]: 1 - settings[key]}));
    onSettings(() => {
        update(control, {'aria-pressed': String(Boolean(settings[key])), hidden: Boolean(chosenComponent())});
    });
    return control;
}
