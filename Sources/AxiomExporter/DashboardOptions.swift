// SPDX-License-Identifier: Apache-2.0

internal import AxiomDashboard
internal import AxiomHTTP

/// The options of an exporter's dashboard.
public struct DashboardOptions: Sendable, Hashable {
    /// The name of the application on the page. Default nil, for the name of the process.
    public var name: String?
    /// A secret that requests of the page and its data must have: `http://127.0.0.1:9464/?token=…`, or a header
    /// `Authorization: Bearer …`. A browser that opens the page with the token gets a cookie in exchange, so that the token does
    /// not stay in its address. Use a random one for each run. Default nil: then any client that reaches the port may read the page. Metrics and health need no token.
    public var token: String?
    /// Whether there is a dashboard. Default true. If false, nothing is sampled and the paths of the dashboard are not found;
    /// metrics and health are served.
    public var isServed: Bool
    /// Whether the page shows the state of clients: their values, their latest changes and who subscribes to them. Default
    /// false, in every build. States contain what users of the application entered, and any client that may read the page
    /// may read them, so set it while developing, and set a ``token`` too. A property with `@Redacted` and a value of a
    /// `RedactedState` are never shown. If false, no state leaves the process, and none is kept. Requires a ``token``,
    /// credentials or client certificates if other machines can reach the port.
    public var inspectsState: Bool

    /// Whether the page can act on components: open, reset and shadow a circuit breaker, inject latency or errors into a
    /// client, and take a capability away. Default false. Requires a ``token``. Every use is an event on the page and a
    /// line in the log, and ends by itself after 10 minutes at most.
    public var allowsActions: Bool

    /// Whether the actions of contexts are recorded with what they contain, as source text, and served as a Swift test that
    /// replays them ("Save as test" in the Activity panel). Default false. Actions contain what users of the application
    /// entered, and any client that may read the page may read them, so set it while developing, and set a ``token`` too.
    /// What `@Redacted` or a `RedactedState` hides is not recorded. The first 1,000 actions are kept. Requires a token or
    /// credentials as ``inspectsState`` does.
    public var recordsPayloads: Bool

    /// Creates options.
    public init(
        name: String? = nil,
        token: String? = nil,
        isServed: Bool = true,
        inspectsState: Bool = false,
        allowsActions: Bool = false,
        recordsPayloads: Bool = false
    ) {
        (self.name, self.token, self.isServed) = (name, token, isServed)
        (self.inspectsState, self.allowsActions) = (inspectsState, allowsActions)
        self.recordsPayloads = recordsPayloads
    }

    var features: Set<DashboardFeature> {
        let switches: [DashboardFeature: Bool] = [
            .inspectsState: inspectsState, .allowsActions: allowsActions, .recordsPayloads: recordsPayloads,
        ]
        return Set(switches.filter(\.value).keys)
    }

    /// - Throws: `HTTPServerError` that names the option.
    func validate(for configuration: HTTPServerConfiguration) throws {
        if token == nil, isServed, configuration.isOpenToOthers {
            for (option, isOn) in [("inspectsState", inspectsState), ("recordsPayloads", recordsPayloads)] where isOn {
                throw HTTPServerError(
                    .invalidConfiguration,
                    "the dashboard shows what users of the application entered (\(option)) to everybody who reaches "
                        + "\(configuration.host), because it has neither a token nor credentials; give "
                        + "DashboardOptions(token:) a random one, listen at 127.0.0.1 without \"*\" in allowedHosts, or leave "
                        + "\(option) out"
                )
            }
        }
        if allowsActions, token == nil {
            throw HTTPServerError(
                .invalidConfiguration,
                "the dashboard allows actions but has no token, so any page and process on this machine could act; "
                    + "give DashboardOptions(token:) a random one, or leave allowsActions out"
            )
        }
        guard let token, token.isEmpty else { return }
        throw HTTPServerError(
            .invalidConfiguration,
            "the dashboard's token is empty; leave it out, or give a random one"
        )
    }
}

extension HTTPServerConfiguration {
    /// Whether a client on another machine, or a page of another site in a browser, can read the responses without
    /// credentials.
    fileprivate var isOpenToOthers: Bool {
        let isLocal = ["localhost", "::1"].contains(host) || host.hasPrefix("127.")
        let isGuarded = authentication != nil || tls?.clientAuthentication == .requireAndVerify
        return !(isLocal && !allowedHosts.contains("*")) && !isGuarded
    }
}
