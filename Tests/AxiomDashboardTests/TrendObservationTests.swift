// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Synchronization
import Testing

@testable import AxiomDashboard

/// A state that grows.
private struct Pile: OwnedState, Equatable {
    var text: String
}

/// Two clients whose calls are counted and timed as a test says, second by second.
private final class Load {
    let workshop: Workshop
    let clients = ["Map", "Search"].map { ComponentDescriptor(kind: .client, name: $0) }
    let probes: [any ClientProbe]

    init() throws {
        workshop = try Workshop([])
        let telemetry = workshop.telemetry
        for client in clients { telemetry.registered(client, module: "") }
        probes = clients.compactMap { telemetry.clientProbe(for: $0, of: Workshop.Worker.self, calledBy: nil) }
    }

    /// Lets seconds pass, each with two calls of 5 ms of each client, if nothing else is said of the first one.
    func run(
        seconds: Int,
        calls: Int = 2,
        milliseconds: Int64 = 5,
        failures: Int = 0,
        _ body: (Int) -> Void = { _ in }
    ) {
        for second in 0..<seconds {
            for call in 0..<calls { act(0, milliseconds, isFailure: call < failures) }
            for _ in 0..<2 { act(1, 5, isFailure: false) }
            body(second)
            workshop.tick()
        }
    }

    private func act(_ client: Int, _ milliseconds: Int64, isFailure: Bool) {
        probes[client].began(caseIndex: 0)
        let outcome: ActionOutcome = isFailure ? .failure : .success
        probes[client].ended(caseIndex: 0, outcome: outcome, nanoseconds: milliseconds * 1_000_000)
    }

    /// The problems and observations of one panel: those that last, or those that have ended.
    func texts(ended: Bool = false) throws -> [String] {
        let rows = try Viewer(workshop.dashboard.snapshot()).lists["problems"] ?? [:]
        let shown = rows.sorted { $0.key < $1.key }.map(\.value).filter {
            ($0["ended"]?.number != nil) == ended && $0["panel"]?.string == "components"
        }
        return shown.map { "\($0["kind"]?.string ?? ""): \($0["text"]?.string ?? "")" }
    }
}

@Suite("Observations that need no limit", .timeLimit(.minutes(10)))
struct TrendObservationTests {
    @Test("A client whose calls take longer than before is named within a minute, until they do not")
    func latency() throws {
        let load = try Load()
        load.run(seconds: 780)
        #expect(try load.texts() == [])
        load.run(seconds: 60, milliseconds: 60)
        let all = try load.texts()
        let found = try #require(all.first)
        #expect(all.count == 1 && found.hasPrefix("note: Map.quick takes "), "\(all)")
        #expect(found.contains(" ms at the median, ") && found.hasSuffix(" ms in the hour before"))
        let diagnosis = try #require(load.workshop.dashboard.diagnosis())
        #expect(diagnosis.verdict == .observations && diagnosis.markdown().contains("Map.quick takes "))
        load.run(seconds: 150)
        #expect(try load.texts() == [])
        #expect(try load.texts(ended: true).first?.hasPrefix("note: Map.quick took ") == true)
    }

    @Test("A client that fails more often than before is named; with errors, the problem of the errors names it")
    func failing() throws {
        let load = try Load()
        load.run(seconds: 780)
        load.run(seconds: 90, failures: 1)
        #expect(try load.texts() == ["note: Map.quick fails in 50 % of its calls, 0 % in the hour before"])
        let map = load.clients[0]
        load.run(seconds: 60, failures: 1) { _ in
            load.workshop.telemetry.ended(EndedError(Workshop.Broken(), origin: map, boundary: map))
        }
        let rows = try Viewer(load.workshop.dashboard.snapshot()).lists["problems"] ?? [:]
        let open = rows.values.filter { $0["ended"]?.number == nil }
        let error = try #require(open.first { $0["panel"]?.string == "errors" })
        let observed = try #require(open.first { $0["text"]?.string?.hasPrefix("Map.quick fails") == true })
        #expect(observed["cause"]?.number == error["id"]?.number)
    }

    @Test("A state that grows is named after five minutes, with its size before and now, until it does not grow")
    func growth() throws {
        let load = try Load()
        let size = Mutex(200_000)
        let probe = try #require(load.workshop.telemetry.stateProbe(for: load.clients[0]))
        probe.storeMade { Pile(text: String(repeating: "x", count: size.withLock { $0 })) }
        load.run(seconds: 780)
        #expect(try load.texts() == [])
        load.run(seconds: 390) { _ in size.withLock { $0 += 1_000 } }
        let all = try load.texts()
        let found = try #require(all.first)
        #expect(all.count == 1 && found.hasPrefix("note: Map's state grew from "), "\(all)")
        #expect(found.contains(" kB to ") && found.hasSuffix(" minutes"))
        let (registry, active) = (load.workshop.telemetry.registry, "axiom_problem_active{")
        load.workshop.dashboard.start()
        #expect(registry.collect().text.contains(active + #"kind="growth",component="Map"} 1"#))
        load.run(seconds: 300)
        #expect(try load.texts() == [])
        #expect(!registry.collect().text.contains(active))
        load.workshop.dashboard.stop()
    }

    @Test("A client whose calls stop is named while the others go on, and not if all stop")
    func silence() throws {
        let load = try Load()
        load.run(seconds: 780)
        load.run(seconds: 90, calls: 0)
        let all = try load.texts()
        let found = try #require(all.first)
        #expect(all.count == 1 && found.hasPrefix("note: Map was called 2 times a second until "), "\(all)")
        #expect(found.hasSuffix(" UTC, and not since"))
        load.run(seconds: 60)
        #expect(try load.texts() == [])
        let idle = try Load()
        idle.run(seconds: 780)
        for _ in 0..<300 { idle.workshop.tick() }
        #expect(try idle.texts() == [])
    }

    @Test("A client whose calls wait longer for its actor than before is named")
    func waits() throws {
        let load = try Load()
        load.run(seconds: 780) { _ in load.probes[0].waited(nanoseconds: 100_000) }
        load.run(seconds: 180) { _ in load.probes[0].waited(nanoseconds: 40_000_000) }
        let all = try load.texts()
        let found = try #require(all.first)
        #expect(all.count == 1 && found.hasPrefix("note: Calls of Map wait "), "\(all)")
        #expect(found.contains(" ms for its actor at the median, "), "\(all)")
    }

    @Test("A client of which a tenth of the calls become long is named, and one of which calls do not end")
    func longAndHanging() throws {
        let load = try Load()
        load.run(seconds: 780)
        for _ in 0..<30 {
            load.run(seconds: 9)
            load.run(seconds: 1, milliseconds: 800)
        }
        let long = try #require(try load.texts().first)
        #expect(try load.texts().count == 1)
        #expect(long.hasPrefix("note: 10 % of the calls of Map.quick take more than "), "\(long)")
        let other = try Load()
        other.run(seconds: 780)
        other.run(seconds: 90) { _ in other.probes[0].began(caseIndex: 0) }
        let hanging = try #require(try other.texts().first { $0.contains("have not ended") })
        #expect(hanging.hasPrefix("note: ") && hanging.contains(" calls of Map.quick have not ended after "))
        #expect(try other.texts().count == 1, "the calls in flight follow from that")
        let (registry, active) = (other.workshop.telemetry.registry, "axiom_problem_active{")
        other.workshop.dashboard.start()
        #expect(registry.collect().text.contains(active + #"kind="slow",component="Map"} 1"#))
        other.workshop.dashboard.stop()
    }

    @Test("A client whose instances no longer end is named")
    func lives() throws {
        let load = try Load()
        let screen = ComponentDescriptor(kind: .context, name: "MapScreen")
        load.workshop.telemetry.registered(screen, module: "")
        var next: UInt64 = 1_000
        func instance() -> ComponentInstance {
            next += 1
            return ComponentInstance(id: next, component: screen, createdAt: load.workshop.time.now)
        }
        load.run(seconds: 780) { second in
            guard second.isMultiple(of: 5) else { return }
            let made = instance()
            load.workshop.telemetry.created(made)
            load.workshop.telemetry.destroyed(made, lifetime: 1_000_000_000)
        }
        #expect(try load.texts() == [])
        load.run(seconds: 330) { second in
            if second.isMultiple(of: 5) { load.workshop.telemetry.created(instance()) }
        }
        let all = try load.texts()
        let found = try #require(all.first { $0.contains("live on") }, "\(all)")
        #expect(found.contains(" new instances of MapScreen live on after 1 min, 0 of "), "\(found)")
    }

    // MARK: - Causes

    private static let edges: [ComponentDependency] = {
        let client = ComponentDescriptor(kind: .client, name: "Map")
        let gateway = ComponentDescriptor(kind: .capability, name: "Gateway")
        let vault = ComponentDescriptor(kind: .capability, name: "Vault")
        return [ComponentDependency(from: client, to: gateway), ComponentDependency(from: gateway, to: vault)]
    }()

    private func trend(_ detector: TrendDetector, _ component: String, _ symptom: Symptom = .other) -> Problem {
        Problem(
            key: "observation/\(detector)/\(component)",
            level: .observation,
            kind: .growth,
            component: nil,
            text: component,
            symptom: symptom,
            subjects: [component],
            trend: detector
        )
    }

    private func causes(_ findings: [Problem], _ times: CallTimes = CallTimes()) -> [String: String?] {
        var (folding, components) = (CauseFolding(Self.edges, times), ComponentIndex())
        for edge in Self.edges { _ = (components.id(edge.from), components.id(edge.to)) }
        let folded = folding.fold(findings, components)
        return Dictionary(folded.map { ($0.key, $0.cause) }) { first, _ in first }
    }

    @Test("Of components that depend on each other and are unusual in the same way, the origin is named")
    func origins() {
        let failing = ["Map", "Gateway", "Vault"].map { trend(.failing, $0, .failingShare) }
        #expect(causes(failing).values.compactMap(\.self) == Array(repeating: "observation/failing/Vault", count: 2))
        let silent = ["Map", "Gateway", "Vault"].map { trend(.silence, $0) }
        #expect(causes(silent).values.compactMap(\.self) == Array(repeating: "observation/silence/Map", count: 2))
        let slow = ["Map", "Gateway"].map { trend(.latency, $0, .slow) }
        #expect(causes(slow).values.compactMap(\.self).isEmpty, "it was not measured")
        let (map, gateway) = (Self.edges[0].from, Self.edges[0].to)
        let calls = [map: MeasuredCalls(seconds: 10), gateway: MeasuredCalls(seconds: 9)]
        let times = CallTimes([Self.edges[0]: MeasuredCalls(seconds: 9)], calls)
        #expect(causes(slow, times)["observation/latency/Map"] == "observation/latency/Gateway")
        let hanging = ["Map", "Gateway"].map { trend(.hang, $0) } + ["Map", "Gateway"].map { trend(.backlog, $0) }
        #expect(causes(hanging).values.compactMap(\.self) == Array(repeating: "observation/hang/Gateway", count: 3))
        let growing = ["Map", "Gateway"].map { trend(.growth, $0) }
        #expect(causes(growing).values.compactMap(\.self).isEmpty)
    }

    @Test("What is observed of a capability between a cause and its client follows from the cause")
    func between() {
        func problem(_ key: String, _ symptom: Symptom, root: String? = nil) -> Problem {
            Problem(
                key: key,
                level: .bad,
                kind: .error,
                component: nil,
                text: key,
                symptom: symptom,
                subjects: ["Map"],
                root: root
            )
        }
        let failing = trend(.failing, "Gateway", .failingShare)
        let error = problem("error", .failing(code: "VAULT_KEY"), root: "Vault")
        #expect(causes([error, failing])["observation/failing/Gateway"] == "cause/Vault")
        let (map, gateway, vault) = (Self.edges[0].from, Self.edges[0].to, Self.edges[1].to)
        for part in [0.9, 0.1] {
            let times = CallTimes(
                [Self.edges[0]: MeasuredCalls(seconds: 9), Self.edges[1]: MeasuredCalls(seconds: 9 * part)],
                [map: MeasuredCalls(seconds: 10), gateway: MeasuredCalls(seconds: 9), vault: MeasuredCalls(seconds: 9)]
            )
            let found = causes([problem("budget", .slow), trend(.latency, "Gateway", .slow)], times)
            let origin = part > 0.5 ? "cause/Vault" : "cause/Gateway"
            #expect(found["observation/latency/Gateway"] == origin && found["budget"] == origin, "\(part): \(found)")
        }
    }

    @Test("What is no longer called follows from a capability that called it and is gone; what calls that one does not")
    func silenced() {
        let gone = Problem(
            key: "gone",
            level: .bad,
            kind: .capability,
            component: nil,
            text: "",
            symptom: .degraded(isInherited: false),
            subjects: ["Gateway"]
        )
        let found = causes([gone, trend(.silence, "Vault"), trend(.silence, "Map")])
        #expect(found["observation/silence/Vault"] == "gone")
        #expect(found["observation/silence/Map"] == .some(nil))
    }

    @Test("What a problem of the same component says is not said twice")
    func explained() {
        func problem(_ kind: ProblemKind) -> Problem {
            Problem(key: "problem", level: .warning, kind: kind, component: nil, text: "", subjects: ["Map"])
        }
        let pairs: [(TrendDetector, ProblemKind)] = [
            (.growth, .leak), (.growth, .budget), (.latency, .regression), (.silence, .circuit), (.failing, .error),
        ]
        for (detector, kind) in pairs {
            let found = causes([trend(detector, "Map"), problem(kind)])
            #expect(found["observation/\(detector)/Map"] == "problem", "\(detector) and \(kind)")
        }
        #expect(causes([trend(.growth, "Gateway"), problem(.leak)]).values.compactMap(\.self).isEmpty)
        #expect(causes([trend(.growth, "Map"), problem(.circuit)]).values.compactMap(\.self).isEmpty)
    }
}
#endif
