// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// The delays of the main actor and its hangs, as a pure state machine: it takes the times of probes and of their
/// answers, and the work that was running in between.
///
/// A probe is a job of the main actor. There is one at a time, so a main actor that is held has one job to catch up with.
struct HangLog: Sendable {
    /// A hang, with the work that was seen during it.
    struct Entry: Sendable {
        var hang: MainActorHang
        /// The work that was seen most often; none if that was no known work.
        let work: RunningWork
        /// Whether it was seen nearly all the time.
        let isSure: Bool
    }

    /// A probe without an answer.
    fileprivate struct Probe: Sendable {
        let number: Int
        let start: Instant
        /// The scheduler's times of the main actor's thread when it was sent, and the latest ones; nil if not known.
        let sent: SchedulerTimes?
        var latest: SchedulerTimes?
        var seen: [RunningWork: Int] = [:]
        var ticks = 0
    }

    /// The shortest hang.
    static let threshold = Duration.milliseconds(100)
    /// How many hangs are kept.
    static let capacity = 100
    /// How many delays are kept: those of more than a second.
    private static let delayCapacity = 64
    /// The kinds of work that are distinguished within one hang.
    private static let workLimit = 16

    private(set) var entries: [Entry] = []
    private var probe: Probe?
    private var lastNumber = 0
    private var lastID = 0
    private var delays: [(at: Instant, nanoseconds: Int64)] = []
    /// Whether the main actor has answered a probe. In a program that never runs its main actor, no delay is a hang.
    private var hasAnswered = false
    /// The time between two ticks.
    let interval: Duration

    init(interval: Duration) { self.interval = interval }

    /// A tick of the watch.
    ///
    /// - Parameter work: What the main actor runs.
    /// - Returns: The number of the probe to send; nil while another one has no answer.
    mutating func tick(at now: Instant, _ work: RunningWork, _ times: SchedulerTimes? = nil) -> Int? {
        let isNew = probe == nil
        if isNew {
            lastNumber += 1
            probe = Probe(number: lastNumber, start: now, sent: times)
        }
        probe?.latest = times
        probe?.see(work, limit: Self.workLimit)
        return isNew ? lastNumber : nil
    }

    /// The main actor ran a probe.
    ///
    /// - Parameter times: Those of its thread, which are read after a hang.
    /// - Returns: The delay in nanoseconds, and whether it is a hang; nil for a probe that was dropped.
    mutating func answered(
        _ number: Int,
        at now: Instant,
        _ times: @autoclosure () -> SchedulerTimes? = nil
    ) -> (delay: Int64, isHang: Bool)? {
        guard var probe, probe.number == number else { return nil }
        let delay = now.nanoseconds(since: probe.start)
        self.probe = nil
        hasAnswered = true
        if delays.count == Self.delayCapacity { delays.removeFirst() }
        delays.append((now, delay))
        guard delay >= Self.threshold.clampedNanoseconds else { return (delay, false) }
        lastID += 1
        probe.latest = times()
        let entry = entry(probe, until: now, isLasting: false)
        if entries.count == Self.capacity { entries.removeFirst() }
        entries.append(entry)
        return (delay, entry.hang.cause != .process)
    }

    /// The watch ends: the probe without an answer is dropped.
    mutating func stop() {
        probe = nil
        hasAnswered = false
    }

    mutating func settle(_ hang: MainActorHang) {
        guard let index = entries.firstIndex(where: { $0.hang.id == hang.id }) else { return }
        entries[index].hang = hang
    }

    // MARK: - Reading

    /// The hang that lasts.
    func lasting(at now: Instant) -> Entry? {
        guard hasAnswered, let probe, now.duration(since: probe.start) >= Self.threshold else { return nil }
        return entry(probe, until: now, isLasting: true)
    }

    /// The longest delay since `start`, in seconds, with that of a probe without an answer; nil if there was none.
    func worstDelay(since start: Instant, at now: Instant) -> Double? {
        let open = hasAnswered ? probe.map { now.nanoseconds(since: $0.start) } : nil
        let ended = delays.filter { $0.at >= start }.map(\.nanoseconds)
        return (ended + (open.map { [$0] } ?? [])).max().map { Double($0) * 1e-9 }
    }

    private func entry(_ probe: Probe, until now: Instant, isLasting: Bool) -> Entry {
        let (work, count) = probe.work
        // A watch that had no time either missed most of its ticks.
        let expected = now.nanoseconds(since: probe.start) / max(1, interval.clampedNanoseconds)
        let stoodStill = work.isNone && Int64(probe.ticks) * 2 < expected
        let hadNoProcessor = stoodStill || Double(probe.waited) * 2 > Double(now.nanoseconds(since: probe.start))
        let hang = MainActorHang(
            id: isLasting ? lastID + 1 : lastID,
            start: probe.start,
            nanoseconds: now.nanoseconds(since: probe.start),
            isLasting: isLasting,
            cause: hadNoProcessor ? .process : .application,
            isSettled: hadNoProcessor
        )
        return Entry(hang: hang, work: work, isSure: count * 5 >= probe.ticks * 4)
    }
}

extension HangLog.Probe {
    /// For how many nanoseconds the thread of the main actor waited for a processor; 0 if another one ran it before.
    fileprivate var waited: UInt64 {
        guard let sent, let latest, sent.thread == latest.thread, latest.waited > sent.waited else { return 0 }
        return latest.waited - sent.waited
    }

    fileprivate mutating func see(_ work: RunningWork, limit: Int) {
        ticks += 1
        if seen[work] != nil || seen.count < limit { seen[work, default: 0] += 1 }
    }

    /// The work that was seen most often, and how often. Runs of the same action are one work, without a span if there
    /// were several.
    fileprivate var work: (RunningWork, count: Int) {
        let kinds = Dictionary(grouping: seen.keys, by: \.kind)
        let counts = kinds.mapValues { $0.reduce(0) { $0 + (seen[$1] ?? 0) } }
        let most = counts.max { ($0.value, $0.key.word) < ($1.value, $1.key.word) }
        guard let (kind, count) = most, let runs = kinds[kind] else { return (.none, 0) }
        return (runs.count == 1 ? runs[0] : kind, count)
    }
}
