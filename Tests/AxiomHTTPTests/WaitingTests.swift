// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomHTTP
import AxiomTestSupport
import Testing

@Suite("Handlers that wait, fail or misbehave")
struct WaitingTests {
    @Test("A waiting handler does not block the only thread")
    func doesNotBlock() async throws {
        let (entered, released) = (Event(), Event())
        let routes: [HTTPRoute] = [
            .get("/slow") { _ in
                entered.fire()
                await released.wait()
                return .text("slow")
            },
            .immediate("/quick") { _ in .text("quick") },
            .get("/waiting") { _ in .text("quick") },
        ]
        try await withServer(routes, .with { $0.threads = 1 }) { server, port in
            let slow = try await RawClient(port: port)
            async let answer = slow.request("GET", "/slow")
            await entered.wait()
            let other = try await RawClient(port: port)
            for _ in 0..<10 {
                #expect(try await other.request("GET", "/quick").body == "quick")
                #expect(try await other.request("GET", "/waiting").body == "quick")
            }
            // A request ends shortly after its client has the response.
            while server.requestsInFlight > 1 { await Task.yield() }
            #expect(server.requestsInFlight == 1)
            released.fire()
            let body = try await answer.body
            #expect(body == "slow")
        }
    }

    @Test("A client that disconnects cancels its own handler and no other")
    func disconnectCancels() async throws {
        let time = ManualTime()
        let ends = Journal<String>()
        let route = HTTPRoute.get("/sleep/{who}") { request in
            let who = request.parameters["who"] ?? ""
            do {
                try await TimeSource.manual(time).sleep(for: .seconds(60))
                ends.write("\(who) slept")
            } catch {
                ends.write("\(who) was cancelled")
                throw error
            }
            return .text("slept")
        }
        let failures = Journal<HTTPFailure>()
        try await withServer([route], failures: failures) { _, port in
            let stays = try await RawClient(port: port)
            async let answer = stays.request("GET", "/sleep/one")
            await time.waitForSleepers(1)
            let leaves = try await RawClient(port: port)
            try await leaves.send("GET /sleep/two HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await time.waitForSleepers(2)
            leaves.hangUp()
            await ends.wait(forCount: 1)
            #expect(ends.entries == ["two was cancelled"])
            time.advance(by: .seconds(60))
            let body = try await answer.body
            #expect(body == "slept")
        }
        #expect(ends.entries == ["two was cancelled", "one slept"])
        #expect(failures.entries.isEmpty, "a cancellation after a disconnect is no failure")
    }

    @Test(
        "A handler that throws gives a bare 500, and the error goes to onFailure only",
        arguments: ["/async", "/now"]
    )
    func throwing(path: String) async throws {
        struct Secret: Error {}
        let failures = Journal<HTTPFailure>()
        let routes: [HTTPRoute] = [.get("/async") { _ in throw Secret() }, .immediate("/now") { _ in throw Secret() }]
        try await withServer(routes, failures: failures) { _, port in
            let client = try await RawClient(port: port)
            let response = try await client.request("GET", path)
            #expect(response.status == 500)
            #expect(!(response.head + response.body).contains("Secret"))
            #expect(try await client.request("HEAD", path).status == 500)
        }
        #expect(failures.entries.map(\.path) == [path, path])
        #expect(failures.entries.map(\.method) == [.get, .head])
        #expect(failures.entries.allSatisfy { $0.error is Secret })
    }

    static let unsendable: [HTTPResponse] = [
        HTTPResponse(headers: ["X-A": "1\r\nSet-Cookie: stolen=1"]),
        HTTPResponse(headers: ["X-A": "1\nX-B: 2"]),
        HTTPResponse(headers: ["X-A\r\nX-B": "1"]),
        HTTPResponse(headers: ["X-A": "nul\0"]),
        HTTPResponse(headers: ["X A": "1"]),
        HTTPResponse(headers: ["X-A": ""]),
        HTTPResponse(headers: ["Content-Length": "3"]),
        HTTPResponse(headers: ["transfer-encoding": "chunked"]),
        HTTPResponse(headers: ["Connection": "close"]),
        HTTPResponse(headers: ["Date": "today"]),
        HTTPResponse(status: HTTPStatus(101)),
        HTTPResponse(status: HTTPStatus(0)),
        HTTPResponse(status: HTTPStatus(-5)),
        HTTPResponse(status: HTTPStatus(1_000)),
    ]

    @Test("A header with injected lines, a header that the server sets, and an invalid status become a 500")
    func unsendableResponses() async throws {
        let failures = Journal<HTTPFailure>()
        let routes = Self.unsendable.enumerated().map { index, response in
            HTTPRoute.get("/\(index)") { _ in response }
        }
        try await withServer(routes, failures: failures) { _, port in
            let client = try await RawClient(port: port)
            for index in Self.unsendable.indices {
                let response = try await client.request("GET", "/\(index)")
                #expect(response.status == 500, "\(index)")
                #expect(!response.head.contains("stolen") && !response.head.contains("X-B"), "\(index)")
            }
        }
        #expect(failures.entries.count == Self.unsendable.count)
        #expect(failures.entries.allSatisfy { ($0.error as? HTTPServerError)?.code == .invalidResponse })
    }

    @Test("A reset reaches the client as a reset, and the server keeps serving")
    func reset() async throws {
        try await withServer([.get("/reset") { _ in .reset }, .get("/") { _ in .text("here") }]) { _, port in
            for _ in 0..<20 {
                let client = try await RawClient(port: port)
                await #expect(throws: RawClient.Failure.reset) { try await client.request("GET", "/reset") }
            }
            #expect(try await RawClient(port: port).request("GET", "/").body == "here")
        }
    }

    @Test("A response that closes the connection has the header and closes it")
    func closes() async throws {
        let route = HTTPRoute.get("/") { _ in
            var response = HTTPResponse.text("bye", status: .serviceUnavailable)
            response.closesConnection = true
            response.headers["Retry-After"] = "1"
            return response
        }
        try await withServer([route]) { _, port in
            let client = try await RawClient(port: port)
            let response = try await client.request("GET", "/")
            #expect(response.status == 503)
            #expect(response.header("Connection")?.lowercased() == "close")
            #expect(try await client.readToEnd().isEmpty)
        }
    }
}
