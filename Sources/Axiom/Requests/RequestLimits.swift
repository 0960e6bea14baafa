// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import AxiomResilience

/// How many requests one handler takes at once. ``Orchestrator/start()`` throws for a limit that is out of range.
public struct RequestLimits: Sendable, Hashable {
    /// How many requests run at once: 1 or more. A ``RequestSession`` counts as one. Default: 1,000.
    public var inFlight: Int
    /// How many requests wait for a place: 0 or more. One more displaces a waiting request of a lower priority, or is
    /// refused. Default: 1,000.
    public var waiting: Int
    /// How long a request waits for a place before it is refused; longer than zero. Default: 1 s.
    public var waitingTime: Duration
    /// After which time the caller of a refused request may try again: what a server sends as `Retry-After`; longer than
    /// zero. Default: 1 s.
    public var retryAfter: Duration

    /// Makes limits.
    public init(
        inFlight: Int = 1_000,
        waiting: Int = 1_000,
        waitingTime: Duration = .seconds(1),
        retryAfter: Duration = .seconds(1)
    ) {
        (self.inFlight, self.waiting) = (inFlight, waiting)
        (self.waitingTime, self.retryAfter) = (waitingTime, retryAfter)
    }

    /// What keeps the limits; nil if one of them is out of range.
    func bulkhead(_ name: String, _ clock: TimeSource) -> Bulkhead? {
        guard mistakes(of: name).isEmpty else { return nil }
        return try? Bulkhead(name, clock: clock) {
            ($0.limit, $0.queueLimit, $0.queueTimeout) = (inFlight, waiting, waitingTime)
        }
    }

    /// The limits that are out of range.
    func mistakes(of handler: String) -> [CompositionError] {
        let counts = [("inFlight", inFlight, 1), ("waiting", waiting, 0)].filter { $0.1 < $0.2 }
        let times = [("waitingTime", waitingTime), ("retryAfter", retryAfter)].filter { $0.1 <= .zero }
        return counts.map { name, value, least in
            CompositionError(
                .invalidLimit,
                "The limit \(name) of \(handler) is \(value), but it must be \(least) or more.",
                "Register the handler with other limits: RequestLimits(\(name): …)."
            )
        } + times.map { .invalidLimit("\($0) of \(handler)", $1) }
    }
}

/// Where a request comes from: what its caller passes on.
public struct RequestOrigin: Sendable {
    /// The `traceparent` header of W3C Trace Context. The spans of the request then belong to the caller's trace. A text
    /// without the form of the header counts as none, as the specification demands.
    public var traceparent: String?
    /// How long the caller waits; nil for no limit. A limit of zero or less is over at once.
    public var timeLimit: Duration?
    /// The priority; nil for that of the handler: ``RequestHandler/priority(of:)``.
    public var priority: BulkheadPriority?
    /// The values for everything that the request calls, such as the user's locale or session. A deadline in them, which
    /// those of another request have, does not count.
    public var values: AppValues

    /// Describes an origin.
    public init(
        traceparent: String? = nil,
        timeLimit: Duration? = nil,
        priority: BulkheadPriority? = nil,
        values: AppValues = AppValues()
    ) {
        (self.traceparent, self.timeLimit) = (traceparent, timeLimit)
        (self.priority, self.values) = (priority, values)
    }

    /// The caller's span, from ``traceparent``: its subject is the high half of the trace id, and it has no record.
    package var remoteParent: SpanContext {
        guard var header = traceparent else { return .none }
        return header.withUTF8 { text in
            // version "-" 32 digits "-" 16 digits "-" flags; a later version may add "-" and more.
            let dash = UInt8(ascii: "-")
            guard text.count >= 55, text[2] == dash, text[35] == dash, text[52] == dash,
                let version = Self.number(text[0..<2]), Self.number(text[53..<55]) != nil,
                version == 0 ? text.count == 55 : version != 0xff && (text.count == 55 || text[55] == dash),
                let high = Self.number(text[3..<19]), let low = Self.number(text[19..<35]),
                let span = Self.number(text[36..<52]), high | low != 0, span != 0
            else { return .none }
            return SpanContext(trace: low, span: span, record: 0, subject: high)
        }
    }

    /// The number that hexadecimal digits say; nil if one of them is none, or a capital letter.
    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case 48...57: number = number << 4 | UInt64(digit - 48)
            case 97...102: number = number << 4 | UInt64(digit - 87)
            default: return nil
            }
        }
        return number
    }
}

/// A request was refused, or not answered in time.
public struct RequestError: ErrorFamily {
    package let facts: ErrorFacts
    /// After which time the caller may try again; nil if that is not known, or another attempt would not help.
    public private(set) var retryAfter: Duration?

    package init(_ facts: ErrorFacts) { self.facts = facts }

    static func full(_ handler: ComponentDescriptor, _ limits: RequestLimits, waited: Bool) -> Self {
        let end = waited ? "the request waited for \(limits.waitingTime)" : "\(limits.waiting) more wait"
        return RequestError(
            .requestsFull,
            "The \(handler) has no free place: \(limits.inFlight) requests run, and \(end).",
            limits,
            handler
        )
    }

    static func closed(_ handler: ComponentDescriptor, _ limits: RequestLimits, cause: (any Error)? = nil) -> Self {
        let reason = cause.map { String(clause: $0) } ?? "the application does not run"
        return RequestError(.requestsClosed, "The \(handler) takes no requests: \(reason).", limits, handler, cause)
    }

    static func tooLate(_ handler: ComponentDescriptor, after limit: Duration) -> Self {
        let time = QuantityFormat.duration(max(0, limit.inSeconds)) ?? "\(limit)"
        return RequestError(.requestTooLate, "The \(handler) did not answer within \(time).", origin: handler)
    }

    private init(
        _ code: ErrorCode,
        _ message: String,
        _ limits: RequestLimits,
        _ handler: ComponentDescriptor,
        _ cause: (any Error)? = nil
    ) {
        self.init(ErrorFacts(code, message, origin: handler, cause: cause))
        // A handler that could not be made needs a change of the program, or another start.
        retryAfter = cause == nil ? limits.retryAfter : nil
    }
}
