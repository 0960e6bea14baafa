// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

extension Dashboard {
    /// What the page may do, for the header `Content-Security-Policy`: nothing but run its own script and style, and ask
    /// the server that it came from.
    public static var pagePolicy: String {
        PageAssembler.policy(isLive: true) + "; frame-ancestors 'none'"
    }

    /// The page as a server sends it: it asks for the snapshot itself. For browsers without JavaScript it holds short tables.
    public func page() -> [UInt8] {
        PageAssembler.page(title: name, data: nil, noscript: tables(isWhole: false))
    }

    /// The page with the present snapshot in it: a file that needs no server and works from anywhere.
    public func exportedPage() -> [UInt8] {
        PageAssembler.page(title: name, data: snapshot(), noscript: tables(isWhole: true))
    }

    private func tables(isWhole: Bool) -> String {
        OverviewTables(Overview(registry.collect()), isWhole: isWhole).html
    }
}
