// SPDX-License-Identifier: Apache-2.0

/// Checks the order of the strategies in a ``Policy``.
struct PolicyOrder {
    /// The strategies, outermost first. An inner policy is replaced by its strategies.
    let flat: [any ResilienceStrategy]

    init(_ policy: Policy) { flat = Self.flatten(policy) }

    private static func flatten(_ policy: Policy) -> [any ResilienceStrategy] {
        policy.strategies.flatMap { strategy in
            (strategy as? Policy).map(flatten) ?? [strategy]
        }
    }

    /// Throws if the list contains the same object twice.
    func requireDistinct(_ check: SettingCheck) throws {
        var seen: Set<ObjectIdentifier> = []
        for strategy in flat where type(of: strategy) is AnyClass {
            if seen.insert(ObjectIdentifier(strategy as AnyObject)).inserted { continue }
            let remedy = "a strategy cannot run inside itself; create a second one"
            throw check.error(.invalidComposition, "\(strategy.describedOutline) is in the list twice; \(remedy)")
        }
    }

    /// One remark for each pair of strategies whose order has a consequence that may not be intended.
    var remarks: [String] {
        var remarks: [String] = []
        for (inner, strategy) in flat.enumerated() {
            for outer in flat[..<inner] {
                if let remark = Self.remark(outer, strategy) { remarks.append(remark) }
            }
        }
        return remarks
    }

    private static func remark(_ outer: any ResilienceStrategy, _ inner: any ResilienceStrategy) -> String? {
        let pair = "\(title(outer)) around \(title(inner)):"
        switch (outer.describedKind, inner.describedKind) {
        case (.retry, .retry):
            return "\(pair) attempts multiply"
        case (let kind, .fallback) where kind != .fallback:
            return "\(pair) it counts values of the fallback as successes"
        case (.circuitBreaker, .retry):
            return "\(pair) the breaker counts all attempts as one call, and the waits as part of its duration"
        case (.bulkhead, .retry):
            return "\(pair) the call holds its slot during waits between attempts"
        case (.circuitBreaker, .bulkhead):
            return "\(pair) the breaker counts a full bulkhead, and a deadline that expires in its queue, as a failure"
                + " of the server"
        default:
            return nil
        }
    }

    /// The outline without the settings.
    private static func title(_ strategy: any ResilienceStrategy) -> String {
        String(strategy.describedOutline.prefix { $0 != ":" })
    }
}
