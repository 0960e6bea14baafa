// SPDX-License-Identifier: Apache-2.0

extension HTTPServerConfiguration {
    /// Checks every option, and that an address which others can reach has `allowedHosts`.
    ///
    /// - Throws: ``HTTPServerError`` with code `invalidConfiguration` that names the option and what it allows.
    func validate(for address: SocketAddress) throws {
        try check("port", port, 0...65_535)
        try check("threads", threads, 1...64)
        try check("connectionLimit", connectionLimit, threads...100_000)
        try check("connectionLimitPerAddress", connectionLimitPerAddress, 1...connectionLimit)
        try check("connectionMemoryBytes", connectionMemoryBytes, 4_096...1_048_576)
        try check("maximumBodyBytes", maximumBodyBytes, 0...67_108_864)
        guard idleTimeout.components.attoseconds == 0, (1...3_600).contains(idleTimeout.components.seconds) else {
            throw invalid("idleTimeout is \(idleTimeout); whole seconds from 1 s to 3,600 s are allowed")
        }
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

    private func invalid(_ message: String) -> HTTPServerError {
        HTTPServerError(.invalidConfiguration, message)
    }
}
