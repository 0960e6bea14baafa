// SPDX-License-Identifier: Apache-2.0

/// Writes HTML. Every value is written as text: no value can add markup.
struct HTMLWriter {
    /// A column of a table.
    enum Column {
        case text(String)
        case number(String)
    }

    /// A cell of a table. An alarming one stands out.
    enum Cell {
        case text(String, isAlarming: Bool = false)
        case number(String, isAlarming: Bool = false)
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
        element(name, "id", words, words)
    }

    /// A link to a page of the same server; `page` must not be a value of the application.
    mutating func link(_ page: String, _ words: String) {
        element("a", "href", page, words)
    }

    /// An element with one attribute. Both names are written as they are.
    private mutating func element(
        _ name: StaticString,
        _ attribute: StaticString,
        _ value: String,
        _ words: String
    ) {
        output += "<\(name) \(attribute)=\""
        text(value)
        output += "\">"
        text(words)
        output += "</\(name)>"
    }

    /// A table under a heading. The first cell of each row names the row.
    mutating func table(_ title: String, _ columns: [Column], _ rows: [[Cell]]) {
        element("h2") { $0.text(title) }
        output += "<table><thead><tr>"
        for column in columns { header(column) }
        output += "</tr></thead><tbody>"
        for row in rows { self.row(row) }
        output += "</tbody></table>"
    }

    /// A `th` in `thead` is the header of its column, and a `th` that begins a row is the header of the row, also without a
    /// `scope`. The classes are those of the page's style.
    private mutating func header(_ column: Column) {
        switch column {
        case .text(let title): cell("th", "", fixed: title)
        case .number(let title): cell("th", " class=n", fixed: title)
        }
    }

    private mutating func row(_ cells: [Cell]) {
        output += "<tr>"
        for (index, cell) in cells.enumerated() {
            switch cell {
            case .text(let text, _) where index == 0: self.cell("th", "", text)
            case .text(let text, isAlarming: false): self.cell("td", "", text)
            case .text(let text, isAlarming: true): self.cell("td", " class=\"bad\"", text)
            case .number(let text, isAlarming: false): self.cell("td", " class=n", fixed: text)
            case .number(let text, isAlarming: true): self.cell("td", " class=\"n bad\"", fixed: text)
            }
        }
        output += "</tr>"
    }

    private mutating func cell(_ name: StaticString, _ attributes: StaticString, _ text: String) {
        output += "<\(name)\(attributes)>"
        value(text)
        output += "</\(name)>"
    }

    /// Text of the dashboard itself, which runs from left to right.
    private mutating func cell(_ name: StaticString, _ attributes: StaticString, fixed text: String) {
        output += "<\(name)\(attributes)>"
        self.text(text)
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
        for character in text.unicodeScalars {
            switch character {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            case "'": output += "&#39;"
            case "\t", "\n": output.unicodeScalars.append(character)
            // HTML allows no control characters; the replacement character shows that there was something.
            case _ where character.properties.generalCategory == .control: output += "\u{FFFD}"
            default: output.unicodeScalars.append(character)
            }
        }
    }
}
