// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// A strategy cannot be created because a setting is invalid. The message names the setting and how to correct it.
///
/// This is an error of configuration. An error that a strategy throws while it works has its own type, such as
/// ``CircuitOpenError``.
public struct ResilienceError: MessageError, Hashable, CustomStringConvertible {
    /// The kind of a ``ResilienceError``.
    package enum Code: Hashable, Sendable {
        /// A name is empty.
        case invalidName
        /// A setting is out of range or contradicts another one.
        case invalidOption
        /// The strategies cannot be combined in this way.
        case invalidComposition
    }

    /// The kind of error.
    package let code: Code
    /// The setting, its value, and how to correct it.
    public let message: String
    /// The source file that creates the strategy, as `Module/File.swift`.
    package let file: String
    /// The line in ``file``.
    package let line: Int

    init(_ code: Code, _ message: String, file: String, line: Int) {
        self.code = code
        self.message = message
        self.file = file
        self.line = line
    }

    /// The message and the source location.
    public var description: String { "\(message) (\(file):\(line))" }
}

/// Checks the settings of one strategy, and builds the errors.
struct SettingCheck {
    /// The type and the name of the strategy, such as `Retry "checkout"`.
    let subject: String
    let file: String
    let line: Int

    /// Throws unless `isValid`. The `remedy` says which values are valid.
    func require(
        _ isValid: Bool,
        _ setting: String,
        _ value: @autoclosure () -> Any,
        _ remedy: @autoclosure () -> String
    ) throws(ResilienceError) {
        if !isValid { throw error(.invalidOption, "\(setting) is \(value()); \(remedy())") }
    }

    /// Throws if `name` is empty.
    func requireName(_ name: String) throws(ResilienceError) {
        if name.isEmpty { throw error(.invalidName, "the name is empty; errors and metrics need one") }
    }

    /// Throws if `duration` is zero or negative. Nil is valid.
    func requirePositive(_ duration: Duration?, _ setting: String) throws(ResilienceError) {
        guard let duration else { return }
        try require(duration > .zero, setting, duration, "it has to be longer than zero, or nil for no limit")
    }

    func error(_ code: ResilienceError.Code, _ message: String) -> ResilienceError {
        ResilienceError(code, "\(subject): \(message)", file: file, line: line)
    }
}

/// The one answer to the question whether a call was cancelled on purpose.
///
/// A `CancellationError` alone does not say so: an operation also ends with it if a task inside it was cancelled. Such a
/// call failed like any other. It is a cancellation only if the task of the *caller* is cancelled, or if the framework
/// ended the call on purpose.
package enum Cancellation {
    /// The error of a call that the framework ended on purpose while its caller's task was not cancelled, such as an
    /// action that a newer one superseded. It must not be sent again.
    ///
    /// `CancellationError` has no room for a reason, and callers catch that type. The error is therefore recognised by
    /// the identity of its box, which `throw` and `Result` preserve.
    package static let onPurpose: any Error = CancellationError()

    /// Whether `error`, which the current task has received from an operation, means that the operation was cancelled on
    /// purpose. Ask in the task of the caller.
    package static func isIntended(_ error: any Error) -> Bool {
        error is CancellationError && (Task.isCancelled || isOnPurpose(error))
    }

    private static func isOnPurpose(_ error: any Error) -> Bool {
        identity(of: error) == identity(of: onPurpose)
    }

    /// The address of the box. It is only compared.
    private static func identity(of error: any Error) -> UInt {
        unsafeBitCast(Holder(error: error), to: UInt.self)
    }

    /// An `any Error` is one pointer. In a struct, because the compiler would pass what is in the box instead of the box.
    private struct Holder {
        let error: any Error
    }
}
