// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomPush

@Suite(
    "Requests to a server",
    .enabled(if: ExternalTool.telemetryPython.mayRun, Comment(rawValue: ExternalTool.telemetryPython.installation))
)
struct TransferTests {
    private func send(_ endpoint: PushEndpoint, body: [UInt8] = []) async throws -> TransferResponse {
        let url = try endpoint.validated()
        let response = try await TransferEngine.shared.response(to: TransferRequest(.post, url, endpoint, body: body))
        guard response.isSuccess else { throw response.error(url) }
        return response
    }

    private func failure(_ endpoint: PushEndpoint) async -> PushError? {
        await #expect(throws: PushError.self) { _ = try await send(endpoint) }
    }

    @Test("Bodies of every size arrive, with the headers of the endpoint", .timeLimit(.minutes(10)))
    func bodies() async throws {
        let receiver = try await Receiver()
        var endpoint = PushEndpoint(receiver.url("/any"))
        endpoint.headers = ["X-Scope-OrgID": "shop"]
        for count in [0, 1, 70_000, 300_000] {
            let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            // The receiver answers when somebody has read what it wrote.
            async let response = send(endpoint, body: body)
            let request = try await receiver.request()
            #expect(try await response.status == 200)
            #expect(request.header("X-Scope-OrgID") == "shop" && request.header("Expect") == nil)
            #expect(request["body"] as? String == Data(body).base64EncodedString())
        }
    }

    @Test("Credentials are sent, and no message shows them", .timeLimit(.minutes(10)))
    func credentials() async throws {
        let receiver = try await Receiver()
        for (credentials, expected) in [
            (PushCredentials.basic(user: "shop", password: "geheim"), "Basic c2hvcDpnZWhlaW0="),
            (.bearer("geheim"), "Bearer geheim"),
        ] {
            var endpoint = PushEndpoint(receiver.url("/status/401"))
            endpoint.credentials = credentials
            let error = await failure(endpoint)
            #expect(error?.status == 401 && error?.message.contains("check the credentials") == true)
            #expect(error.map { "\($0)".contains("geheim") } == false)
            #expect(try await receiver.request().header("Authorization") == expected)
        }
    }

    @Test(
        "A status is an error with what to do next",
        .timeLimit(.minutes(10)),
        arguments: [
            (400, "URL is that of the protocol"), (401, "credentials"), (404, "path of the URL"), (413, "fewer series"),
            (429, "less often"), (500, "its log"), (503, "its log"),
        ]
    )
    func statuses(_ status: Int, _ remedy: String) async throws {
        let isTransient = status == 429 || status >= 500
        let receiver = try await Receiver()
        let error = await failure(PushEndpoint(receiver.url("/status/\(status)")))
        #expect(error?.status == status && error?.code == (isTransient ? .unavailable : .rejected))
        // Control characters of the response are not printed.
        #expect(error?.message.hasSuffix("as asked") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("answered \(status); ") == true)
        #expect(error?.message.contains(remedy) == true, "\(error?.message ?? "")")
        let waits = status == 429 || status == 503
        #expect(error?.retryAfter == (waits ? .seconds(7) : nil))
        #expect(error?.retryAdvice == (waits ? .retry(after: .seconds(7)) : isTransient ? .retry : .stop))
    }

    @Test("A redirect is not followed", .timeLimit(.minutes(10)))
    func redirect() async throws {
        let receiver = try await Receiver()
        let error = await failure(PushEndpoint(receiver.url("/redirect")))
        #expect(error?.code == .rejected && error?.message.contains("give the final URL") == true)
        #expect(try await receiver.request().path == "/redirect")
        _ = await failure(PushEndpoint(receiver.url("/status/400")))
        #expect(try await receiver.request().path == "/status/400")
    }

    @Test(
        "A response that is too long, silence, a closed connection and a closed port are errors",
        .timeLimit(.minutes(10))
    )
    func failures() async throws {
        let receiver = try await Receiver()
        #expect(await failure(PushEndpoint(receiver.url("/large")))?.code == .responseTooLarge)
        var silent = PushEndpoint(receiver.url("/silent"))
        silent.requestTimeout = .milliseconds(200)
        let timeout = await failure(silent)
        #expect(timeout?.code == .timedOut)
        #expect(timeout?.message.hasSuffix("or raise connectTimeout or requestTimeout") == true)
        #expect(await failure(PushEndpoint(receiver.url("/close")))?.code == .unreachable)
        let closed = await failure("http://127.0.0.1:1")
        #expect(closed?.code == .unreachable)
        #expect(closed?.message.hasSuffix("check the address, and that the receiver runs") == true)
    }

    @Test("A cancelled task aborts its transfer, also before it begins", .timeLimit(.minutes(10)))
    func cancellation() async throws {
        let receiver = try await Receiver()
        let endpoint = PushEndpoint(receiver.url("/silent"))
        let waiting = Task { try await send(endpoint) }
        _ = try await receiver.request()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await send(endpoint)
        }
        await #expect(throws: CancellationError.self) { _ = try await early.value }
    }

    @Test("Many requests at a time get their own responses", .timeLimit(.minutes(10)))
    func concurrent() async throws {
        let receiver = try await Receiver()
        let statuses = [200, 204, 400, 404, 500]
        await withTaskGroup { group in
            for number in 0..<60 {
                let status = statuses[number % statuses.count]
                group.addTask {
                    let url = PushEndpoint(receiver.url("/status/\(status)"))
                    do {
                        #expect(try await send(url).status == status)
                    } catch {
                        #expect((error as? PushError)?.status == status, "\(error)")
                    }
                }
            }
        }
    }
}
