// SPDX-License-Identifier: Apache-2.0
// Why calls of the chosen component are slow: what distinguishes them from its ordinary calls. Requested by a click.

import {button, html, setText, update, updateChildren} from '../base/dom.js';
import {joined, plural, seconds, share} from '../base/format.js';
import {makeMeter} from '../charts/marks.js';
import {isFile} from '../connection/live.js';
import {chosenComponent} from '../model/components.js';
import {address} from '../model/settings.js';
import {rowsOf} from '../model/store.js';
import {ask} from '../page/ask.js';
import {panel} from '../page/panel.js';

const callsOf = ({id}) => rowsOf('calls').filter(({component}) => component === id);

const exists = (component) => Boolean(component) && !isFile() && callsOf(component).length > 0;

panel('why', 'Why slow?', {view: 'components', isAlone: true, isWide: false, exists}, (body, tools, it) => {
    // The component and the answer, or the request for it.
    let job = {};
    const select = html('select', {'aria-label': 'Calls', onchange: start});
    const says = html('p');
    const list = html('ul.why');
    tools.prepend(select, button('Why slow?', start));
    body.append(says, list);
    return () => {
        const component = chosenComponent();
        if (!component) return '';
        if (job.component !== component.name) {
            job = {component: component.name};
            select.value = '';
        }
        const drawOption = (option, action) => update(option, {value: action, text: action || 'All calls'});
        const actions = callsOf(component).map(({action}) => action);
        updateChildren(select, ['', ...actions], () => html('option'), drawOption);
        const {answer} = job;
        setText(says, job.reason || (answer ? answerText(answer) : job.receive ? 'Comparing.' : HINT));
        updateChildren(list, answer?.causes || [], makeCause, drawCause);
        return answer && noteOf(answer);
    };

    function start() {
        const component = chosenComponent().name;
        const asked = {component, receive: (answer) => Object.assign(asked, {answer})};
        job = asked;
        ask(it, asked, 'api/explanation', {component, action: select.value});
    }
});

const HINT = 'Compares the slow calls with the ordinary ones, and names what they differ in.';

// The causes say it.
const answerText = ({says, causes}) => (causes.length ? '' : says);

const noteOf = ({spans, slow, threshold, typical}) =>
    joined(plural(spans, 'call'), slow && `${slow} above ${seconds(threshold)}, else about ${seconds(typical)}`);

function makeCause() {
    const meter = makeMeter('');
    return html('li', html('p'), meter, html('a', 'Trace of the slowest'));
}

function drawCause(item, cause) {
    const [text, meter, link] = item.children;
    setText(text, cause.says);
    const times = `${seconds(cause.slow)}, not ${seconds(cause.ordinary)}`;
    meter.draw(cause.share, null, joined(times, plural(cause.spans, 'slow call')), share(cause.share));
    update(link, {hidden: !cause.trace, href: cause.trace && address({trace: cause.trace, panel: ''})});
}
