// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

extension Dashboard {
    /// What the page may do, for the header `Content-Security-Policy`: nothing but run its own script and style, and ask
    /// the server that it came from.
    public static var pagePolicy: String {
        PageAssembler.policy(isLive: true) + "; frame-ancestors 'none'"
    }

    /// The page as a server sends it: it asks for the snapshot itself. For browsers without JavaScript it holds short tables.
    ///
    /// - Parameter export: Where ``exportedPage()`` is served, relative to the page, which names it for long tables.
    public func page(export: String = "export.html") -> [UInt8] {
        let tables = OverviewTables(Overview(registry.collect()), export: export)
        return PageAssembler.page(title: name, data: nil, noscript: tables.html)
    }

    /// The page with the present snapshot in it: a file that needs no server and works from anywhere.
    public func exportedPage() -> [UInt8] {
        let tables = OverviewTables(Overview(registry.collect()), isWhole: true)
        return PageAssembler.page(title: name, data: snapshot(), noscript: tables.html)
    }
}
