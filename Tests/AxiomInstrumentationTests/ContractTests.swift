// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomInstrumentation
import AxiomMetrics
import AxiomSampleApp
import Testing

@Suite("The contract of names")
@MainActor
struct ContractTests {
    /// A family as the design promises it.
    struct Promise: Sendable, CustomTestStringConvertible {
        let name: String
        let kind: MetricKind
        let labels: [String]
        var testDescription: String { name }

        init(_ name: String, _ kind: MetricKind, _ labels: String...) {
            self.name = name
            self.kind = kind
            self.labels = labels
        }
    }

    /// What each build shows: without the trait `Instrumented`, too, errors that end are counted.
    nonisolated static let always = [
        Promise("axiom_build_info", .info, "version", "swift", "revision", "instrumented"),
        Promise("axiom_telemetry_dropped_total", .counter, "reason"),
        Promise("axiom_errors_total", .counter, "component", "code", "severity"),
        Promise("axiom_main_actor_delay_seconds", .histogram),
        Promise("axiom_main_actor_hangs_total", .counter),
        Promise("axiom_budget_limit_seconds", .gauge, "budget", "component"),
        Promise("axiom_budget_limit_bytes", .gauge, "budget", "component"),
        Promise("axiom_budget_objective_ratio", .gauge, "budget"),
        Promise("process_cpu_seconds_total", .counter),
        Promise("process_open_fds", .gauge),
        Promise("process_max_fds", .gauge),
        Promise("process_virtual_memory_bytes", .gauge),
        Promise("process_virtual_memory_max_bytes", .gauge),
        Promise("process_resident_memory_bytes", .gauge),
        Promise("process_start_time_seconds", .gauge),
        Promise("process_threads", .gauge),
        Promise("axiom_metrics_overflow_total", .counter, "family"),
        Promise("axiom_metrics_collection_problems_total", .counter, "reason"),
    ]

    /// What an instrumented application records besides.
    nonisolated static let recorded = [
        Promise("axiom_version_info", .gauge, "module", "version"),
        Promise("axiom_trace_spans_dropped_total", .counter, "reason"),
        Promise("axiom_component_info", .info, "kind", "component"),
        Promise("axiom_component_dependency", .gauge, "from", "to"),
        Promise("axiom_component_created_total", .counter, "kind", "component"),
        Promise("axiom_component_destroyed_total", .counter, "kind", "component"),
        Promise("axiom_component_live", .gauge, "kind", "component"),
        Promise("axiom_component_lifetime_seconds", .histogram, "kind", "component"),
        Promise("axiom_component_leak_suspects", .gauge, "kind", "component"),
        Promise("axiom_client_actions_total", .counter, "client", "action", "outcome"),
        Promise("axiom_client_action_duration_seconds", .histogram, "client", "action"),
        Promise("axiom_client_actions_in_flight", .gauge, "client"),
        Promise("axiom_deadlocks_total", .counter, "component"),
        Promise("axiom_shutdown_overdue_total", .counter, "component"),
        Promise("axiom_context_actions_total", .counter, "context", "action", "outcome"),
        Promise("axiom_context_action_duration_seconds", .histogram, "context", "action"),
        Promise("axiom_context_lifecycle_duration_seconds", .histogram, "context", "phase"),
        Promise("axiom_state_updates_total", .counter, "client"),
        Promise("axiom_state_coalesced_total", .counter, "client"),
        Promise("axiom_state_propagation_seconds", .histogram, "client"),
        Promise("axiom_state_stale_total", .counter, "client"),
        Promise("axiom_capability_level", .gauge, "capability", "level"),
        Promise("axiom_capability_calls_total", .counter, "capability", "call", "outcome"),
        Promise("axiom_capability_call_duration_seconds", .histogram, "capability", "call"),
        Promise("axiom_capability_calls_in_flight", .gauge, "capability"),
        Promise("axiom_capability_retries_total", .counter, "capability"),
        Promise("axiom_capability_recoveries_total", .counter, "capability", "kind"),
        Promise("axiom_capability_answers_total", .counter, "capability", "kind"),
        Promise("axiom_error_recoveries_total", .counter, "strategy", "outcome"),
        Promise("axiom_error_recovery_duration_seconds", .histogram, "strategy"),
        Promise("axiom_circuit_state", .gauge, "breaker", "state"),
        Promise("axiom_circuit_state_seconds_total", .counter, "breaker", "state"),
        Promise("axiom_circuit_transitions_total", .counter, "breaker", "from", "to", "reason"),
        Promise("axiom_circuit_shadow_transitions_total", .counter, "breaker", "from", "to", "reason"),
        Promise("axiom_circuit_calls_total", .counter, "breaker", "outcome"),
        Promise("axiom_circuit_calls_in_flight", .gauge, "breaker"),
        Promise("axiom_circuit_slow_calls_total", .counter, "breaker"),
        Promise("axiom_circuit_shadow_rejections_total", .counter, "breaker"),
        Promise("axiom_circuit_failure_ratio", .gauge, "breaker"),
        Promise("axiom_circuit_slow_ratio", .gauge, "breaker"),
        Promise("axiom_budget_checks_total", .counter, "budget", "component"),
        Promise("axiom_budget_violations_total", .counter, "budget", "component"),
        Promise("axiom_budget_duration_seconds", .histogram, "budget", "component"),
        Promise("axiom_budget_bytes", .histogram, "budget", "component"),
    ]

    /// What an instrumented application shows besides where it has confirmed budgets.
    nonisolated static let confirmed = [Promise("axiom_budget_confirmed", .gauge, "budget", "component")]

    /// What an instrumented application shows besides where it is judged.
    nonisolated static let judged = [
        Promise("axiom_regression_active", .gauge, "component", "action", "percentile"),
        Promise("axiom_regression_ratio", .gauge, "component", "action", "percentile"),
    ]

    #if Instrumented
    nonisolated static let promises = always + recorded
    #else
    nonisolated static let promises = always
    #endif

    @Test("Every family is there after a success, a failure and a cancelled action, with its kind and its labels")
    func families() async throws {
        let app = try await SampleApp.started()
        try await app.runOnce()
        await app.orchestrator.shutdown()
        let metrics = app.metrics
        for promise in Self.promises {
            let family = try #require(metrics.family(promise.name), "\(promise.name) is missing")
            #expect(family.definition.kind == promise.kind, "\(promise.name)")
            #expect(family.definition.labelNames == promise.labels, "\(promise.name)")
        }
        #expect(metrics.problems.isEmpty)
    }

    @Test("There are no undocumented families except Linux's process metrics beyond the standard nine")
    func nothingElse() async throws {
        let app = try await SampleApp.started()
        try await app.runOnce()
        let names = app.metrics.families.map(\.definition.name).filter { !$0.hasPrefix("process_") }
        #expect(Set(names).isSubset(of: Self.promises.map(\.name)))
    }

    #if Instrumented
    @Test("Where there are a baseline and confirmed budgets, their families are there with their kind and their labels")
    func judgedFamilies() async throws {
        let app = try await SampleApp.started(
            regressions: .judging(against: RegressionReplay.baseline()),
            budgets: [.confirm("rendering")]
        )
        try await app.runOnce()
        let metrics = app.metrics
        for promise in Self.judged + Self.confirmed {
            let family = try #require(metrics.family(promise.name), "\(promise.name) is missing")
            #expect(family.definition.kind == promise.kind, "\(promise.name)")
            #expect(family.definition.labelNames == promise.labels, "\(promise.name)")
        }
        #expect(metrics.problems.isEmpty)
    }
    #endif

    @Test("The build metric has the revision and whether the build is instrumented")
    func buildInfo() throws {
        #if Instrumented
        let instrumented = "true"
        #else
        let instrumented = "false"
        #endif
        let labels = try #require(try Telemetry(revision: "f00").registry.collect().family("axiom_build_info")?.first)
            .labels
        #expect(labels["instrumented"] == instrumented)
        #expect(labels["revision"] == "f00")
        #expect(labels["version"].split(separator: ".").count == 3)
        #expect(labels["swift"].hasPrefix("6."))
    }

    #if !Instrumented
    @Test("Without the trait everything works, and nothing is recorded but the errors that end")
    func nothingRecorded() async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        await host.context?.send(.sell {})
        #expect(await host.context?.till.state == TillState(sales: 1))
        try await app.runOnce()
        let metrics = app.metrics
        for promise in Self.recorded where promise.name != "axiom_errors_total" {
            #expect(metrics.family(promise.name) == nil, "\(promise.name)")
        }
        #expect(metrics.total("axiom_errors_total") == Double(app.telemetry.errors.report.count))
        #expect(metrics.total("axiom_telemetry_dropped_total") == 0)
    }
    #endif

    #if Instrumented
    @Test("Components carry their kind, and the graph shows what resolved what")
    func components() async throws {
        let app = try await SampleApp.started()
        try await app.runOnce()
        let metrics = app.metrics
        let infos = metrics.family("axiom_component_info").map {
            Set($0.map { "\($0.labels["kind"]) \($0.labels["component"])" })
        }
        #expect(
            infos == [
                "orchestrator Orchestrator", "capability Vault", "client TillClient", "client MailClient",
                "context CounterContext", "context ReceiptContext", "presentation CounterView",
            ]
        )
        let edges = metrics.family("axiom_component_dependency").map {
            Set($0.map { [$0.labels["from"], $0.labels["to"]] })
        }
        #expect(
            edges == [
                ["TillClient", "Vault"], ["CounterView", "CounterContext"], ["CounterContext", "TillClient"],
                ["CounterContext", "MailClient"], ["CounterContext", "ReceiptContext"],
            ]
        )
    }

    @Test("Every series that can be known at the start is there before the first action, at 0")
    func preinitialised() async throws {
        let metrics = try await SampleApp.started().metrics
        let outcomes = ["success", "failure", "cancelled", "rejected"]
        let actions = ["TillClient": ["sell", "refund", "stamp", "close"], "MailClient": ["send", "misnumbered"]]
        for (client, actions) in actions {
            for action in actions {
                for outcome in outcomes {
                    let labels = ["client": client, "action": action, "outcome": outcome]
                    #expect(metrics.value("axiom_client_actions_total", labels) == 0)
                }
                let labels = ["client": client, "action": action]
                #expect(metrics.value("axiom_client_action_duration_seconds", labels) == 0)
            }
            #expect(metrics.value("axiom_client_actions_in_flight", ["client": client]) == 0)
        }
        #expect(metrics.family("axiom_client_actions_total")?.count == 6 * outcomes.count)
        for action in ["sell", "refund", "mail", "think", "sellAnyway"] {
            for outcome in outcomes {
                let labels = ["context": "CounterContext", "action": action, "outcome": outcome]
                #expect(metrics.value("axiom_context_actions_total", labels) == 0)
            }
        }
        #expect(metrics.family("axiom_context_actions_total")?.count == 5 * outcomes.count)
        for phase in ["create", "appear", "disappear", "background", "foreground", "render"] {
            let labels = ["context": "ReceiptContext", "phase": phase]
            #expect(metrics.value("axiom_context_lifecycle_duration_seconds", labels) == 0)
        }
        for name in ["axiom_state_updates_total", "axiom_state_coalesced_total", "axiom_state_propagation_seconds"] {
            #expect(metrics.value(name, ["client": "TillClient"]) == 0)
        }
        let context = ["kind": "context", "component": "ReceiptContext"]
        for name in ["created_total", "destroyed_total", "live", "lifetime_seconds", "leak_suspects"] {
            #expect(metrics.value("axiom_component_" + name, context) == 0)
        }
        #expect(metrics.value("axiom_telemetry_dropped_total", ["reason": "subscriber_stalled"]) == 0)
    }

    @Test("Every budget of a component has its checks and violations on the page from the start")
    func budgets() async throws {
        let metrics = try await SampleApp.started().metrics
        let budgets = [
            "Orchestrator": ["cold_start", "warm_start", "base_memory"],
            "Vault": [
                "capability_check_first", "capability_check_cached", "capability_invalidation", "availability_change",
            ],
            "TillClient": [
                "client_action", "actor_wait", "client_memory", "state_mutation", "state_publishing",
                "state_observation", "state_memory",
            ],
            "MailClient": ["client_action", "actor_wait", "client_memory"],
            "CounterContext": [
                "context_action", "context_creation", "lifecycle", "rendering", "strategy_choice", "error_propagation",
                "client_error_propagation", "capability_error_propagation",
                "task_startup", "cancellation", "context_memory", "leak_prevention",
            ],
        ]
        for (component, budgets) in budgets {
            let series = metrics.family("axiom_budget_checks_total")?.filter { $0.labels["component"] == component }
            #expect(Set(series?.map { $0.labels["budget"] } ?? []) == Set(budgets), "\(component)")
            for budget in budgets {
                let labels = ["budget": budget, "component": component]
                #expect(metrics.value("axiom_budget_violations_total", labels) != nil, "\(labels)")
            }
        }
        let limits = ["client_action": 0.008, "navigation": 0.01, "cold_start": 1, "state_observation": 0.005]
        for (budget, limit) in limits {
            #expect(metrics.value("axiom_budget_limit_seconds", ["budget": budget]) == limit)
        }
        #expect(metrics.value("axiom_budget_limit_bytes", ["budget": "client_memory"]) == 512)
        #expect(metrics.value("axiom_budget_objective_ratio", ["budget": "client_action"]) == 0.95)
        #expect(
            metrics.value("axiom_budget_checks_total", ["budget": "client_memory", "component": "TillClient"]) == 1
        )
    }
    #endif
}
