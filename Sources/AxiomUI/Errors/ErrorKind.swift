// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The kind of an error, as the user sees it: it selects the icon and the title.
public enum ErrorKind: String, Sendable, Hashable, CaseIterable {
    /// There is no connection.
    case connection
    /// A server answered with an error, or with something that cannot be read.
    case server
    /// Something did not end in time.
    case timeout
    /// The user has to sign in.
    case signIn
    /// The user or the application has no permission.
    case permission
    /// An input is invalid.
    case input
    /// A destination in the application cannot be shown.
    case navigation
    /// A part of the application or of the device cannot be used.
    case unavailable
    /// A part of the application refuses calls for a while.
    case overload
    /// The data is not what an operation expected.
    case state
    /// Settings are missing or invalid.
    case settings
    /// The application is too old.
    case update
    /// The program has a mistake.
    case program
    /// Nothing stopped, but it may become a problem.
    case warning
    /// Any other error.
    case failure

    /// The kind of an error: by its code if the framework declares it, otherwise by the action that it suggests and by
    /// its severity.
    package init(of error: any Error) {
        let known = error as? any AxiomError
        self =
            Self.byCode[ErrorCode(of: error)] ?? Self.family(of: ErrorCode(of: error))
            ?? known.flatMap { Self(suggesting: $0.suggestedAction) }
            ?? (known?.severity == .warning ? .warning : .failure)
    }

    /// The kinds of codes that differ from the kind of their family.
    private static let byCode: [ErrorCode: ErrorKind] = [
        .networkTimeout: .timeout,
        .serverError: .server,
        .invalidResponse: .server,
        .capabilityTimedOut: .timeout,
        .actionQueueFull: .overload,
        .permissionDenied: .permission,
        .permissionNotRequested: .permission,
        .forbidden: .permission,
        .waitsForItself: .program,
        .storageReadOnly: .permission,
        .storageNewer: .update,
    ]

    private static let byFamily: [Substring: ErrorKind] = [
        "CAPABILITY": .unavailable,
        "STATE": .state,
        "CLIENT": .unavailable,
        "CONTEXT": .unavailable,
        "NAVIGATION": .navigation,
        "NETWORK": .connection,
        "VALIDATION": .input,
        "AUTHORIZATION": .signIn,
        "CIRCUIT": .overload,
        "LIFECYCLE": .timeout,
        "CONFIGURATION": .settings,
        "COMPOSITION": .program,
        "TELEMETRY": .program,
        "PROFILER": .program,
        "STORAGE": .unavailable,
    ]

    /// The kind of a family of the framework: the middle part of `AXIOM_NETWORK_001`.
    private static func family(of code: ErrorCode) -> ErrorKind? {
        let parts = code.rawValue.split(separator: "_")
        guard parts.count == 3, parts[0] == "AXIOM" else { return nil }
        return byFamily[parts[1]]
    }

    private init?(suggesting action: ErrorAction) {
        switch action {
        case .authenticate: self = .signIn
        case .update: self = .update
        case .retry, .contactSupport, .dismiss: return nil
        }
    }

    // MARK: - Icons

    /// The icon of a terminal: a character of one column.
    package var glyph: Character {
        switch self {
        case .connection: "⌁"
        case .server: "☁"
        case .timeout: "◷"
        case .signIn: "⚿"
        case .permission: "⊘"
        case .input: "✎"
        case .navigation: "⌖"
        case .unavailable: "⌧"
        case .overload: "⏸"
        case .state: "↻"
        case .settings: "⚙"
        case .update: "⤓"
        case .program: "⚒"
        case .warning: "⚠"
        case .failure: "✗"
        }
    }
}
