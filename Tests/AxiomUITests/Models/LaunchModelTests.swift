// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import AxiomUI
import Testing

@MainActor
@Suite("The launch of an application", .timeLimit(.minutes(10)))
struct LaunchModelTests {
    private let app = ShopApp()

    private func model(
        _ launch: @escaping @MainActor () async throws -> Void = {}
    ) throws -> (LaunchModel, AppLifecycle) {
        let lifecycle = try AppLifecycle(app.orchestrator, grace: WaitLimits.unlimited, launch: launch)
        return (LaunchModel(app.orchestrator, lifecycle), lifecycle)
    }

    @Test("The first activity starts the orchestrator and launches; the activity then is the phase (UI-07)")
    func phases() async throws {
        let launches = Outputs<String>()
        let (model, lifecycle) = try model { launches.append("launched") }
        #expect(model.state == .launching)
        await model.scene(is: .active)
        #expect(model.state == .running && app.orchestrator.isRunning)
        #expect(launches.all == ["launched"])
        for activity in [SceneActivity.inactive, .background, .active] {
            await model.scene(is: activity)
            #expect(lifecycle.phase == activity.phase)
        }
        #expect(launches.all == ["launched"])
        #expect(SceneActivity.allCases.map(\.phase) == [.active, .inactive, .background])
    }

    @Test("Activities that follow each other during the start launch once (UI-07)")
    func quickly() async throws {
        let launches = Outputs<String>()
        let (model, lifecycle) = try model { launches.append("launched") }
        let tasks = [SceneActivity.inactive, .active, .inactive, .active].map { activity in
            Task { await model.scene(is: activity) }
        }
        for task in tasks { await task.value }
        #expect(launches.all == ["launched"])
        #expect(lifecycle.phase == .active && model.state == .running)
    }

    @Test("A launch that fails is an error with one option, and to try again launches (UI-07)")
    func launchFails() async throws {
        let flaky = Flaky(failures: 1, NetworkError.noConnection(to: "shop.example"))
        let (model, _) = try model { try await flaky.action.run() }
        await model.scene(is: .active)
        guard case .failed(let error) = model.state else {
            Issue.record("\(model.state)")
            return
        }
        #expect(error.kind == .connection && error.options.map(\.title) == ["Try again"])
        await model.retry()
        #expect(model.state == .running && flaky.runs == 2)
    }

    @Test("An orchestrator that cannot start is shown as well (UI-07)")
    func startFails() async throws {
        app.orchestrator.register(ShopContext.self) { try ShopContext($0, $1) }
        app.orchestrator.register(ShopContext.self) { try ShopContext($0, $1) }
        let (model, _) = try model()
        await model.scene(is: .active)
        guard case .failed(let error) = model.state else {
            Issue.record("\(model.state)")
            return
        }
        #expect(error.kind == .program)
        await model.retry()
        #expect(model.state != .running)
    }
}
