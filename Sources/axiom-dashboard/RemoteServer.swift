// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// How a server is read.
struct RemoteServer: ParsableArguments {
    @Option(help: "The token of the server, if it wants one.")
    var token: String?

    @Option(help: "How long each answer may take, in seconds: 1 to 600.")
    var timeout = 10

    func validate() throws {
        guard (1...600).contains(timeout) else {
            throw ValidationError("--timeout is \(timeout); 1 to 600 are allowed.")
        }
    }

    /// The address of a dashboard with a slash at its end; nil for a file.
    static func address(_ target: String) -> URL? {
        let isAddress = ["http://", "https://"].contains { target.lowercased().hasPrefix($0) }
        return isAddress ? URL(string: target.hasSuffix("/") ? target : target + "/") : nil
    }

    /// What a message adds that takes a target for a file, if the target looks like `127.0.0.1:9464`; else nothing.
    static func remedy(for target: String) -> String {
        target.contains(/^[^\/\s]+:[0-9]+\/?$/) ? ", or give an address with http://" : ""
    }

    /// An address without what may be secret: its user, its password and its query.
    static func shown(_ address: String) -> String {
        guard var parts = URLComponents(string: address), parts.host != nil else {
            return address.replacing(/^.*@/, with: "")
        }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? ""
    }

    /// The body of an answer with the status 200; nil with another.
    ///
    /// - Parameter kind: What the address should be of, with its article.
    /// - Throws: ``FileFailure`` if the server does not answer, or if an answer that is required has another status;
    ///   `ValidationError` if the server refuses an item of the query.
    func answer(
        _ address: String,
        _ path: String,
        _ query: [URLQueryItem] = [],
        isRequired: Bool,
        kind: String
    ) async throws -> Data? {
        let shown = Self.shown(address)
        guard var location = URL(string: address)?.appending(path: path) else {
            throw FileFailure(description: "\(shown) is no address; give the address of \(kind).")
        }
        if !query.isEmpty { location.append(queryItems: query) }
        var request = URLRequest(url: location, timeoutInterval: Double(timeout))
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        let (body, response): (Data, URLResponse)
        do {
            (body, response) = try await load(request)
        } catch {
            let said = (error as? URLError)?.localizedDescription ?? "\(error)"
            let reason = said.hasSuffix(".") ? said : said + "."
            throw FileFailure(description: "\(shown) does not answer: \(reason) Give the address of \(kind).")
        }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if status == 200 { return body }
        guard isRequired else { return nil }
        let refusal = try? JSONDecoder().decode([String: String].self, from: body)
        if let said = refusal?["error"] {
            if query.contains(where: { $0.name == refusal?["parameter"] }) { throw ValidationError("--\(said)") }
            throw FileFailure(description: "\(shown) answered \(path) with the status \(status): \(said)")
        }
        let remedy = status == 401 || status == 403 ? "give its --token." : "give the address of \(kind)."
        throw FileFailure(description: "\(shown) answered \(path) with the status \(status): \(remedy)")
    }

    /// The limit of the request itself never ends on Linux while the socket can be written to.
    private func load(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await withThrowingTaskGroup { group in
            group.addTask { try await URLSession(configuration: .ephemeral).data(for: request) }
            group.addTask {
                try await Task.sleep(for: .seconds(timeout))
                throw FileFailure(description: "no answer came within \(timeout) s")
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }
}
