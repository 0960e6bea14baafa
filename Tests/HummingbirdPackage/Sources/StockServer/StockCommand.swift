// SPDX-License-Identifier: Apache-2.0

import Axiom

/// A command line, such as `stock take tea`: one request. Prints the answer, and has an exit code for each kind of error.
struct StockCommand {
    let orchestrator: Orchestrator
    let stock: Endpoint<StockHandler>
    var print: @Sendable (String) -> Void = { Swift.print($0) }

    /// - Returns: The exit code, with the meanings of `sysexits.h`.
    func run(_ arguments: [String]) async -> Int32 {
        guard let request = StockRequest(arguments) else {
            print("usage: stock take ITEM | stock count ITEM | stock restock")
            return 64
        }
        do {
            try await orchestrator.start()
            print("\(try await stock.request(request))")
            await orchestrator.shutdown()
            return 0
        } catch {
            await orchestrator.shutdown()
            print((error as? any AxiomError)?.message ?? "\(error)")
            return Self.exitCode(of: error)
        }
    }

    private static func exitCode(of error: any Error) -> Int32 {
        switch error {
        case is ValidationError: 65
        case is RequestError, is CircuitError: 75
        case is CancellationError: 130
        default: 1
        }
    }
}

extension StockRequest {
    /// The request of a command line; nil if there is none.
    init?(_ arguments: [String]) {
        switch (arguments.first, arguments.count) {
        case ("take", 2): self = .take(arguments[1])
        case ("count", 2): self = .count(arguments[1])
        case ("restock", 1): self = .restock
        default: return nil
        }
    }
}
