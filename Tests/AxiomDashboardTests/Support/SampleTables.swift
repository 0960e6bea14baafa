// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase

@testable import AxiomDashboard
@testable import AxiomInstrumentation

/// Rows of an application that does not exist, and the tables that show them.
struct SampleTables {
    var tables = NoscriptTables(export: "export.html")

    var html: String { tables.html }

    mutating func component(
        _ kind: ComponentKind,
        _ name: String,
        created: UInt64,
        ended: UInt64,
        suspects: Int = 0
    ) {
        let descriptor = ComponentDescriptor(kind: kind, name: name)
        let counts = CensusRow(
            component: descriptor,
            module: "",
            longestLifetime: 2_000_000_000,
            created: created,
            destroyed: ended,
            leakSuspects: suspects
        )
        tables.components.append(
            ComponentRow(
                id: tables.index.id(descriptor),
                descriptor: descriptor,
                counts: counts,
                restarts: nil,
                lifetime: nil,
                calls: CallSummary(outcomes: OutcomeCounts(), rate: 0, errorRatio: nil, durations: .empty),
                errors: 0,
                inFlight: nil,
                wait: nil,
                budget: "none",
                spark: []
            )
        )
    }

    mutating func action(
        _ kind: ComponentKind,
        _ component: String,
        _ action: String,
        _ outcomes: OutcomeCounts,
        seconds: Double
    ) {
        var durations = ExponentialHistogramData.empty
        for _ in 0..<outcomes.total { durations.record(seconds) }
        let calls = CallSummary(
            outcomes: outcomes,
            rate: 0,
            errorRatio: outcomes.failureRatio,
            durations: durations
        )
        tables.calls.append(
            CallRow(
                id: tables.calls.count,
                component: tables.index.id(ComponentDescriptor(kind: kind, name: component)),
                action: action,
                calls: calls,
                inFlight: nil
            )
        )
    }

    mutating func error(_ component: String, _ code: String, _ severity: ErrorSeverity = .nonCritical, count: UInt64) {
        tables.errors.append(
            ErrorRow(
                id: tables.errors.count,
                component: tables.index.id(ComponentDescriptor(kind: .client, name: component)),
                code: code,
                chain: nil,
                severity: severity,
                count: count,
                first: nil,
                last: nil,
                recovered: nil,
                sample: ""
            )
        )
    }
}
