// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics
internal import OrderedCollections
internal import Synchronization

/// The families of the calls of capabilities.
final class CapabilityMetrics: Collector {
    fileprivate struct Families: Sendable {
        let calls: ActionRecorder.Families
        let retries: Family<Counter, String>
        let answers: Family<Counter, String, String>
        let recoveries: Family<Counter, String, String>

        init(_ instruments: ActionInstruments, in registry: Registry) throws(MetricsError) {
            let capability = Label<String>("capability")
            calls = try ActionRecorder.Families(instruments, .capabilities, in: registry)
            retries = try registry.counters(
                "axiom_capability_retries_total",
                help: "Further runs of calls of capabilities, because the capability declares a retry.",
                labels: capability
            )
            answers = try registry.counters(
                "axiom_capability_answers_total",
                help: "Answers of capabilities that have a cache, by kind.",
                labels: capability,
                Label<String>("kind")
            )
            recoveries = try registry.counters(
                "axiom_capability_recoveries_total",
                help: "Calls of capabilities in which an error occurred, by what ended it.",
                labels: capability,
                Label<String>("kind")
            )
        }
    }

    private let instruments: ActionInstruments
    private let families: Families
    /// Guarded by its lock, which is taken when a scope resolves a capability and at a scrape.
    private let recorders = Lock<OrderedDictionary<ComponentDescriptor, CapabilityRecorder>>([:])

    init(_ instruments: ActionInstruments, in registry: Registry) throws(MetricsError) {
        // Calls of capabilities are not judged in windows.
        var instruments = instruments
        instruments.windows = nil
        self.instruments = instruments
        families = try Families(instruments, in: registry)
        registry.register(self)
    }

    /// The probe of the calls from `caller`, the same one each time.
    func probe(for capability: ComponentDescriptor, calledBy caller: ComponentDescriptor) -> any CapabilityProbe {
        recorders.withLock { recorders in
            let recorder =
                recorders[capability] ?? CapabilityRecorder(CapabilityCalls(capability, families, instruments))
            recorders[capability] = recorder
            return recorder.probe(of: caller)
        }
    }

    /// How many calls of each capability are under way, by the capability's name and the call's; zeros are omitted.
    var inFlight: [String: [String: UInt64]] {
        let all = recorders.withLock { $0 }
        return Dictionary(all.map { ($0.name, $1.calls.inFlight) }) { first, _ in first }
    }

    /// How often components called capabilities.
    var traffic: [ComponentDependency: CallCounts] {
        let edges = recorders.withLock { $0 }.values.flatMap { recorder in
            recorder.callers.map {
                (ComponentDependency(from: $0.caller, to: recorder.calls.capability), $0.counts)
            }
        }
        return Dictionary(edges) { first, _ in first }
    }

    func collect() -> [CollectedFamily] {
        let names = CallNames.capabilities
        var family = CollectedFamily.gauge(names.inFlight, help: names.inFlightHelp, labels: names.component)
        for (capability, recorder) in recorders.withLock({ $0 }) {
            family.add(Double(recorder.calls.inFlight.values.reduce(0, &+)), capability.name)
        }
        return family.isEmpty ? [] : [family]
    }
}

/// The instruments of one capability, and its callers in the order of binding.
private final class CapabilityRecorder: Sendable {
    let calls: CapabilityCalls
    private let probes = Lock<OrderedDictionary<ComponentDescriptor, CapabilityCaller>>([:])

    init(_ calls: CapabilityCalls) { self.calls = calls }

    var callers: [CapabilityCaller] { probes.withLock { $0.values.elements } }

    /// The recorder of a caller, the same one each time.
    func probe(of caller: ComponentDescriptor) -> CapabilityCaller {
        probes.withLock { probes in
            if let known = probes[caller] { return known }
            let probe = CapabilityCaller(caller, calls)
            probes[caller] = probe
            return probe
        }
    }
}

/// The instruments of one capability's calls, for all its callers.
private final class CapabilityCalls: Sendable {
    /// The instruments of the calls of one name.
    final class Call: Sendable {
        /// Of one action, whose name is that of the call.
        let recorder: ActionRecorder
        /// Counted like those of a ``CallerRecorder``.
        let (began, ended) = (Tally(), Tally())

        init(_ recorder: ActionRecorder) { self.recorder = recorder }
    }

    let capability: ComponentDescriptor
    /// Unmanaged, because a use of a reference would retain it. Released with the recorder.
    let names: CallTable<Unmanaged<Call>>
    let retries: Counter
    let answers: [CapabilityAnswerKind: Counter]
    let recoveries: [CapabilityRemedy: Counter]

    init(_ capability: ComponentDescriptor, _ families: CapabilityMetrics.Families, _ instruments: ActionInstruments) {
        self.capability = capability
        let name = capability.name
        names = CallTable { call in
            let recorder = ActionRecorder(capability, names: [call], families.calls, instruments, budget: nil)
            return .passRetained(Call(recorder))
        } release: {
            $0.release()
        }
        retries = families.retries(name)
        answers = CapabilityAnswerKind.allCases.reduce(into: [:]) { $0[$1] = families.answers(name, $1.rawValue) }
        recoveries = CapabilityRemedy.allCases.reduce(into: [:]) { $0[$1] = families.recoveries(name, $1.rawValue) }
    }

    deinit {
        for (_, call) in names.all { call.release() }
    }

    /// How many calls have begun and not ended, by name; zeros are omitted.
    var inFlight: [String: UInt64] {
        let counts = names.all.map { name, call in
            call._withUnsafeGuaranteedRef { call -> (String, UInt64) in
                let ended = call.ended.value
                atomicMemoryFence(ordering: .acquiring)
                return (name, call.began.value &- ended)
            }
        }
        return Dictionary(counts.filter { $0.1 > 0 }) { first, _ in first }
    }
}

/// The calls of a capability from one component. What they have in common is with the capability, and what the edge of the
/// graph needs is counted here.
private final class CapabilityCaller: CapabilityProbe {
    let caller: ComponentDescriptor
    private let capability: CapabilityCalls
    /// That of `capability`, unmanaged, because a use of a reference would retain it.
    private let names: Unmanaged<CallTable<Unmanaged<CapabilityCalls.Call>>>
    private let (calls, failed, repeated) = (Tally(), Tally(), Tally())
    /// The nanoseconds of all calls that were not rejected.
    private let spent = ShardedTotal()

    init(_ caller: ComponentDescriptor, _ capability: CapabilityCalls) {
        (self.caller, self.capability, names) = (caller, capability, .passUnretained(capability.names))
    }

    func number(of name: StaticString) -> Int { names._withUnsafeGuaranteedRef { $0.number(of: name) } }

    func began(_ number: Int) {
        capability.names[number]._withUnsafeGuaranteedRef { $0.began.increment() }
    }

    func ended(_ number: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        capability.names[number]._withUnsafeGuaranteedRef { call in
            if outcome == .rejected {
                call.recorder.refuse(caseIndex: 0)
            } else {
                call.recorder.record(caseIndex: 0, outcome: outcome, nanoseconds: nanoseconds)
                spent.add(UInt64(max(0, nanoseconds)))
            }
            atomicMemoryFence(ordering: .releasing)
            call.ended.increment()
        }
        calls.increment()
        guard outcome == .failure || outcome == .rejected else { return }
        atomicMemoryFence(ordering: .releasing)
        failed.increment()
    }

    func retried() {
        capability.retries.increment()
        repeated.increment()
    }

    func recovered(by remedy: CapabilityRemedy) { capability.recoveries[remedy]?.increment() }

    func answered(_ kind: CapabilityAnswerKind) { capability.answers[kind]?.increment() }

    /// The counts of calls. Loads the failures first, because a call is added to `calls` before `failed`.
    var counts: CallCounts {
        let failures = failed.value
        atomicMemoryFence(ordering: .acquiring)
        let (calls, nanoseconds) = (calls.value, spent.value)
        return CallCounts(calls: calls, failures: failures, nanoseconds: nanoseconds, retries: repeated.value)
    }
}
