// SPDX-License-Identifier: Apache-2.0

/// The exit codes of the command line, which scripts may rely on. Two more than one are never combined: the first of
/// crash, regression, doubt that applies decides.
public struct ExitStatus: RawRepresentable, Hashable, Sendable {
    /// The code.
    public let rawValue: Int32

    /// Makes the status of a code.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Nothing got worse, as far as was asked.
    public static let success = ExitStatus(rawValue: 0)
    /// Something got worse.
    public static let regression = ExitStatus(rawValue: 1)
    /// The command line, or a suite, cannot be.
    public static let usage = ExitStatus(rawValue: 2)
    /// It could not be told; or, with `--strict`, must not be compared.
    public static let inconclusive = ExitStatus(rawValue: 3)
    /// The baseline is missing, damaged, edited, foreign or newer.
    public static let baseline = ExitStatus(rawValue: 4)
    /// A benchmark crashed, or a build failed.
    public static let crashed = ExitStatus(rawValue: 5)

    /// The status of a report.
    init(_ report: Report, strictness: Strictness, allowRemoved: Bool) {
        let kinds = Set(report.findings.map(\.verdict))
        let hasRemoved = kinds.contains(.removed) && !allowRemoved
        if kinds.contains(.crashed) {
            self = .crashed
        } else if kinds.contains(.regression) || hasRemoved {
            self = .regression
        } else if strictness != .lenient, !kinds.isDisjoint(with: [.inconclusive, .lost]) {
            self = .inconclusive
        } else if strictness == .strict, kinds.contains(.incomparable) {
            self = .inconclusive
        } else {
            self = .success
        }
    }
}

/// What doubt does to the exit code.
enum Strictness: Sendable {
    /// Inconclusive exits 3, incomparable exits 0 with a note.
    case normal
    /// Both exit 3.
    case strict
    /// Both exit 0.
    case lenient
}
