// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// A page that explains the error codes of the framework, each under an anchor of its own. The dashboard links to it. It is made
/// from the catalogue in the process, so it needs no published documentation and always has the right version.
package enum CodePage {
    /// The page: headings and text, in the colours of the browser.
    package static let html: [UInt8] = {
        var html = HTMLWriter()
        html.element("h1") { $0.text("Error codes") }
        html.element("p") {
            $0.text(
                "The codes of the framework, with what each means and what to do. The codes of an application are its own."
            )
        }
        for entry in ErrorCatalog.entries { write(entry, to: &html) }
        return Array((head + html.output).utf8)
    }()

    /// What the page may do: nothing.
    package static let policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private static let head = """
        <!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width">\
        <meta name=color-scheme content="light dark"><title>Error codes of Axiom</title>
        """

    private static func write(_ entry: ErrorCatalog.Entry, to html: inout HTMLWriter) {
        html.anchor("h2", entry.code.rawValue)
        html.element("p") { $0.text("\(entry.meaning) \(entry.remedy)") }
        html.element("p") {
            $0.text("Severity \(entry.severity.rawValue), suggested action \(entry.suggestedAction.rawValue).")
        }
    }
}
