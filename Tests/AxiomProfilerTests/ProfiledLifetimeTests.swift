// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomProfiler
import Testing

private enum ProfiledAction: Int, Axiom.Action, CaseIterable {
    case span, call, asyncLet, group, task, detached, mainActor, sleep
    static let caseNames = allCases.map { "\($0)" }
    var caseIndex: Int { rawValue }

    @concurrent
    func run(_ parts: ProfiledParts, _ capability: CapabilityRef<ProfiledCapability>? = nil) async {
        switch self {
        case .span: await parts.telemetry.span("part") { await parts.token.use() }
        case .call: try? await capability?.call("work") { await $0.work() }
        case .asyncLet:
            async let one: Void = parts.telemetry.span("part") { await parts.token.use() }
            async let other: Void = parts.token.use()
            _ = await (one, other)
        case .group:
            await withTaskGroup { group in
                for _ in 0..<3 { group.addTask { await parts.token.use() } }
            }
        case .task: await Task { await parts.token.use() }.value
        case .detached: await Task.detached { await parts.token.use() }.value
        case .mainActor: await MainActor.run { parts.token.touch() }
        case .sleep: try? await Task.sleep(for: .milliseconds(1))
        }
    }
}

/// What the components of a round hold, as those of an application may.
private struct ProfiledParts: Sendable {
    let telemetry: Telemetry
    let token: ProfiledToken
}

private final class ProfiledToken: Sendable {
    func use() async { await Task.yield() }
    func touch() {}
}

private actor ProfiledCapability: Capability {
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
    func work() {}
}

private actor ProfiledClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let parts: ProfiledParts
    private let capability: CapabilityRef<ProfiledCapability>

    init(_ scope: borrowing ClientScope, _ parts: ProfiledParts) throws {
        (identity, capability) = (scope.identity, try scope.capability(ProfiledCapability.self))
        self.parts = parts
    }

    func process(_ action: ProfiledAction) async {
        await action.run(parts, capability)
    }
}

@MainActor
private final class ProfiledContext: Context {
    nonisolated let identity: ComponentIdentity
    let client: any StatelessClient<ProfiledAction>
    private let parts: ProfiledParts

    init(_ scope: borrowing ContextScope, _ parts: ProfiledParts) throws {
        (identity, client) = (scope.identity, try scope.client(ProfiledClient.self))
        self.parts = parts
    }

    func handle(_ action: ProfiledAction) async throws { await action.run(parts) }
}

// One profiler runs in a process at a time.
extension ProfilerTests {
    @MainActor
    private func left(after action: ProfiledAction, isProfiled: Bool) async throws -> [String] {
        weak var (telemetry, registry, token): (Telemetry?, Registry?, ProfiledToken?)
        do {
            let own = try Telemetry()
            let parts = ProfiledParts(telemetry: own, token: ProfiledToken())
            (telemetry, registry, token) = (own, own.registry, parts.token)
            let profiler = isProfiled ? try await Profiler.start(own) : nil
            defer { profiler?.stop() }
            let orchestrator = Orchestrator(instrumentation: own)
            orchestrator.register(ProfiledCapability.self) { ProfiledCapability($0) }
            orchestrator.register(ProfiledClient.self) { try ProfiledClient($0, parts) }
            orchestrator.register(ProfiledContext.self) { try ProfiledContext($0, parts) }
            try await orchestrator.start()
            let context = try orchestrator.makeContext(ProfiledContext.self)
            await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { await context.send(action) }
                    group.addTask { try? await context.client.process(action) }
                }
            }
            _ = own.readings.profiler?.profile(ProfileQuery())
            await orchestrator.shutdown()
        }
        let left: [(String, AnyObject?)] = [("telemetry", telemetry), ("registry", registry), ("token", token)]
        return left.filter { $0.1 != nil }.map(\.0)
    }

    @Test(
        "An application is freed with its telemetry and its metrics, which its components hold",
        arguments: [false, true],
        ProfiledAction.allCases
    )
    fileprivate func freed(isProfiled: Bool, action: ProfiledAction) async throws {
        let left = try await left(after: action, isProfiled: isProfiled)
        #expect(left == [])
    }
}
