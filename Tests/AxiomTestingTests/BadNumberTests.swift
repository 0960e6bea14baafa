// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTesting
import Testing

@MainActor
@Suite("Numbers that are too small are failures with their remedy", .timeLimit(.minutes(10)))
struct BadNumberTests {
    @Test("A negative number of failing calls and a negative step of the time are reported, and have no effect")
    func negative() async throws {
        let (app, service) = TestOrchestrator.teaShop()
        let client = TestClient<TeaState, TeaAction>(TeaState())
        let texts = await failures {
            service.fail(next: -1, with: SampleError(number: 1))
            client.fails(next: -2, with: SampleError(number: 1))
            await app.advance(by: .seconds(-3))
        }
        let rest = "has no effect, because the number is negative. Give 0 or more."
        #expect(
            texts == [
                "FakeTeaService.fail(next: -1) \(rest)",
                "fails(next: -2) \(rest)",
                "advance(by: -3.0 seconds) \(rest)",
            ]
        )
        try await service.call("teas")
        try await client.process(.load)
    }

    @Test("Zero is no mistake where it means nothing to do")
    func zero() async throws {
        let (app, service) = TestOrchestrator.teaShop()
        service.fail(next: 0, with: SampleError(number: 1))
        await app.advance(by: .zero)
        try await service.call("teas")
        #expect(service.calls == ["teas"])
    }

    @Test("Interleavings without a run or a step are an error, and the body does not run", arguments: [0, -1])
    func interleavings(number: Int) async {
        let runs = Lock(0)
        let noRun = await #expect(throws: TestError.self) {
            try await withInterleavings(number) { _ in runs.withLock { $0 += 1 } }
        }
        let noStep = await #expect(throws: TestError.self) {
            try await withInterleavings(1, maximumSteps: number) { _ in runs.withLock { $0 += 1 } }
        }
        #expect(noRun?.message == "withInterleavings(\(number)) runs nothing, which proves nothing. Give 1 or more.")
        #expect(noStep?.message == "withInterleavings(maximumSteps: \(number)) permits no step. Give 1 or more.")
        #expect(runs.withLock { $0 } == 0)
    }
}
