// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// What encoders have rendered of a family, made when a page of the format is first written.
final class TemplateCache: Sendable {
    private struct LineKey: Hashable {
        let style: LineStyle
        let escaping: NameEscaping
    }

    private struct Rendered {
        var lines: [LineKey: LineTemplate] = [:]
        var messages: [NameEscaping: MessageTemplate] = [:]
    }

    /// Guarded by its lock, which is held while a template is made: once for each format that is asked for.
    private let rendered = Lock(Rendered())

    func lines(_ definition: MetricDefinition, _ style: LineStyle, _ escaping: NameEscaping) -> LineTemplate {
        rendered.withLock { rendered in
            let key = LineKey(style: style, escaping: escaping)
            if let present = rendered.lines[key] { return present }
            let template = LineTemplate(definition, style, escaping)
            rendered.lines[key] = template
            return template
        }
    }

    func message(_ definition: MetricDefinition, _ escaping: NameEscaping) -> MessageTemplate {
        rendered.withLock { rendered in
            if let present = rendered.messages[escaping] { return present }
            let template = MessageTemplate(definition, escaping)
            rendered.messages[escaping] = template
            return template
        }
    }
}
