// SPDX-License-Identifier: Apache-2.0

/// The averages of a file with pressure stall information, such as /proc/pressure/memory.
struct PressureAverages: Hashable, Sendable {
    /// The share of the last ten seconds in which some task waited for the resource, from 0 to 1.
    var some: Double
    /// The share in which all tasks waited; 0 if the kernel does not measure it.
    var full: Double
}

extension PressureAverages {
    /// Reads a text such as:
    ///
    /// ```
    /// some avg10=0.12 avg60=0.03 avg300=0.00 total=160734
    /// full avg10=0.00 avg60=0.00 avg300=0.00 total=93243
    /// ```
    ///
    /// Returns nil if the line `some` is missing or is not of this form. Lines with another first word are ignored.
    init?(_ text: String) {
        var found: [Substring: Double] = [:]
        for line in text.split(whereSeparator: \.isNewline).prefix(16) {
            let words = line.split(separator: " ", maxSplits: 8)
            guard let kind = words.first, kind == "some" || kind == "full" else { continue }
            guard let share = Self.share(words.dropFirst()), found[kind] == nil else { return nil }
            found[kind] = share
        }
        guard let some = found["some"] else { return nil }
        self.init(some: some, full: found["full"] ?? 0)
    }

    /// The value of `avg10` as a share. The word after it must exist: otherwise the number may be cut off.
    private static func share(_ words: ArraySlice<Substring>) -> Double? {
        guard let first = words.first, first.hasPrefix("avg10="), words.count > 1 else { return nil }
        let digits = first.dropFirst("avg10=".count)
        guard digits.count <= 8, digits.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }),
            let percent = Double(digits), (0...100).contains(percent)
        else { return nil }
        return percent / 100
    }
}

/// The counters of the file memory.events of a cgroup that tell of pressure.
struct MemoryEvents: Hashable, Sendable {
    /// How often a task was slowed down because the cgroup was above memory.high.
    var high: UInt64 = 0
    /// How often the cgroup was about to exceed memory.max, or did.
    var limit: UInt64 = 0
}

extension MemoryEvents {
    /// Reads lines such as `high 12`. Returns nil if a line is of another form, or none is known.
    init?(_ text: String) {
        var isKnown = false
        self.init()
        for line in text.split(whereSeparator: \.isNewline).prefix(32) {
            let words = line.split(separator: " ")
            guard words.count == 2, let count = UInt64(words[1]) else { return nil }
            switch words[0] {
            case "high": high = count
            case "max", "oom", "oom_kill": limit = limit.addingReportingOverflow(count).partialValue
            default: continue
            }
            isKnown = true
        }
        guard isKnown else { return nil }
    }
}
