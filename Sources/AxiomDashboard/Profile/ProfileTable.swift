// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
package import AxiomInstrumentation
internal import Foundation

/// The hottest operations and functions of a profile as text, in at most 40 lines.
package struct ProfileTable {
    private typealias Row = (name: String, sums: Profile.Stack)

    private let profile: Profile
    /// The sums of all stacks: with one action, those of the action.
    private let total: Profile.Stack

    /// - Parameter profile: Its instants are those since 1970.
    package init(_ profile: Profile) {
        self.profile = profile
        total = profile.stacks.reduce(into: Profile.Stack(frames: [])) { $0.add($1) }
    }

    /// Ends with a line feed.
    package var text: String {
        let operations = table("Operation", rows(operation), atMost: 12, ["processor", "share", "waiting"]) { row in
            knowsWaits ? Self.seconds(row.sums.waiting) : "unknown"
        }
        let totals = rows(allFunctions).reduce(into: [String: Int64]()) { $0[$1.name] = $1.sums.processor }
        let running = rows { Set($0.frames.suffix(1).compactMap(function)) }.filter { $0.sums.samples > 0 }
        let functions = table("Function", running, atMost: 20, ["self", "share", "total"]) { row in
            Self.seconds(totals[row.name] ?? 0)
        }
        return ([heading, ""] + operations + [""] + functions).joined(separator: "\n") + "\n"
    }

    /// Whether the waits of a part of the range are known.
    private var knowsWaits: Bool { profile.waitsSince.map { $0 < profile.end } ?? true }

    private var heading: String {
        let seconds = QuantityFormat.number(profile.end.seconds(since: profile.start))
        let outside = QuantityText.percentage(Double(profile.outside) / Double(max(1, profile.samples)))
        let lost = " \(profile.lostAllocated) samples and \(profile.lostLive) live blocks of allocations were lost."
        let allocations = profile.lostAllocated + profile.lostLive > 0 ? lost : ""
        let unsampled = profile.unsampled > 0 ? " \(profile.unsampled) threads are not sampled." : ""
        let ended = profile.ended.map { " The sampling ended: \(Self.line([], $0))" } ?? ""
        let waits = profile.waitsSince.map { " Waits are known since \(Self.moment($0))." } ?? ""
        return
            "\(seconds) s until \(Self.moment(profile.end)): \(profile.samples) samples at "
            + "\(profile.rate) Hz, \(outside) outside of actions, \(profile.lost) lost. "
            + "A share is that of the processor time, ± its 95 % error.\(waits)\(allocations)\(unsampled)\(ended)"
    }

    /// The sums of the stacks that have a name, for each name; those that used and waited for most first. Waits of
    /// a part of the range do not count.
    private func rows(_ names: (Profile.Stack) -> Set<String>) -> [Row] {
        var rows: [String: Profile.Stack] = [:]
        for stack in profile.stacks {
            for name in names(stack) { rows[name, default: Profile.Stack(frames: [])].add(stack) }
        }
        let counts: Int64 = profile.waitsSince == nil ? 1 : 0
        func rank(_ row: Row) -> (Int64, String) { (-row.sums.processor - counts * row.sums.waiting, row.name) }
        return rows.map { ($0.key, $0.value) }.sorted { rank($0) < rank($1) }
    }

    /// The innermost operation: what it spends itself, without the operations that it calls.
    private func operation(of stack: Profile.Stack) -> Set<String> {
        let last = stack.frames.last { profile.frames[$0].isOperation || profile.frames[$0].kind == .outside }
        return last.map { [profile.frames[$0].name] } ?? []
    }

    /// The functions of a stack: the one that runs, and its callers.
    private func allFunctions(of stack: Profile.Stack) -> Set<String> { Set(stack.frames.compactMap(function)) }

    /// The function of a frame, with its module; nil for another frame.
    private func function(_ index: Int) -> String? {
        let frame = profile.frames[index]
        guard [.function, .missing].contains(frame.kind) else { return nil }
        return frame.name + (frame.module.map { "  (\($0))" } ?? "")
    }

    private func table(
        _ title: String,
        _ rows: [Row],
        atMost most: Int,
        _ columns: [String],
        last: (Row) -> String
    ) -> [String] {
        let lines = rows.prefix(most).map { row in
            Self.line([Self.seconds(row.sums.processor), share(row.sums), last(row)], row.name)
        }
        let more = rows.count > most ? ["\(rows.count - most) more"] : []
        return [Self.line(columns, title)] + lines + more
    }

    /// The share of the processor time. Its error is that of the share of the samples.
    private func share(_ sums: Profile.Stack) -> String {
        guard total.processor > 0 else { return QuantityText.none }
        let sampled = Profile.Share(sums.samples, of: total.samples)
        return Profile.Share.text(Double(sums.processor) / Double(total.processor), sampled.low, sampled.high)
    }

    private static func moment(_ instant: Instant) -> String { QuantityText.moment(Double(instant.nanoseconds) / 1e9) }

    private static func seconds(_ nanoseconds: Int64) -> String { QuantityText.seconds(Double(nanoseconds) / 1e9) }

    private static func line(_ cells: [String], _ name: String) -> String {
        let padded = cells.map { $0.padding(toLength: 14, withPad: " ", startingAt: 0) }.joined()
        return padded + String(name.map { $0.isNewline ? " " : $0 })
    }
}

extension Profile.Share {
    /// `62 % ± 8 %`: the share, and half of its interval.
    static func text(_ value: Double, _ low: Double, _ high: Double) -> String {
        "\(Int((value * 100).rounded())) % ± \(Int(((high - low) * 50).rounded(.up))) %"
    }
}

extension Profile {
    /// What an operation waits for if it waits longer than it runs: the share of its time that the longest wait takes, and where
    /// that is, as `in Bank.pay` or `for the main actor` (nil if that is not known).
    func wait(of action: String) -> (share: Double, place: String?)? {
        var (processor, waiting, places) = (0.0, 0.0, [String?: Double]())
        for stack in stacks {
            guard let start = stack.frames.firstIndex(where: { frames[$0].isOperation && frames[$0].name == action })
            else { continue }
            processor += Double(stack.processor)
            waiting += Double(stack.waiting)
            if stack.waiting > 0 { places[place(stack.frames[start...]), default: 0] += Double(stack.waiting) }
        }
        guard waiting > processor, let most = places.max(by: { ($0.value, $1.key ?? "") < ($1.value, $0.key ?? "") })
        else { return nil }
        return (most.value / (processor + waiting), most.key)
    }

    /// Where a stack waits that begins with an action: what its last frame says, or else the innermost operation below the action.
    private func place(_ stack: ArraySlice<Int>) -> String? {
        if let last = stack.last.map({ frames[$0] }), last.kind == .wait {
            if last.name.hasPrefix("waits for ") { return String(last.name.dropFirst(6)) }
            if !last.name.hasPrefix("waits") { return "in \(last.name)" }
        }
        return stack.dropFirst().last { frames[$0].isOperation }.map { "in \(frames[$0].name)" }
    }
}
