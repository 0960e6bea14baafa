// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomNavigation
import AxiomTestSupport
import Testing

@Suite("Announcements", .timeLimit(.minutes(10)))
struct AnnouncementsTests {
    private struct Failure: Error {}

    @Test("An arrival is announced after the transition, with its analytics name, source and outcome (NAV-08)")
    func arrivals() async throws {
        let events = Collector<String>()
        let announcements = Announcements<GuardedRoute> { announcement in
            events.add("\(announcement.name) \(announcement.source) \(announcement.outcome)")
        }
        let run = MiddlewareRun(announcements) { request in
            events.add("transition")
            return .arrived(request.route)
        }
        _ = try await run.navigate(to: .home)
        await events.wait(for: 2)
        _ = try await run.navigate(to: .product(7), from: .deepLink)
        await events.wait(for: 4)
        #expect(
            events.values == [
                "transition", "Start user \(NavigationOutcome.arrived(GuardedRoute.home))",
                "transition", "product deepLink \(NavigationOutcome.arrived(GuardedRoute.product(7)))",
            ]
        )
    }

    @Test("A redirected request is announced once, as the arrival at the other route (NAV-08)")
    func redirects() async throws {
        let heard = Collector<Announcement<GuardedRoute>>()
        let authentication = try AuthenticationGuard<GuardedRoute>(
            isSignedIn: { false },
            login: { .login(returnTo: $0) }
        )
        let run = MiddlewareRun(Announcements { heard.add($0) }, authentication)
        _ = try await run.navigate(to: .account)
        _ = try await run.navigate(to: .home)
        await heard.wait(for: 2)
        #expect(heard.values.map(\.name) == ["login", "Start"])
        #expect(heard.values[0].outcome == .redirected(to: .login(returnTo: .account)))
        #expect(heard.values[0].source == .redirect)
    }

    @Test("Refused, unchanged and failed requests are not announced, and reach the caller unchanged (NAV-08)")
    func noArrival() async throws {
        let heard = Collector<Announcement<GuardedRoute>>()
        let announcements = Announcements<GuardedRoute> { heard.add($0) }
        for outcome in [NavigationOutcome<GuardedRoute>.refused(reason: "no"), .unchanged] {
            let run = MiddlewareRun(announcements) { _ in outcome }
            #expect(try await run.navigate(to: .list) == outcome)
        }
        let failing = MiddlewareRun(announcements) { _ in throw Failure() }
        await #expect(throws: Failure.self) { try await failing.navigate(to: .list) }
        #expect(announcements.counts == (0, 0, 0) && heard.values.isEmpty)
    }

    @Test(
        "A closure that never returns delays no transition; what exceeds the queue is dropped, counted and told (NAV-08)"
    )
    func slowClosure() async throws {
        let door = Door()
        let heard = Collector<Announcement<GuardedRoute>>()
        let announcements = Announcements<GuardedRoute> { announcement in
            await door.passStubbornly()
            heard.add(announcement)
        }
        let run = MiddlewareRun(announcements)
        for id in 0..<150 {
            #expect(try await run.navigate(to: .product(id)) == .arrived(.product(id)))
        }
        #expect(announcements.dropped == 50)
        #expect(announcements.counts == (150, 0, 50))
        door.open()
        await heard.wait(for: 100)
        await eventually { announcements.counts.delivered == 100 }
        #expect(heard.values.map(\.route) == (0..<100).map { .product($0) })
        _ = try await run.navigate(to: .home)
        await heard.wait(for: 101)
        #expect(heard.values.last?.route == .home && heard.values.last?.dropped == 50)
    }

    @Test("Arrivals of many tasks are each announced or dropped, and none is announced twice (NAV-08)")
    func conservation() async throws {
        let heard = Collector<Announcement<GuardedRoute>>()
        let announcements = Announcements<GuardedRoute> { heard.add($0) }
        let run = MiddlewareRun(announcements)
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask { for id in 0..<100 { _ = try? await run.navigate(to: .product(task * 100 + id)) } }
            }
        }
        await eventually { announcements.counts.delivered + announcements.counts.dropped == 800 }
        #expect(announcements.counts.announced == 800)
        #expect(heard.values.count == announcements.counts.delivered)
        #expect(Set(heard.values.map(\.route)).count == heard.values.count)
    }
}
