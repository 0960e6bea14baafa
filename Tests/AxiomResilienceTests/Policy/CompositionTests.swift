// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Testing

@Suite("Strategies in one another")
struct CompositionTests {
    private struct Pass: ResilienceStrategy {
        func run<R>(
            isolation: isolated (any Actor)?,
            _ operation: nonisolated(nonsending) () async throws -> R
        ) async throws -> R {
            try await operation()
        }
    }

    private struct Large: Sendable, Equatable {
        var texts = ["a", "b"]
        var numbers = (1, 2.0, UInt8(3))

        static func == (left: Large, right: Large) -> Bool {
            left.texts == right.texts && left.numbers == right.numbers
        }
    }

    private static func run<R: Sendable>(
        _ strategies: ArraySlice<any ResilienceStrategy>,
        _ operation: @Sendable () async throws -> R
    ) async throws -> R {
        guard let first = strategies.first else { return try await operation() }
        return try await first.run { try await run(strategies.dropFirst(), operation) }
    }

    @Test("Any stack of strategies passes values, errors and suspensions through, from many tasks at once")
    func stacks() async throws {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        // Runs the operation in a child task, and never expires.
        let timeout = try Timeout("t", .seconds(3_600), clock: .manual(ManualTime()))
        for _ in 0..<40 {
            let strategies = (0..<Int.random(in: 0...6, using: &generator)).map { _ -> any ResilienceStrategy in
                Bool.random(using: &generator) ? Pass() : timeout
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let result = await Result {
                            try await Self.run(strategies[...]) {
                                await Task.yield()
                                if number % 3 == 0 { throw Failure(number: number) }
                                return Large(texts: ["\(number)"])
                            }
                        }
                        switch result {
                        case .success(let value): #expect(value == Large(texts: ["\(number)"]), "seed \(seed)")
                        case .failure(let error): #expect(error as? Failure == Failure(number: number))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

extension Result where Failure == any Error, Success: Sendable {
    fileprivate init(_ body: @Sendable () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
