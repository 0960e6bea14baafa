// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import Axiom
internal import AxiomBase
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Waits for triggers and reads averages and counters.
final class MemoryPressureListener: EventListener {
    private enum Flag {
        static let warning: UInt32 = 1
        static let critical: UInt32 = 2
        static let counters: UInt32 = 4
        static let triggerHangup = EventLoop.hangup(of: warning) | EventLoop.hangup(of: critical)
    }

    private let source: MemoryPressureSource
    private let flags = ReadyFlags()
    private var machine: MemoryPressureMachine
    private var triggers: [DescriptorWatch] = []
    private var counters: DescriptorWatch?
    private var hasBegun = false
    /// When the averages are read next; nil if only a trigger can raise the level.
    private var deadline: Instant?
    private var failures = 0
    /// Events that are due. A wake-up can bring two: a counter raises the level, and then a trigger raises it further.
    private var pending: [CapabilityEvent] = []

    init(_ source: MemoryPressureSource) {
        self.source = source
        machine = source.machine
    }

    func next() async throws -> CapabilityEvent {
        if !hasBegun { try await begin() }
        while pending.isEmpty {
            for watch in triggers { watch.arm() }
            counters?.arm()
            try await flags.wait(until: deadline, on: source.clock)
            try await take(flags.take())
        }
        return pending.removeFirst()
    }

    private func begin() async throws {
        await EventLoop.shared.settle()
        let opened = try await BlockingCall.run { [files = source.files, machine] in try files.open(machine) }
        triggers = try zip(opened.triggers, [Flag.warning, Flag.critical]).map { descriptor, flag in
            try DescriptorWatch(descriptor.take(), events: POLLPRI, flag: flag, in: flags)
        }
        counters = try opened.counters.map {
            try DescriptorWatch($0.take(), events: POLLPRI, flag: Flag.counters, in: flags)
        }
        hasBegun = true
        try await readCounters()
        try await readAverages()
    }

    private func take(_ raised: UInt32) async throws {
        let now = source.clock.now
        // The cgroup was removed, or the kernel ended the trigger. Averages tell whether it is still there.
        if raised & Flag.triggerHangup != 0 {
            triggers = []
        } else {
            if raised & Flag.critical != 0 { report(machine.raise(.critical, at: now)) }
            if raised & Flag.warning != 0 { report(machine.raise(.warning, at: now)) }
        }
        // The kernel sets POLLERR together with POLLPRI when the counters change.
        let isDue = deadline.map { now >= $0 } ?? false
        if raised & Flag.counters != 0 || isDue { try await readCounters() }
        if isDue || triggers.isEmpty && raised & Flag.triggerHangup != 0 {
            try await readAverages()
        } else {
            schedule()
        }
    }

    /// poll(2) reports the next change of the counters only after the descriptor itself was read. A descriptor that
    /// cannot be read belongs to a cgroup that was removed, and would be ready for ever.
    private func readCounters() async throws {
        let (text, isGone) = try await BlockingCall.run { [files = source.files, counters] in
            guard let counters else { return (files.events.flatMap { try? SmallFile.read($0) }, false) }
            let text = try? SmallFile.read(again: counters.descriptor)
            return (text, text == nil)
        }
        if isGone { counters = nil }
        guard let counts = text.flatMap({ MemoryEvents($0) }) else { return }
        report(machine.take(counts, at: source.clock.now))
    }

    private func readAverages() async throws {
        do {
            let averages = try await BlockingCall.run { [files = source.files] in try files.averages() }
            failures = 0
            report(machine.take(averages, at: source.clock.now))
        } catch let error as SystemCallError {
            failures += 1
            guard failures < 3 else {
                throw CapabilityError.sourceStopped(because: "\(failures) readings failed, the last with \(error)")
            }
        }
        deadline = source.clock.now.advanced(by: source.period)
        schedule()
    }

    /// Sets when the averages are read next.
    private func schedule() {
        if !triggers.isEmpty, machine.level == .none {
            deadline = nil
        } else if deadline == nil {
            deadline = source.clock.now.advanced(by: source.period)
        }
    }

    private func report(_ event: CapabilityEvent?) {
        if let event { pending.append(event) }
    }
}
#endif
