// SPDX-License-Identifier: Apache-2.0

import AxiomTesting
import Foundation
import Testing

@MainActor
@Suite("Values that differ, but look the same", .timeLimit(.minutes(10)))
struct UnseenChangeTests {
    private static let early = Date(timeIntervalSince1970: 0.25)
    private static let late = Date(timeIntervalSince1970: 0.75)
    private static let letter = Data([5, 4, 3, 2, 1])
    private static let other = Data([9, 9, 9, 9, 9])
    private static let remedy = "but they are not equal. Compare their == and what reflection shows."

    @Test("An assertion of a wrong date shows both to a fraction of a second")
    func dates() async {
        let (early, late) = (Self.early, Self.late)
        let texts = await failures {
            let desk = try await TestOrchestrator.desk()
            await desk.send(.save(early)) { $0.savedAt = late }
            await desk.finish()
        }
        #expect(
            texts == [
                """
                The action \(DeskAction.save(early)) did not change DeskContext as expected:

                -   savedAt: Date(timeIntervalSinceReferenceDate: \(late.timeIntervalSinceReferenceDate))
                +   savedAt: Date(timeIntervalSinceReferenceDate: \(early.timeIntervalSinceReferenceDate))

                (Expected: −, Actual: +)
                """
            ]
        )
    }

    @Test("An assertion of wrong data or a wrong object in a struct fails")
    func wrong() async {
        let texts = await failures {
            let desk = try await TestOrchestrator.desk()
            await desk.send(.seal(Self.letter)) { $0.paper = Self.other }
            await desk.send(.give("Bo")) { $0.shift = Shift(clerk: Clerk("Cy")) }
            await desk.finish()
        }
        let head = "did not change DeskContext as expected:"
        #expect(
            texts == [
                "The action \(DeskAction.seal(Self.letter)) \(head)\n\npaper: Both are 5 bytes, \(Self.remedy)",
                """
                The action \(DeskAction.give("Bo")) \(head)

                shift: Both are Shift(clerk: Clerk), \(Self.remedy)
                """,
            ]
        )
    }

    @Test("Such a change that the test does not assert fails in an exhaustive test, at the action and at the end")
    func unasserted() async {
        let texts = await failures {
            let desk = try await TestOrchestrator.desk()
            await desk.send(.seal(Self.letter)) { $0.paper = Self.letter }
            await desk.send(.seal(Self.other))
            try desk.context.paper = Self.letter
            await desk.finish()
        }
        #expect(
            texts == [
                """
                The action \(DeskAction.seal(Self.other)) changed what the test does not assert:

                paper: Both are 5 bytes, \(Self.remedy)
                """,
                """
                DeskContext changed, and the test ends without having asserted it:

                paper: Both are 5 bytes, \(Self.remedy)
                """,
            ]
        )
    }

    @Test("A change that shows stands before one that does not")
    func both() async {
        let texts = await failures {
            let desk = try await TestOrchestrator.desk()
            try desk.context.paper = Self.letter
            try desk.context.isOpen = true
            await desk.expectChange {
                $0.paper = Self.other
                $0.isOpen = false
            }
            await desk.finish()
        }
        #expect(
            texts == [
                """
                What continued did not change DeskContext as expected:

                -   isOpen: false
                +   isOpen: true

                (Expected: −, Actual: +)

                paper: Both are 5 bytes, \(Self.remedy)
                """
            ]
        )
    }

    @Test("Exact values, and a NaN that stays, are no failures")
    func exact() async throws {
        let desk = try await TestOrchestrator.desk()
        await desk.send(.save(Self.early)) { $0.savedAt = Self.early }
        await desk.send(.save(Self.late)) { $0.savedAt = Self.late }
        await desk.send(.give("Bo")) { $0.shift = Shift(clerk: Clerk("Bo")) }
        #expect(try desk.context.weight.isNaN)
        await desk.finish()
    }

    @Test("A NaN in a collection that is made again is no change; one beside another element does not hide its change")
    func remade() async {
        let texts = await failures {
            let desk = try await TestOrchestrator.desk()
            try desk.context.readings = ["tea": [.nan]]
            await desk.expectChange { _ in }
            try desk.context.readings = ["tea": [.nan, 1]]
            await desk.finish()
        }
        #expect(texts.count == 1)
        #expect(texts.first?.hasPrefix("DeskContext changed, and the test ends without having asserted it:") == true)
    }

    @Test("expectEqual says that two values look the same")
    func equality() async {
        let texts = await failures { expectEqual(Self.letter, Self.other) }
        #expect(texts == ["The Data is not as expected:\n\nBoth are 5 bytes, \(Self.remedy)"])
    }
}
