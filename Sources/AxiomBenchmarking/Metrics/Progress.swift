// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// A progress bar with the time left, on standard error if that is a terminal.
final class Progress {
    private let start = TimeSource.live.now
    private let isShown = isatty(STDERR_FILENO) == 1
    private var total = 1
    private var done = 0
    private var title = ""
    private var phase = TimeSource.live.now

    /// Starts a phase with a number of steps.
    func begin(_ title: String, steps: Int) {
        (self.title, total, done) = (title, max(1, steps), 0)
        phase = TimeSource.live.now
        show()
    }

    func step() {
        done += 1
        show()
    }

    /// Removes the bar.
    func end() {
        guard isShown else { return }
        StandardError.raw("\r\u{1b}[K")
    }

    /// Seconds since the start.
    var seconds: Double { TimeSource.live.now.seconds(since: start) }

    private func show() {
        guard isShown else { return }
        let share = min(1, Double(done) / Double(total))
        let width = 30
        let filled = Int(share * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        let passed = TimeSource.live.now.seconds(since: phase)
        let left = share > 0.02 ? String(format: "%.0f s left", passed / share - passed) : ""
        StandardError.raw("\r\u{1b}[K\(title) \(bar) \(done)/\(total) \(left)")
    }
}

/// Where messages go, so that standard output has only the report.
enum StandardError {
    static func write(_ line: String) {
        raw(line + "\n")
    }

    static func raw(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
