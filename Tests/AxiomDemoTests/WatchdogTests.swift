// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import ShopLoad
import Testing

@testable import axiom_demo

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

    @Test("The patrol tells of an overdue step while it still runs")
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
