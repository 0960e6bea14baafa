// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// The words of an error view that do not come from the error itself. English by default.
///
/// The message and the suggestion of an error come from the error, in the language that `ErrorLocalization` prefers.
/// Set the labels of the same language as a value of the application:
/// ```swift
/// var german = ErrorLabels()
/// german.titles[.connection] = "Keine Verbindung"
/// german.optionTitles["Try again"] = "Erneut versuchen"
/// orchestrator.values[ErrorLabels.self] = german
/// ```
public struct ErrorLabels: Sendable, Hashable, AppValues.Key {
    /// English.
    public static let fallback = ErrorLabels()

    /// The title of each kind of error. A kind without one has the title of ``ErrorKind/failure``.
    public var titles: [ErrorKind: String] = [
        .connection: "No connection",
        .server: "The server reported an error",
        .timeout: "This took too long",
        .signIn: "Sign-in required",
        .permission: "Not permitted",
        .input: "Invalid input",
        .navigation: "This page cannot be shown",
        .unavailable: "Not available",
        .overload: "Temporarily unavailable",
        .state: "The data is not up to date",
        .settings: "Invalid settings",
        .update: "Update required",
        .program: "Internal error",
        .warning: "Warning",
        .failure: "Something went wrong",
    ]
    /// Replacements for the titles of options, by the title that the option was made with. Empty by default: options
    /// keep their titles.
    public var optionTitles: [String: String] = [:]
    /// The message of an error that has no text for the user.
    public var unknownMessage = "An unexpected error occurred."
    /// Shown instead of the options while a recovery runs.
    public var recovering = "Trying again…"

    /// English labels.
    public init() {}

    func title(of kind: ErrorKind) -> String {
        titles[kind] ?? titles[.failure] ?? Self.fallback.titles[kind] ?? unknownMessage
    }

    func title(of option: RecoveryOption) -> String { optionTitles[option.title] ?? option.title }
}
