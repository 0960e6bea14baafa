// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// Tells a telemetry of calls as the framework does.
final class OtherRecorder {
    private struct Edge: Hashable {
        let caller: Int
        let part: Int
    }

    private let parts: [OtherPart]
    private let telemetry: Telemetry
    private var clients: [Edge: any ClientProbe] = [:]
    private var capabilities: [Edge: any CapabilityProbe] = [:]
    private var contexts: [Int: any ContextProbe] = [:]
    private var requests: [Int: any ClientProbe] = [:]
    private var states: [Int: any StateProbe] = [:]
    private var pools: [Int: any Signal] = [:]
    private var spans: [(any SpanProbe)?] = []

    init(_ graph: OtherGraph, _ telemetry: Telemetry) {
        (parts, self.telemetry) = (graph.parts, telemetry)
        for (index, part) in parts.enumerated() {
            let component = part.component
            telemetry.registered(component, module: "Other")
            let names = component.kind == .capability ? [] : OtherJob.caseNames
            spans.append(telemetry.spanProbe(for: component, actions: names))
            switch component.kind {
            case .context: contexts[index] = telemetry.contextProbe(for: component, of: OtherScreen.self)
            case .request: requests[index] = telemetry.requestProbe(for: component, of: OtherHandler.self)
            case .client: states[index] = telemetry.stateProbe(for: component)
            case .capability, .orchestrator, .presentation: break
            }
            if part.hasPool { pools[index] = telemetry.signal(Self.waits, [component.name]) }
        }
        for (caller, part) in parts.enumerated() {
            for edge in part.calls.flatMap(\.edges) { connect(caller, edge.part) }
        }
    }

    private static let waits =
        SignalFamily("axiom_pool_wait_seconds", .seconds, help: "Of a pool.", labels: ["pool"]).waits

    private func connect(_ caller: Int, _ part: Int) {
        let (from, to) = (parts[caller].component, parts[part].component)
        let edge = Edge(caller: caller, part: part)
        guard clients[edge] == nil, capabilities[edge] == nil else { return }
        telemetry.resolved(ComponentDependency(from: from, to: to))
        if to.kind == .client {
            clients[edge] = telemetry.clientProbe(for: to, of: OtherWorker.self, calledBy: from)
        } else {
            capabilities[edge] = telemetry.capabilityProbe(for: to, calledBy: from)
        }
    }

    private func name(_ call: OtherPlannedCall) -> SpanRecord.Name {
        let isCapability = parts[call.part].component.kind == .capability
        return isCapability ? .call(OtherGraph.callNames[call.call]) : .action(call.call)
    }

    private func kind(_ call: OtherPlannedCall) -> SpanKind {
        switch parts[call.part].component.kind {
        case .client: .clientAction
        case .context: .contextAction
        case .request: .request
        default: .capabilityCall
        }
    }

    /// A call begins now.
    func begin(_ call: OtherPlannedCall) {
        let (start, parent) = (Instant(nanoseconds: call.start), call.parent?.span?.context ?? .none)
        call.span = spans[call.part]?.begin(kind(call), name(call), at: start, under: parent)
        guard let caller = call.caller else {
            requests[call.part]?.began(caseIndex: call.call)
            return
        }
        let edge = Edge(caller: caller, part: call.part)
        clients[edge]?.began(caseIndex: call.call)
        if let probe = capabilities[edge] { probe.began(probe.number(of: OtherGraph.callNames[call.call])) }
    }

    /// A call that began ends now.
    func end(_ call: OtherPlannedCall) {
        guard let caller = call.caller else { return endRoot(call) }
        let edge = Edge(caller: caller, part: call.part)
        if let probe = clients[edge] {
            // About one in 64, as the framework times them.
            let isTimed = (UInt64(bitPattern: call.start) &* 0x9E37_79B9_7F4A_7C15) >> 58 == 0
            if isTimed { probe.waited(nanoseconds: call.wait) }
            endSpan(call)
            probe.ended(caseIndex: call.call, outcome: call.outcome, nanoseconds: call.nanoseconds)
            if call.call == 1 { states[call.part]?.stateUpdated() }
        }
        guard let probe = capabilities[edge] else { return }
        pools[call.part]?.observe(nanoseconds: call.wait)
        for _ in 0..<call.retries { probe.retried() }
        if let answer = call.answer, call.error == nil { probe.answered(answer) }
        if call.retries > 0, call.error == nil { probe.recovered(by: .retry) }
        if call.error != nil { probe.recovered(by: .propagate) }
        endSpan(call)
        let number = probe.number(of: OtherGraph.callNames[call.call])
        probe.ended(number, outcome: call.outcome, nanoseconds: call.nanoseconds)
    }

    private func endRoot(_ call: OtherPlannedCall) {
        endSpan(call)
        let (index, outcome, nanoseconds) = (call.call, call.outcome, call.nanoseconds)
        contexts[call.part]?.actionEnded(caseIndex: index, outcome: outcome, nanoseconds: nanoseconds)
        requests[call.part]?.ended(caseIndex: index, outcome: outcome, nanoseconds: nanoseconds)
        guard let error = call.error else { return }
        let boundary = parts[call.part].component
        let ended = EndedError(
            error,
            origin: error.origin ?? boundary,
            boundary: boundary,
            chain: ErrorChain(error),
            span: call.span?.context ?? .none
        )
        telemetry.ended(ended)
    }

    private func endSpan(_ call: OtherPlannedCall) {
        guard let span = call.span else { return }
        let record = SpanRecord(
            kind(call),
            name(call),
            start: Instant(nanoseconds: call.start),
            nanoseconds: call.nanoseconds,
            outcome: call.outcome,
            error: call.error
        )
        spans[call.part]?.end(span, record)
    }
}

/// The actions of all clients, contexts and handlers.
enum OtherJob: Axiom.Action {
    case load, save, search, refresh
    static let caseNames = ["load", "save", "search", "refresh"]
    var caseIndex: Int { 0 }
}

/// Only a type: none is made.
actor OtherWorker: StatelessClient {
    func process(_ job: OtherJob) {}
}

/// Only a type: none is made.
final class OtherScreen: Context {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) { identity = scope.identity }

    func handle(_ job: OtherJob) async throws {}
}

/// Only a type: none is made.
final class OtherHandler: RequestHandler {
    let identity: ComponentIdentity

    init(_ scope: borrowing HandlerScope) { identity = scope.identity }

    func handle(_ job: OtherJob, in work: borrowing WorkScope) async throws {}
}
