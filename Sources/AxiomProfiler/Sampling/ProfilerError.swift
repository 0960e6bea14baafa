// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase

/// A profiler cannot start, or a profile cannot be written.
public struct ProfilerError: AxiomError, Hashable {
    /// What is wrong.
    public let code: ErrorCode
    /// The input and what is wrong with it.
    public let message: String
    /// What to change.
    public let recoverySuggestion: String

    /// Only the application's developers can change the values.
    public var suggestedAction: ErrorAction { .contactSupport }

    static func unsupported(_ reason: String, remedy: String = "Run without a profiler.") -> ProfilerError {
        ProfilerError(
            code: .profilerUnsupported,
            message: "The profiler cannot run: \(reason.clause).",
            recoverySuggestion: remedy
        )
    }

    /// Throws an error if a value is not in its range.
    ///
    /// - Parameters:
    ///   - problem: What the range is.
    ///   - usual: The value for most programs.
    static func check(
        _ name: String,
        _ value: Int,
        in range: ClosedRange<Int>,
        _ problem: String,
        usual: String
    ) throws(ProfilerError) {
        guard !range.contains(value) else { return }
        throw ProfilerError(
            code: .invalidProfilerOption,
            message: "The option \(name) of the profiler is \(value): \(problem).",
            recoverySuggestion: "Give \(usual) unless you have a reason."
        )
    }

    static let running = ProfilerError(
        code: .profilerRunning,
        message: "A profiler already runs in this process, and a thread has one timer.",
        recoverySuggestion: "Use that profiler, or stop it first."
    )

    static func notWritten(_ path: String, _ reason: any Error) -> ProfilerError {
        ProfilerError(
            code: .profileNotWritten,
            message: "The profile cannot be written to \(path): \(String(describing: reason).clause).",
            recoverySuggestion: "Use a path that can be written."
        )
    }
}
