// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
internal import AxiomMetrics
internal import AxiomResilience

/// How often everything was recorded that a telemetry counts, at one moment.
struct RecordCounts {
    private(set) var counts: [TelemetryRecord: UInt64] = [:]

    /// Nothing.
    init() {}

    /// Reads everything that is counted. Cost: about 1 ms.
    init(_ telemetry: Telemetry) {
        let readings = telemetry.readings
        addActions(readings.actions)
        for row in readings.components where row.component.kind != .orchestrator {
            add(row.component.name, .created, row.created)
            add(row.component.name, .destroyed, row.destroyed)
        }
        for group in readings.errors.groups { add(group) }
        for breaker in telemetry.breakers {
            for transition in breaker.summary().transitions {
                add(breaker.name, .transition(transition.edge.from, transition.edge.to), UInt64(transition.count))
            }
        }
        addStates(telemetry.registry)
        for signal in readings.signals(atMost: .max, except: []) where signal.family.kind != .gauge {
            let event = TelemetryRecord.Event.signal(signal.labels, isCounter: signal.family.kind == .counter)
            add(signal.family.name, event, UInt64(signal.value))
        }
    }

    subscript(record: TelemetryRecord) -> UInt64 { counts[record, default: 0] }

    /// What was recorded since `earlier`. Records that occurred no more often are left out.
    func since(_ earlier: RecordCounts) -> RecordCounts {
        var difference = RecordCounts()
        for (record, count) in counts where count > earlier[record] {
            difference.counts[record] = count - earlier[record]
        }
        return difference
    }

    private mutating func add(_ subject: String, _ event: TelemetryRecord.Event, _ count: UInt64) {
        if count > 0 { counts[TelemetryRecord(subject: subject, event: event), default: 0] += count }
    }

    private mutating func addActions(_ readings: ActionReadings) {
        for (index, action) in readings.actions.enumerated() where action.component.kind != .capability {
            for (offset, outcome) in ActionOutcome.allCases.enumerated() {
                let count = readings.outcomes[index * ActionReadings.outcomeCount + offset]
                add(action.component.name, .action(action.name, outcome), count)
            }
        }
    }

    private mutating func add(_ group: ErrorGroup) {
        let (name, subject) = (group.code ?? group.type, group.component.name)
        add(subject, .error(name, type: group.type), group.count)
        let recoveries = group.recoveries
        add(subject, .recovery(name, type: group.type, .recovered), recoveries.succeeded)
        add(subject, .recovery(name, type: group.type, .failed), recoveries.failed)
        add(subject, .recovery(name, type: group.type, .cancelled), recoveries.cancelled)
    }

    private mutating func addStates(_ registry: Registry) {
        let families: [(name: String, event: TelemetryRecord.Event)] = [
            ("axiom_state_updates_total", .state), ("axiom_state_coalesced_total", .coalesced),
            ("axiom_state_propagation_seconds", .observation),
        ]
        let phases = "axiom_context_lifecycle_duration_seconds"
        let snapshots = registry.collect(families: families.map(\.name) + [phases])
        for (family, snapshot) in zip(families, snapshots) {
            for series in snapshot.map(Array.init) ?? [] {
                add(series.labels["client"], family.event, UInt64(series.value))
            }
        }
        for series in snapshots.last?.map(Array.init) ?? [] {
            guard let phase = LifecyclePhase(rawValue: series.labels["phase"]) else { continue }
            add(series.labels["context"], .phase(phase), UInt64(series.value))
        }
    }
}

extension SignalReading {
    /// The labels with their values, without those whose value is empty.
    var labels: [TelemetryRecord.SignalLabel] {
        zip(family.labels, values).filter { !$1.isEmpty }.map { .init(name: $0, value: $1) }
    }
}
