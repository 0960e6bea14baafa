// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Hummingbird
import ServiceLifecycle

/// Tells how many of an item are left as server-sent events, at once and after each interval.
struct StockStream {
    let stock: Endpoint<StockHandler>
    let clock: TimeSource
    var interval = Duration.seconds(1)

    /// Sends events until the task is cancelled or the application shuts down.
    func send(_ item: String, from origin: RequestOrigin, to events: AsyncStream<String>.Continuation) async throws {
        defer { events.finish() }
        try await stock.session(from: origin) { session in
            repeat {
                let left = try await session.request(.count(item))
                events.yield("data: \(left)\n\n")
            } while (try? await clock.sleep(for: interval)) != nil
        }
    }
}

extension Router {
    /// Serves the stream of an item.
    func serve(_ stream: StockStream) {
        group("/stock/{item}").add(middleware: ErrorAnswers()).get("events") { request, call in
            let item = try call.parameters.require("item")
            var origin = RequestOrigin(request)
            // While there is no free place, the answer is 503. Later there is no status any more.
            try await stream.stock.request(.count(item), from: origin)
            // Of the whole session.
            origin.timeLimit = nil
            let caller = origin
            return Response(
                status: .ok,
                headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    // A slow reader gets the newest event only.
                    let (events, sender) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
                    async let sending: Void = cancelWhenGracefulShutdown {
                        try await stream.send(item, from: caller, to: sender)
                    }
                    for await event in events { try await writer.write(ByteBuffer(string: event)) }
                    // An error has ended at the boundary of the handler. Here it ends the stream.
                    try? await sending
                    try await writer.finish(nil)
                }
            )
        }
    }
}
