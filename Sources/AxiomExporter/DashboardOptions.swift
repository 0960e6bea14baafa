// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP

/// The options of an exporter's dashboard.
public struct DashboardOptions: Sendable, Hashable {
    /// The name of the application on the page. Default nil, for the name of the process.
    public var name: String?
    /// A secret that requests of the page and its data must have: `http://127.0.0.1:9464/?token=…`. Use a random one for each
    /// run. Default nil: then any client that reaches the port may read the page. Metrics and health need no token.
    public var token: String?
    /// Whether there is a dashboard. Default true. If false, nothing is sampled and the paths of the dashboard are not found;
    /// metrics and health are served.
    public var isServed: Bool

    /// Creates options.
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
