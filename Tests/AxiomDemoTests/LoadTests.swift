// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import ShopLoad
import Testing

@testable import axiom_demo

@Suite("The shoppers' scripts")
struct ScriptTests {
    @Test(
        "The same seed gives the same steps, and each shopper has other steps",
        arguments: [1, 2, 99] as [UInt64]
    )
    func reproducible(_ seed: UInt64) {
        let steps = Array(Script(seed: seed, shopper: 0).prefix(1_000))
        #expect(steps == Array(Script(seed: seed, shopper: 0).prefix(1_000)))
        #expect(steps != Array(Script(seed: seed, shopper: 1).prefix(1_000)))
        #expect(steps != Array(Script(seed: seed + 1, shopper: 0).prefix(1_000)))
    }

    @Test("A script begins with a screen, and its intents are for the open screen")
    func sound() {
        var screen: Screen?
        for step in Script(seed: 5, shopper: 0).prefix(5_000) {
            switch step {
            case .open(let opened): screen = opened
            case .act(let intent, _): #expect(intent.screen == screen)
            case .lookAway: #expect(screen != nil)
            }
        }
    }

    @Test("Every screen is opened, and some actions are cancelled and others not")
    func complete() {
        let steps = Array(Script(seed: 5, shopper: 0).prefix(5_000))
        let opened = Set(steps.compactMap { step in if case .open(let screen) = step { screen } else { nil } })
        #expect(opened == Set(Screen.allCases))
        let patience = steps.compactMap { step in if case .act(_, let patience) = step { patience != nil } else { nil }
        }
        #expect(patience.contains(true) && patience.contains(false))
    }
}

extension Intent {
    fileprivate var screen: Screen {
        switch self {
        case .appNavigation: .appNavigation
        case .home: .home
        case .settings: .settings
        case .profile: .profile
        case .notification: .notification
        case .checkout: .checkout
        case .user: .user
        case .cart: .cart
        case .pricing: .pricing
        case .payment: .payment
        }
    }
}

@Suite("The watchdog")
struct WatchdogTests {
    @Test("A step that takes more than the limit is named, and one that ends in time is not")
    func overdue() async {
        let time = ManualTime()
        let watchdog = Watchdog(limit: .seconds(10), clock: .manual(time))
        await watchdog.watch(Step.open(.cart)) {}
        await watchdog.watch(Step.act(.cart(.clear), patience: nil)) {
            time.advance(by: .seconds(10))
            #expect(watchdog.overdue == nil)
            time.advance(by: .nanoseconds(1))
            #expect(watchdog.overdue?.step == "CartIntent.clear")
        }
        #expect(watchdog.overdue == nil)
    }

    @Test("The patrol reports an overdue step while it still runs")
    func patrol() async {
        let time = ManualTime()
        let watchdog = Watchdog(limit: .seconds(10), clock: .manual(time))
        let (told, tell) = AsyncStream.makeStream(of: Watchdog.Overdue.self)
        let patrol = Task { await watchdog.patrol { tell.yield($0) } }
        await watchdog.watch(Step.open(.cart)) {
            await time.waitForSleepers(1)
            time.advance(by: .seconds(11))
            for await overdue in told {
                #expect(overdue.description == "open cart has not ended after 10.0 seconds")
                break
            }
        }
        #expect(await patrol.value?.step == "open cart")
    }
}
