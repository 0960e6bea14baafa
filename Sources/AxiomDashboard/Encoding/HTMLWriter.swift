// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Writes HTML. Every value is written as text: no value can add markup.
struct HTMLWriter {
    /// A cell of a table. Numbers are aligned; an alarming cell stands out.
    struct Cell {
        let text: String
        let isNumber: Bool
        let isAlarming: Bool

        static func text(_ text: String, isAlarming: Bool = false) -> Cell {
            Cell(text: text, isNumber: false, isAlarming: isAlarming)
        }

        static func number(_ text: String, isAlarming: Bool = false) -> Cell {
            Cell(text: text, isNumber: true, isAlarming: isAlarming)
        }

        /// Its class in the page's style, as an attribute.
        fileprivate var attribute: StaticString {
            switch (isNumber, isAlarming) {
            case (false, false): ""
            case (true, false): " class=n"
            case (false, true): " class=\"bad\""
            case (true, true): " class=\"n bad\""
            }
        }
    }

    private(set) var output = ""

    /// An element without attributes. `name` is written as it is.
    mutating func element(_ name: StaticString, _ content: (inout HTMLWriter) -> Void) {
        output += "<\(name)>"
        content(&self)
        output += "</\(name)>"
    }

    /// An element whose text is also its anchor; `name` is written as it is.
    mutating func anchor(_ name: StaticString, _ words: String) {
        output += "<\(name) id=\""
        text(words)
        output += "\">"
        text(words)
        output += "</\(name)>"
    }

    /// A link to a page of the same server; `page` must not be a value of the application.
    mutating func link(_ page: String, _ words: String) {
        output += "<a href=\""
        text(page)
        output += "\">"
        text(words)
        output += "</a>"
    }

    /// A table under a heading. The first cell of each row names the row. A `th` in `thead` is the header of its column, and
    /// a `th` that begins a row is the header of the row, also without a `scope`.
    mutating func table(_ title: String, _ columns: [Cell], _ rows: [[Cell]]) {
        element("h2") { $0.text(title) }
        output += "<table><thead><tr>"
        for column in columns { cell("th", column) { $0.text(column.text) } }
        output += "</tr></thead><tbody>"
        for row in rows {
            output += "<tr>"
            for (index, cell) in row.enumerated() {
                self.cell(index == 0 ? "th" : "td", cell) { html in
                    // A number is text of the dashboard itself, which runs from left to right.
                    if cell.isNumber { html.text(cell.text) } else { html.value(cell.text) }
                }
            }
            output += "</tr>"
        }
        output += "</tbody></table>"
    }

    private mutating func cell(_ name: StaticString, _ cell: Cell, _ content: (inout HTMLWriter) -> Void) {
        output += "<\(name)\(cell.attribute)>"
        content(&self)
        output += "</\(name)>"
    }

    /// Adds a text that may run from right to left, without an effect on the direction of what surrounds it.
    mutating func value(_ text: String) {
        output += "<bdi>"
        self.text(text)
        output += "</bdi>"
    }

    /// Adds text, escaped for elements and for quoted attributes.
    mutating func text(_ text: String) {
        output += Markup.escaped(text)
    }
}

/// Numbers and moments as a person reads them, and "n/a" for what is not known.
enum QuantityText {
    /// What stands for an unknown number.
    static let none = "n/a"

    /// A ratio of 0...1.
    static func percentage(_ ratio: Double?) -> String {
        ratio.flatMap(QuantityFormat.percentage) ?? none
    }

    /// A moment in UTC, for a title.
    static func moment(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds.rounded()).formatted(.iso8601)
    }

    /// Seconds, in the unit that suits them.
    static func seconds(_ value: Double?) -> String {
        value.flatMap(QuantityFormat.duration) ?? none
    }
}
