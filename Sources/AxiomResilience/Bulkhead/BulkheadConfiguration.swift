// SPDX-License-Identifier: Apache-2.0

/// The settings of a ``Bulkhead``, checked when it is made.
public struct BulkheadConfiguration: Sendable {
    /// How many calls may run at once: 1 or more; 10 unless told. Not used where ``adaptive`` is set.
    public var limit = 10

    /// Lets the limit follow the calls' latency; nil, the default, for the fixed ``limit``. Then a call reads the
    /// clock twice.
    public var adaptive: GradientLimit.Settings?

    /// How many calls may wait for a place, in the order in which they came: 0 or more; 0, the default, for none.
    public var queueLimit = 0

    /// How long a call may wait for a place; nil, the default, for no limit: the call then waits until a place is free
    /// or its task is cancelled. A ``Timeout`` around the bulkhead also ends the wait.
    public var queueTimeout: Duration?

    /// The settings described with each property.
    public init() {}

    func validate(_ check: SettingCheck) throws {
        try check.require(limit >= 1, "limit", limit, "it has to be 1 or more")
        try check.require(queueLimit >= 0, "queueLimit", queueLimit, "it has to be 0, for no queue, or more")
        try check.requirePositive(queueTimeout, "queueTimeout")
        try adaptive?.validate(check)
    }
}
