// SPDX-License-Identifier: Apache-2.0

public import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Requests to servers on this machine.
public enum Loopback {
    /// The server answered with another status than 200.
    public struct Refused: Error, CustomStringConvertible {
        /// The URL, the status and the body.
        public let description: String
    }

    /// The body of `GET url`.
    ///
    /// - Throws: ``Refused`` for any status but 200; the error of `URLSession` if there is no response within a minute.
    public static func get(_ url: String) async throws -> Data {
        guard let address = URL(string: url) else { throw Refused(description: "\(url) is no URL") }
        var request = URLRequest(url: address)
        request.timeoutInterval = 60
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else {
            throw Refused(description: "\(url) answered \(status): \(String(decoding: data, as: UTF8.self))")
        }
        return data
    }

    /// The body of `GET url` as text.
    public static func text(_ url: String) async throws -> String {
        String(decoding: try await get(url), as: UTF8.self)
    }

    /// Polls until `condition` is true: another process does not report that it is ready.
    ///
    /// - Parameters:
    ///   - what: Named if it does not come.
    ///   - polls: The most questions. The default takes a minute on an idle machine, and longer on one that delays the
    ///     questions as it delays the other process.
    ///   - condition: Asked every 100 ms.
    /// - Throws: ``Refused`` if it is still false at the last poll.
    public static func wait(
        for what: String,
        polls: Int = 600,
        until condition: () async throws -> Bool
    ) async throws {
        var lastError: (any Error)?
        for _ in 0..<polls {
            do {
                if try await condition() { return }
                lastError = nil
            } catch {
                lastError = error
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Refused(description: "\(what) did not come within \(polls) polls. \(lastError.map { "\($0)" } ?? "")")
    }
}
