// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics
internal import Dispatch

/// Writes the errors that end to standard error, until the application has a log for them: at most one line in 60 s for
/// each group of an ``ErrorMonitor``.
///
/// It writes on a thread of Dispatch, because a full pipe blocks it.
final class ErrorLog: Sendable {
    let lines: DeliveryQueue<ErrorLine>
    private let thread = DispatchQueue(label: "axiom.errors", qos: .utility)
    /// Where the lines go; nil if they are not wanted.
    private let descriptor: Lock<CInt?>

    init(isOn: Bool, full: Counter) {
        descriptor = Lock(isOn ? LogLine.standardError : nil)
        lines = DeliveryQueue(to: { $0.log() }, full: full, on: thread)
    }

    /// Writes to another file from now on, or nothing more.
    func redirect(to descriptor: CInt?) { self.descriptor.withLock { $0 = descriptor } }

    /// - Parameter unlogged: How many errors of the group had no line since its last one.
    func write(_ error: EndedError, unlogged: UInt64) {
        guard let descriptor = descriptor.withLock({ $0 }) else { return }
        lines.send(ErrorLine(error, unlogged: unlogged, to: descriptor))
    }

    /// Waits until the lines are written, but no longer than 0.1 s: a full pipe is not waited for.
    func flush() {
        let written = DispatchSemaphore(value: 0)
        thread.async { written.signal() }
        _ = written.wait(timeout: .now() + .milliseconds(100))
    }
}

/// One line: the severity, the code, the components that the error passed, the message, and how many had no line.
struct ErrorLine: Sendable, CustomStringConvertible {
    let description: String
    private let descriptor: CInt

    init(_ error: EndedError, unlogged: UInt64, to descriptor: CInt) {
        self.descriptor = descriptor
        let path = error.path.map(\.name).joined(separator: " → ")
        let text = (error.error as? any MessageError)?.message ?? String(describing: error.error)
        let more = unlogged == 0 ? "" : " (\(unlogged) more since the last message)"
        description = "\(error.severity.word) \(error.code) in \(path): \(text.prefix(1_000).printable)\(more)"
    }

    func log() { LogLine.write("axiom: \(self)\n", to: descriptor) }
}

extension ErrorSeverity {
    fileprivate var word: String {
        switch self {
        case .critical: "critical error"
        case .nonCritical: "error"
        case .warning: "warning"
        }
    }
}

/// When a group may have its next line, and how many of its errors had none.
struct ErrorLogTurn: Sendable {
    static let window: Duration = .seconds(60)

    private var next: Instant?
    private var unlogged: UInt64 = 0

    /// The number of errors without a line, if one is due for the error of `time`; nil if that has none.
    mutating func take(at time: Instant) -> UInt64? {
        if let next, time < next {
            unlogged += 1
            return nil
        }
        defer { unlogged = 0 }
        next = time.advanced(by: Self.window)
        return unlogged
    }
}
