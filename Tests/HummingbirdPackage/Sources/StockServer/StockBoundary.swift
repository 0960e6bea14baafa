// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomResilience

/// The language of the caller.
enum Language: AppValues.Key {
    static var fallback: String { "en" }
}

extension StockHandler {
    func recover(_ request: StockRequest, from error: any Error, in work: borrowing WorkScope) async throws -> Int {
        switch (request, error) {
        // Nobody waits for this answer, and the next request of the job comes in a minute.
        case (.restock, is CircuitError): return 0
        case (_, let error as OutOfStock): throw OutOfStock(item: error.item, language: work.values[Language.self])
        default: throw error
        }
    }

    static func priority(of request: StockRequest) -> BulkheadPriority {
        if case .restock = request { .low } else { .normal }
    }

    static func timeLimit(of request: StockRequest) -> Duration? { .seconds(5) }
}

extension StockRequest {
    func validate() throws(ValidationError) {
        switch self {
        case .take(let item), .count(let item):
            guard (1...40).contains(item.utf8.count) else { throw .outOfRange("The length of the item's name", 1...40) }
        case .restock: break
        }
    }
}
