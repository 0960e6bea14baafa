// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomInstrumentation

@Suite("The log of instances")
struct InstanceLogTests {
    private let log = InstanceLog()

    private func instance(_ id: UInt64, _ name: String, at second: Int64) -> ComponentInstance {
        let component = ComponentDescriptor(kind: .context, name: name)
        return ComponentInstance(id: id, component: component, createdAt: Instant(nanoseconds: second * 1_000_000_000))
    }

    /// A component that is created and ends in each of these seconds.
    private func churn(_ name: String, _ seconds: ClosedRange<Int64>, from id: UInt64) {
        for second in seconds {
            let one = instance(id + UInt64(second), name, at: second)
            log.created(one)
            log.destroyed(one, lifetime: 500_000_000)
        }
    }

    @Test("What lives is never forgotten, however many others come and go")
    func living() {
        for id in 1...20 as ClosedRange<UInt64> { log.created(instance(id, "Long\(id)", at: 0)) }
        churn("Short", 1...5_000, from: 100)
        for id in 21...900 as ClosedRange<UInt64> { log.created(instance(id + 100_000, "Many", at: 5_001)) }
        let living = log.report.living
        #expect(living.count == 900)
        #expect(living.values.filter { $0.component.name.hasPrefix("Long") }.count == 20)
        #expect(living.values.allSatisfy { $0.end == nil })
    }

    @Test("An ended instance is displaced by newer ones of its own type, and by none of another")
    func types() {
        churn("Rare", 1...5, from: 0)
        churn("Busy", 1...5_000, from: 10_000)
        let ended = Dictionary(grouping: log.report.ended) { $0.component.name }
        // One is kept every two seconds.
        #expect(ended["Rare"]?.map { $0.start.nanoseconds / 1_000_000_000 } == [1, 3, 5])
        #expect(ended["Busy"]?.count == InstanceLog.typeCapacity)
        #expect(ended["Busy"]?.last?.start == Instant(nanoseconds: 4_999 * 1_000_000_000))
        #expect(log.report.dropped == 5_005 - 3 - UInt64(InstanceLog.typeCapacity))
    }

    @Test("The ended instances of many types are bounded, and every type keeps one")
    func bound() {
        for type in 0..<100 { churn("Type\(type)", 1...30, from: UInt64(type) * 1_000) }
        let ended = log.report.ended
        #expect(ended.count == InstanceLog.capacity)
        #expect(Set(ended.map(\.component)).count == 100)
    }

    @Test("Of more types than instances are kept, the log keeps as many as it may, and counts the others")
    func manyTypes() {
        for type in 0..<1_000 { churn("Type\(type)", 1...1, from: UInt64(type) * 10) }
        #expect(log.report.ended.count == InstanceLog.capacity)
        #expect(Set(log.report.ended.map(\.component)).count == InstanceLog.capacity)
        #expect(log.report.dropped == 1_000 - UInt64(InstanceLog.capacity))
    }

    @Test("Counts are exact when tasks create and end at the same time", .timeLimit(.minutes(10)))
    func concurrency() async {
        await withTaskGroup { group in
            for task in 0..<4 as Range<UInt64> {
                group.addTask {
                    for step in 0..<1_000 as Range<UInt64> {
                        let one = instance(task * 10_000 + step, "Type\(task)", at: Int64(step))
                        log.created(one)
                        if step % 2 == 0 { log.destroyed(one, lifetime: 1_000_000) }
                    }
                }
            }
        }
        let report = log.report
        #expect(report.living.count == 2_000)
        #expect(UInt64(report.ended.count) + report.dropped == 2_000)
    }
}
