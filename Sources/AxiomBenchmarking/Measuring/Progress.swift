// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// A bar on the terminal with the time that is left; nothing where standard error is no terminal.
final class Progress {
    private let start = TimeSource.live.now
    private let isShown = isatty(STDERR_FILENO) == 1
    private var total = 1
    private var done = 0
    private var title = ""

    /// Begins a part of so many steps.
    func begin(_ title: String, steps: Int) {
        (self.title, total, done) = (title, max(1, steps), 0)
        phase = TimeSource.live.now
        show()
    }

    private var phase = TimeSource.live.now

    /// One step is done.
    func step() {
        done += 1
        show()
    }

    /// Takes the bar away.
    func end() {
        guard isShown else { return }
        StandardError.raw("\r\u{1b}[K")
    }

    /// Seconds since the beginning.
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

extension StandardError {
    static func raw(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
