// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Puts the page together: one file, with a policy that allows exactly its own script and style.
///
/// The sources of the page are in `Dashboards/web`. `Scripts/embed-page` minifies them, computes their digests and writes
/// both into a Swift file, so that a program contains the page wherever it runs and computes nothing at its start. (A
/// resource bundle has to be found beside the program. SwiftPM's `embedInCode` takes files of the target's own folder only,
/// as arrays of numbers that take the compiler minutes.) A test checks that the file is up to date.
enum PageAssembler {
    /// The texts of the template, each with the name of the placeholder that follows it.
    private static let template: [(text: String, placeholder: String?)] = {
        let pieces = PageSource.template.split(separator: "}}", omittingEmptySubsequences: false)
        return pieces.map { piece in
            let parts = piece.split(separator: "{{", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (parts[0], parts.count > 1 ? parts[1] : nil)
        }
    }()

    /// What the page may do; a live one may ask its own server.
    static func policy(isLive: Bool) -> String {
        let connect = isLive ? " connect-src 'self';" : ""
        let request = isLive ? " \(PageSource.requestDigest)" : ""
        return
            "default-src 'none'; script-src \(PageSource.scriptDigest) \(PageSource.profileDigest)\(request);"
            + " style-src \(PageSource.styleDigest); img-src data:;"
            + "\(connect) base-uri 'none'; form-action 'none'"
    }

    /// - Parameters:
    ///   - title: Text.
    ///   - data: JSON without `<`, as ``JSONText`` and ``DashboardFile`` write it; nil for a page that asks its server.
    ///   - noscript: HTML, for browsers without JavaScript.
    ///   - hasProfile: Whether the data has a profile. A live page loads the script of the profile when it shows one.
    static func page(title: String, data: [UInt8]?, noscript: String, hasProfile: Bool = false) -> [UInt8] {
        var html = HTMLWriter()
        html.text(title)
        let meta = "<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy(isLive: false))\">"
        var page: [UInt8] = []
        page.reserveCapacity(80_000 + (data?.count ?? 0))
        for part in template {
            page += part.text.utf8
            switch part.placeholder {
            case "head": page += (data == nil ? "<script>\(PageSource.request)</script>" : meta).utf8
            case "title": page += html.output.utf8
            case "style": page += PageSource.style.utf8
            case "data": page += data ?? []
            case "noscript": page += noscript.utf8
            case "script": page += PageSource.script.utf8
            case "profile" where hasProfile: page += "<script>\(PageSource.profile)</script>".utf8
            default: break
            }
        }
        return page
    }
}

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
