// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import Testing

@Suite("The stack of a flow")
struct NavigationStackTests {
    private func stack(
        _ routes: [FlowRoute],
        _ change: (inout NavigationOptions) -> Void = { _ in }
    ) throws
        -> NavigationStack<FlowRoute>
    {
        var options = NavigationOptions()
        change(&options)
        var stack = NavigationStack<FlowRoute>(options)
        _ = try stack.apply(.reset(routes))
        return stack
    }

    @Test("A pushed route covers the one before it, which is uncovered on the way back (NAV-01, NAV-13)")
    func pushAndBack() throws {
        var stack = try stack([.home])
        let home = stack.entries[0]
        let pushed = try stack.apply(.show(.item(1)))
        let item = stack.entries[1]
        #expect(pushed == [.cover(home.id), .open(item)])
        #expect(try stack.apply(.back(1)) == [.close(item.id), .uncover(home.id)])
        #expect(stack.routes == [.home])
        #expect(try stack.apply(.back(1)).isEmpty)
    }

    @Test("A replacing route opens before the one that it replaces ends, so a failure can be taken back (NAV-05)")
    func replace() throws {
        var stack = try stack([.home, .item(1)])
        let old = stack.entries[1]
        let effects = try stack.apply(.show(.swap(2)))
        #expect(effects == [.cover(old.id), .open(stack.entries[1]), .close(old.id)])
        #expect(stack.routes == [.home, .swap(2)])
    }

    @Test("The routes under a modal one are visible, up to the first that is not modal (NAV-05)")
    func modal() throws {
        let stack = try stack([.home, .item(1), .sheet(2), .sheet(3)])
        #expect(stack.visible.map(\.route) == [.item(1), .sheet(2), .sheet(3)])
        #expect(stack.live == Set(stack.visible.map(\.id)))
    }

    @Test("A new history keeps the screens of the routes with which both begin (NAV-01)")
    func reset() throws {
        var stack = try stack([.home, .item(1)])
        let home = stack.entries[0]
        _ = try stack.apply(.reset([.home, .item(2), .item(3)]))
        #expect(stack.entries[0] == home && stack.routes == [.home, .item(2), .item(3)])
        #expect(stack.live == [stack.entries[2].id], "the route between them has no screen until it is shown")
        #expect(throws: NavigationError.self) { try stack.apply(.reset([])) }
        #expect(stack.routes.count == 3)
    }

    @Test("Beyond the limit of live screens the oldest has none, and gets one on the way back (NAV-14, NAV-19)")
    func liveLimit() throws {
        var stack = try stack([.home]) { $0.liveScreens = 2 }
        let home = stack.entries[0]
        _ = try stack.apply(.show(.item(1)))
        let effects = try stack.apply(.show(.item(2)))
        #expect(effects.last == .dehydrate(home.id))
        let (one, two) = (stack.entries[1], stack.entries[2])
        #expect(try stack.apply(.root) == [.cover(two.id), .open(home), .close(two.id), .close(one.id)])
        #expect(stack.live == [home.id])
    }

    @Test("A full history drops the oldest route above the root, and its screen ends (NAV-14)")
    func historyLimitDrops() throws {
        var stack = try stack([.home, .item(1), .item(2)]) { $0.historyLimit = 3 }
        let oldest = stack.entries[1]
        #expect(try stack.apply(.show(.item(3))).contains(.close(oldest.id)))
        #expect(stack.routes == [.home, .item(2), .item(3)])
    }

    @Test("A full history refuses a route with an error that names the limit, if the options say so (NAV-14, NAV-24)")
    func historyLimitRefuses() throws {
        var stack = try stack([.home, .item(1)]) { ($0.historyLimit, $0.whenFull) = (2, .refuse) }
        let before = stack
        let error = #expect(throws: NavigationError.self) { try stack.apply(.show(.item(3))) }
        #expect(error?.code == .historyFull)
        #expect(error?.message.contains("NavigationOptions.historyLimit, which is 2") == true)
        #expect(stack.routes == before.routes && stack.live == before.live)
        #expect(throws: Never.self) { try stack.apply(.show(.swap(9))) }
    }

    @Test("A route that is in the history is pushed again, popped to or refused, as the options say (NAV-12)")
    func whenOnStack() throws {
        let routes: [FlowRoute] = [.home, .item(1), .item(2)]
        var pushing = try stack(routes)
        _ = try pushing.apply(.show(.item(1)))
        #expect(pushing.routes == routes + [.item(1)])
        var popping = try stack(routes) { $0.whenOnStack = .popTo }
        _ = try popping.apply(.show(.item(1)))
        #expect(popping.routes == [.home, .item(1)])
        #expect(try popping.apply(.show(.item(1))).isEmpty)
        var refusing = try stack(routes) { $0.whenOnStack = .refuse }
        let error = #expect(throws: NavigationError.self) { try refusing.apply(.show(.home)) }
        #expect(error?.code == .routeInHistory && refusing.routes == routes)
    }
}
