// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP

/// How an exporter serves the dashboard.
public struct DashboardOptions: Sendable, Hashable {
    /// What the application is called on the page; the process's name unless told.
    public var name: String?
    /// A secret that the page and its data are not shown without: `http://127.0.0.1:9464/?token=…`. One for each run, from
    /// a random source. None unless told: then whoever reaches the port sees the page. Metrics and health need no token.
    public var token: String?
    /// Whether there is a dashboard, as there is unless told. Without one nothing is sampled, and its addresses are not
    /// found; metrics and health are served all the same.
    public var isServed: Bool

    /// Makes options.
    public init(name: String? = nil, token: String? = nil, isServed: Bool = true) {
        self.name = name
        self.token = token
        self.isServed = isServed
    }

    /// - Throws: `HTTPServerError` that names the option.
    func validate() throws {
        guard let token, token.isEmpty else { return }
        throw HTTPServerError(
            .invalidConfiguration,
            "the dashboard's token is empty; leave it out, or give a random one"
        )
    }
}
