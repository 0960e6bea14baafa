// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import Observation
import Testing

@Suite("A flow of navigation", .timeLimit(.minutes(10)))
@MainActor
struct NavigationFlowTests {
    @Test("A flow shows its root, goes to a route and back, and says where it is (NAV-01, NAV-13)")
    func goAndBack() async throws {
        let world = try FlowWorld()
        let flow = world.flow!
        #expect(flow.currentRoute == .home && flow.routes == [.home] && !flow.canNavigateBack && !flow.isOpen)
        try await world.orchestrator.start()
        #expect(try await flow.open() == .arrived(.home))
        #expect(try await flow.open() == .unchanged)
        #expect(try await flow.navigate(to: .item(1)) == .arrived(.item(1)))
        #expect(flow.routes == [.home, .item(1)] && flow.currentRoute == .item(1) && flow.canNavigateBack)
        #expect(try await flow.navigateBack() == .arrived(.home))
        #expect(try await flow.navigateBack() == .unchanged)
        #expect(!flow.isTransitioning && flow.routes == [.home])
        await until { world.events.count >= 5 }
        #expect(
            world.events == ["appear home", "disappear home", "appear item(1)", "disappear item(1)", "appear home"]
        )
        #expect(world.outputs.last == ["home 0"])
        await world.orchestrator.shutdown()
    }

    @Test("The context of a covered screen is the same on the way back (NAV-13, CTX-08)")
    func sameContext() async throws {
        let world = try await FlowWorld.open()
        let context = try #require(world.top)
        context.value = 7
        try await world.flow.navigate(to: .item(1))
        #expect(world.counts.live == 2)
        try await world.flow.navigateToRoot()
        await until { world.counts.live == 1 && world.outputs.last == ["home 7"] }
        #expect(world.top === context)
    }

    @Test("The first navigation opens the flow: its root is below and gets a screen on the way back (NAV-19)")
    func navigationOpens() async throws {
        let world = try FlowWorld()
        try await world.orchestrator.start()
        try await world.flow.navigate(to: .item(1))
        #expect(world.flow.routes == [.home, .item(1)] && world.counts.live == 1)
        try await world.flow.navigateBack()
        await until { world.counts.live == 1 }
        #expect(world.top?.route == .home)
    }

    @Test("The output of the screens below a modal one is rendered with it, and alone after it (NAV-05)")
    func modal() async throws {
        let world = try await FlowWorld.open()
        try await world.flow.navigate(to: .sheet(1))
        #expect(world.outputs.last == ["home 0", "sheet(1) 0"])
        world.top?.value = 1
        await until { world.outputs.last == ["home 0", "sheet(1) 1"] }
        try await world.flow.navigateBack()
        await until { world.outputs.last == ["home 0"] }
    }

    @Test("A replacing route takes the place of the current one, which ends (NAV-05)")
    func replace() async throws {
        let world = try await FlowWorld.open([.home, .item(1)])
        try await world.flow.navigate(to: .swap(2))
        await until { world.counts.live == 1 }
        #expect(world.flow.routes == [.home, .swap(2)])
    }

    @Test(
        "If a screen cannot be made, the flow is as before and the error is thrown once (NAV-24)",
        arguments: [FlowRoute.item(1), .sheet(1), .swap(1)]
    )
    func factoryThrows(route: FlowRoute) async throws {
        let world = try await FlowWorld.open()
        world.broken = [route]
        let rendered = world.outputs.last
        await #expect(throws: FlowWorld.Broken.self) { try await world.flow.navigate(to: route) }
        await until { world.counts.live == 1 && world.events.count >= 3 }
        #expect(world.flow.routes == [.home] && world.outputs.last == rendered)
        #expect(world.events == ["appear home", "disappear home", "appear home"])
        #expect(!world.flow.isTransitioning && world.orchestrator.errorBoundary.history.isEmpty)
        #expect(try await world.flow.navigate(to: .item(2)) == .arrived(.item(2)))
    }

    @Test("If one of several screens cannot be made, those that were made end (NAV-24)")
    func secondFactoryThrows() async throws {
        let world = try await FlowWorld.open([.home, .item(1)])
        world.broken = [.sheet(3)]
        await #expect(throws: FlowWorld.Broken.self) {
            try await world.flow.reset(to: [.item(5), .sheet(2), .sheet(3)])
        }
        await until { world.counts.live == 1 && world.events.last == "appear item(1)" }
        #expect(world.flow.routes == [.home, .item(1)] && world.top?.route == .item(1))
    }

    @Test("A screen beyond the live limit has no context, and gets a new one on the way back (NAV-14, NAV-19)")
    func dehydration() async throws {
        let world = try await FlowWorld.open { $0.liveScreens = 2 }
        for number in 1...50 { try await world.flow.navigate(to: .item(number)) }
        await until { world.counts.live == 2 }
        #expect(world.flow.routes.count == 50)
        #expect(world.flow.liveContexts.map(\.index) == [48, 49])
        try await world.flow.navigateBack(20)
        await until { world.counts.live == 1 }
        #expect(world.top?.route == world.flow.currentRoute)
    }

    @Test("A dehydrated screen gets its image back before its first output (NAV-14, RES-01)")
    func image() async throws {
        let world = try await FlowWorld.open { $0.liveScreens = 1 }
        let imaging = ValueImages()
        world.flow.imaging = imaging
        world.top?.value = 42
        try await world.flow.navigate(to: .item(1))
        await until { world.counts.live == 1 }
        try await world.flow.navigateBack()
        #expect(world.outputs.last == ["home 42"] && world.top?.value == 42)
        try await world.flow.reset(to: [.item(5), .item(6)], images: [ScreenImage(bytes: [9])])
        try await world.flow.navigateBack()
        #expect(world.top?.value == 9)
    }

    @Test("A screen that is made again and taken back because another one fails keeps its image (NAV-13, RES-01)")
    func imageOfRevokedScreen() async throws {
        let world = try await FlowWorld.open { $0.liveScreens = 2 }
        let imaging = ValueImages()
        world.flow.imaging = imaging
        try await world.flow.navigate(to: .item(1))
        world.top?.value = 42
        for route in [FlowRoute.sheet(2), .item(3), .item(4)] { try await world.flow.navigate(to: route) }
        world.broken = [.sheet(2)]
        await #expect(throws: FlowWorld.Broken.self) { try await world.flow.navigateBack(2) }
        #expect(world.flow.routes == [.home, .item(1), .sheet(2), .item(3), .item(4)])
        world.broken = []
        try await world.flow.navigateBack(2)
        #expect(world.outputs.last == ["item(1) 42", "sheet(2) 0"])
        await until { world.counts.live == 2 }
    }

    @Test("A way back to a depth keeps the routes below, and changes nothing if they are others (NAV-01, NAV-13)")
    func backToDepth() async throws {
        let world = try await FlowWorld.open([.home, .item(1), .item(2), .item(3)])
        for depth in [Int.min, -1, 0, 1, 3, 5, .max] {
            #expect(try await world.flow.navigateBack(toDepth: depth, .item(1)) == .unchanged)
        }
        #expect(try await world.flow.navigateBack(toDepth: 4, .item(3)) == .unchanged)
        #expect(try await world.flow.navigateBack(toDepth: 2, .item(1)) == .arrived(.item(1)))
        #expect(world.flow.routes == [.home, .item(1)])
    }

    @Test("The flow is observable (NAV-01)")
    func observable() async throws {
        let world = try await FlowWorld.open()
        let flow = world.flow!
        await confirmation { changed in
            withObservationTracking {
                _ = (flow.currentRoute, flow.canNavigateBack)
            } onChange: {
                changed()
            }
            _ = try? await flow.navigate(to: .item(1))
        }
    }

    @Test("A closed flow has no screens and can be opened again, and a cancelled caller closes it too (NAV-19)")
    func close() async throws {
        let world = try await FlowWorld.open([.home, .item(1), .sheet(1)])
        let flow = world.flow!
        let closing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await flow.close()
        }
        try await closing.value
        #expect(!flow.isOpen && flow.routes == [.home] && !flow.isTransitioning)
        await until { world.counts.live == 0 }
        #expect(world.outputs.last == [])
        try await flow.close()
        #expect(try await flow.navigate(to: .item(2)) == .arrived(.item(2)))
        #expect(flow.routes == [.home, .item(2)] && world.counts.live == 1)
        await world.orchestrator.shutdown()
    }

    @Test("A history without routes is refused with an error (NAV-24)")
    func emptyReset() async throws {
        let world = try await FlowWorld.open()
        let error = await #expect(throws: NavigationError.self) { try await world.flow.reset(to: []) }
        #expect(error?.code == .emptyHistory && world.flow.routes == [.home])
    }
}
