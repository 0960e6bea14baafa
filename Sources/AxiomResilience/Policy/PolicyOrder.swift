// SPDX-License-Identifier: Apache-2.0

/// What the order of a ``Policy`` means.
struct PolicyOrder {
    /// The strategies, outermost first, those of inner policies in their places.
    let flat: [any ResilienceStrategy]

    init(_ policy: Policy) {
        flat = Self.flatten(policy)
    }

    private static func flatten(_ policy: Policy) -> [any ResilienceStrategy] {
        policy.strategies.flatMap { strategy in
            (strategy as? Policy).map(flatten) ?? [strategy]
        }
    }

    /// Throws when one object is in the order twice.
    func requireDistinct(_ check: SettingCheck) throws {
        var seen: Set<ObjectIdentifier> = []
        for strategy in flat where type(of: strategy) is AnyClass {
            if seen.insert(ObjectIdentifier(strategy as AnyObject)).inserted { continue }
            let remedy = "a strategy cannot run within itself; make a second one"
            throw check.error(.invalidComposition, "\(strategy.outline) is there twice; \(remedy)")
        }
    }

    var remarks: [String] {
        var remarks: [String] = []
        for (inner, strategy) in flat.enumerated() {
            for outer in flat[..<inner] {
                if let remark = Self.remark(outer, strategy) { remarks.append(remark) }
            }
        }
        return remarks
    }

    /// What may surprise about `outer` around `inner`.
    private static func remark(_ outer: any ResilienceStrategy, _ inner: any ResilienceStrategy) -> String? {
        let pair = "\(title(outer)) around \(title(inner)):"
        switch (outer.kind, inner.kind) {
        case (.retry, .retry):
            return "\(pair) attempts multiply"
        case (let kind, .fallback) where kind != .fallback:
            return "\(pair) it sees answers of the fallback as successes"
        case (.circuitBreaker, .retry):
            return "\(pair) the breaker counts a call with all its attempts once, and its waits as slowness"
        case (.bulkhead, .retry):
            return "\(pair) the call holds its place during waits between attempts"
        case (.circuitBreaker, .bulkhead):
            return
                "\(pair) a full bulkhead counts as a failure of the server, and so does a deadline that expires in its "
                + "queue"
        default:
            return nil
        }
    }

    /// The outline up to its settings.
    private static func title(_ strategy: any ResilienceStrategy) -> String {
        String(strategy.outline.prefix { $0 != ":" })
    }
}
