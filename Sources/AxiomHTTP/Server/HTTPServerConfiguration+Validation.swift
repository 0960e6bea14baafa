// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension HTTPServerConfiguration {
    /// Checks every option, and that an address which others can reach has `allowedHosts`.
    ///
    /// - Throws: ``HTTPServerError`` with code `invalidConfiguration` that names the option and what it allows.
    func validate(for address: SocketAddress) throws {
        try check("port", port, 0...65_535)
        try check("threads", threads, 1...64)
        try check("connectionLimit", connectionLimit, threads...100_000)
        try check("connectionLimitPerAddress", connectionLimitPerAddress, 1...connectionLimit)
        try check("waitingLimit", waitingLimit, 16...100_000)
        try check("streamLimit", streamLimit, 1...100_000)
        try check("maximumUnsentBytes", maximumUnsentBytes, 1...(1 << 40))
        try check("connectionMemoryBytes", connectionMemoryBytes, 4_096...1_048_576)
        try check("maximumBodyBytes", maximumBodyBytes, 0...67_108_864)
        try checkSeconds("headTimeout", headTimeout)
        try checkSeconds("idleTimeout", idleTimeout)
        guard drainTimeout >= .zero, drainTimeout <= .seconds(300) else {
            throw invalid("drainTimeout is \(drainTimeout); 0 s to 300 s are allowed")
        }
        guard address.isLoopback || !allowedHosts.isEmpty else {
            throw invalid(
                "the host \(host) can be reached from other machines, so allowedHosts must name the values of the "
                    + "Host header to answer, for example [\"metrics.internal\"]; or listen at 127.0.0.1"
            )
        }
    }

    private func check(_ option: String, _ value: Int, _ range: ClosedRange<Int>) throws {
        guard range.contains(value) else {
            throw invalid("\(option) is \(value); \(range.lowerBound) to \(range.upperBound) are allowed")
        }
    }

    private func checkSeconds(_ option: String, _ value: Duration) throws {
        guard value.components.attoseconds == 0, (1...3_600).contains(value.components.seconds) else {
            throw invalid("\(option) is \(value); whole seconds from 1 s to 3,600 s are allowed")
        }
    }

    /// Checks that the process may open as many descriptors as the limits allow, and some for itself.
    ///
    /// - Throws: ``HTTPServerError`` with code `invalidConfiguration` that names both limits.
    func validate(descriptorLimit: UInt) throws {
        let needed = UInt(connectionLimit) + UInt(waitingLimit) + Self.otherDescriptors
        guard needed <= descriptorLimit else {
            throw invalid(
                "connectionLimit \(connectionLimit) and waitingLimit \(waitingLimit) need \(needed) descriptors with "
                    + "\(Self.otherDescriptors) for the rest of the process, which may open \(descriptorLimit); "
                    + "raise that (ulimit -n), or lower them"
            )
        }
    }

    /// What is left to the process besides connections.
    private static let otherDescriptors: UInt = 64

    /// How many descriptors the process may open at this moment.
    static var descriptorLimit: UInt {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? UInt(limit.rlim_cur) : .max
    }

    private func invalid(_ message: String) -> HTTPServerError {
        HTTPServerError(.invalidConfiguration, message)
    }
}
