// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomDashboard
internal import AxiomInstrumentation
internal import Foundation

/// A cause of slow calls, and how an explanation names it.
struct PlantedCause {
    enum Kind: CaseIterable {
        case caller, instance, action, dependency, deep, retries, wait, pool, cacheMiss, concurrency, time, error, two
    }

    /// The features that name it, and a text that one of them has to have.
    let features: Set<String>
    let text: String

    init(_ kind: Kind, _ text: String) {
        self.text = text
        features =
            switch kind {
            case .caller: ["caller", "calling action"]
            case .instance: ["instance"]
            case .action: ["action"]
            case .dependency, .deep, .cacheMiss, .two: ["part"]
            case .retries: ["retries"]
            case .wait, .pool: ["wait"]
            case .concurrency: ["in flight"]
            case .time: ["time"]
            case .error: ["error", "outcome"]
            }
    }

    func matches(_ cause: Explanation.Cause) -> Bool { features.contains(cause.feature) && cause.says.contains(text) }
}

/// Calls of a client, recorded as the framework would record them, with durations that are drawn.
final class SimulatedCalls {
    private struct Timeout: Error {}

    /// What a call does beside its own work, all in seconds.
    private struct Shape {
        var own = 0.0
        var own2 = 0.0
        var dependencies: [(index: Int, seconds: Double, store: Double, retries: [Double])] = []
        var wait = 0.0
        var miss = 0.0
        var fails = false
    }

    private let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
    private let telemetry: Telemetry
    private var random: SeededGenerator
    private var probes: [String: any SpanProbe] = [:]
    private(set) var planted: [PlantedCause] = []

    // The application.
    private let callers: Int
    private let instances: Int
    private let spread: Double
    private let tail: Double?
    private let dependencies: [(seconds: Double, probability: Double)]
    private let loyalty: Double
    private let typical = 0.005
    private let isBursty: Bool
    private let hasSlowMoments: Bool

    // The causes: what is affected, and how.
    private var kinds: [PlantedCause.Kind] = []
    private var (share, factor, target, begin, end) = (0.1, 5.0, 0, 1.0, 1.0)
    private var rareAction = 0.0

    /// - Parameter kind: Nil for calls without a cause.
    init(seed: UInt64, _ kind: PlantedCause.Kind?, count: Int? = nil) throws {
        var random = SeededGenerator(seed: seed, stream: kind == nil ? 7 : 3)
        func draw(_ range: ClosedRange<Double>) -> Double {
            range.lowerBound + random.unit() * (range.upperBound - range.lowerBound)
        }
        (callers, instances) = (2 + random.index(below: 4), 2 + random.index(below: 5))
        spread = kind == nil ? draw(0.5...1.4) : draw(0.15...0.7)
        tail = kind == nil && random.index(below: 2) == 0 ? draw(1.3...2.5) : nil
        dependencies = (0...random.index(below: 3)).map { _ in (0.005 * draw(0.05...0.3), draw(0.6...1)) }
        loyalty = draw(0...0.7)
        isBursty = kind == .concurrency || random.index(below: 3) == 0
        hasSlowMoments = kind == nil && random.index(below: 3) == 0
        (share, factor) = (draw(0.03...0.3), draw(3...10))
        begin = draw(0.1...0.7)
        end = random.index(below: 2) == 0 ? 1 : begin + draw(0.1...0.3)
        rareAction = draw(0.05...0.4)
        let size = count ?? Int(exp(draw(log(kind == nil ? 60 : 250)...log(3_000))))
        telemetry = try Telemetry(
            flightRecorder: FlightRecorderOptions(memory: 32 << 20),
            clock: .manual(time)
        )
        self.random = random
        plant(kind)
        record(size)
    }

    private func plant(_ kind: PlantedCause.Kind?) {
        guard let kind else { return }
        kinds = [kind]
        if kind == .two {
            let first: [PlantedCause.Kind] = [.dependency, .retries, .wait, .pool, .cacheMiss]
            let second: [PlantedCause.Kind] = [.caller, .instance, .error, .time]
            kinds = [first[random.index(below: first.count)], second[random.index(below: second.count)]]
        }
        target = random.index(below: dependencies.count)
        for kind in kinds {
            let text =
                switch kind {
                case .caller: "Screen1"
                case .instance: "instance 2 "
                case .action: "save"
                case .dependency: "Service\(target)"
                case .retries: "retries of Service\(target).fetch instead of"
                case .wait: "of waiting for the main actor"
                case .pool: "of waiting for pool reports"
                case .concurrency: "others run"
                case .time: "calls "
                case .error: "with the "
                case .deep: "Store\(target)"
                case .cacheMiss: "Origin"
                case .two: ""
                }
            planted.append(PlantedCause(kind, text))
        }
    }

    // MARK: Drawing

    private func draw(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + random.unit() * (range.upperBound - range.lowerBound)
    }

    private func chance(_ probability: Double) -> Bool { random.unit() < probability }

    /// Log-normal with a median of 1.
    private func noise(_ spread: Double) -> Double {
        exp(spread * (0..<12).reduce(-6.0) { sum, _ in sum + random.unit() })
    }

    private func shape(_ at: Double, caller: Int, instance: Int, isRare: Bool, inFlight: Int) -> Shape {
        var shape = Shape()
        let delay = typical * factor * noise(0.3)
        let own = tail.map { pow(1 - random.unit(), -1 / $0) } ?? noise(spread)
        shape.own = typical * own
        shape.fails = chance(0.02)
        let isAffected = chance(share)
        func has(_ kind: PlantedCause.Kind) -> Bool { kinds.contains(kind) }
        if has(.caller), caller == 1, chance(0.8) { shape.own += delay }
        if has(.instance), instance == 2, chance(0.8) { shape.own += delay }
        if has(.action), isRare { shape.own += delay }
        if has(.time), at >= begin, at < end, chance(0.8) { shape.own += delay }
        if has(.concurrency) { shape.own += typical * Double(inFlight) * factor / 8 }
        if has(.wait) || has(.pool), isAffected { shape.wait = delay }
        if has(.cacheMiss), isAffected { shape.miss = delay }
        if has(.error), chance(share / 2) {
            shape.own2 = delay
            shape.fails = true
        }
        for (index, dependency) in dependencies.enumerated() {
            let isTarget = index == target && isAffected
            guard chance(dependency.probability) || isTarget && !kinds.isEmpty else { continue }
            var (seconds, store, retries) = (dependency.seconds * noise(0.3), 0.0, [Double]())
            if has(.dependency), isTarget { seconds += delay }
            store = 0.4 * dependency.seconds * noise(0.2)
            if has(.deep), isTarget { store += delay }
            if has(.retries), isTarget {
                let count = 1 + random.index(below: 4)
                retries = (0..<count).map { _ in delay / Double(count) }
            } else if chance(0.01) {
                retries = [dependency.seconds / 10]
            }
            shape.dependencies.append((index, seconds, store, retries))
        }
        // Everything is slower, as on a machine under pressure.
        guard hasSlowMoments, chance(0.05) else { return shape }
        let slower = draw(2...8)
        shape.own *= slower
        shape.dependencies = shape.dependencies.map { ($0, $1 * slower, $2 * slower, $3) }
        return shape
    }

    // MARK: Recording

    private func record(_ count: Int) {
        var (clock, ends, rest) = (0.0, [Double](), 0)
        let pause = typical * draw(0.7...6)
        for number in 0..<count {
            if rest == 0 { rest = isBursty ? 1 + random.index(below: 20) : 1 }
            rest -= 1
            clock += rest == 0 ? -log(1 - random.unit()) * pause * (isBursty ? 10 : 1) : typical / 50
            ends.removeAll { $0 <= clock }
            let caller = random.index(below: callers)
            let instance = chance(loyalty) ? caller % instances : random.index(below: instances)
            let isRare = chance(rareAction)
            let shape = shape(
                Double(number) / Double(count),
                caller: caller,
                instance: instance + 1,
                isRare: isRare,
                inFlight: ends.count
            )
            let seconds = record(shape, at: clock, caller: caller, instance: instance + 1, action: isRare ? 1 : 0)
            ends.append(clock + seconds)
        }
    }

    private func probe(_ kind: ComponentKind, _ name: String, _ actions: [String] = []) -> any SpanProbe {
        if let known = probes[name] { return known }
        let component = ComponentDescriptor(kind: kind, name: name)
        telemetry.registered(component, module: "")
        guard let probe = telemetry.spanProbe(for: component, actions: actions) else {
            fatalError("Nothing is recorded.")
        }
        probes[name] = probe
        return probe
    }

    /// Records a span, and what happens in it.
    ///
    /// - Parameters:
    ///   - before: How long it takes until `body`, in seconds, and `after` it.
    ///   - body: Records its children from a moment on, and returns when the last one ended.
    private func span(
        _ probe: any SpanProbe,
        _ kind: SpanKind,
        _ name: SpanRecord.Name,
        at start: Double,
        under parent: SpanContext,
        instance: Int = 0,
        fails: Bool = false,
        before: Double,
        after: Double = 0,
        _ body: (SpanContext, Double) -> Double = { $1 }
    ) -> Double {
        func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }
        let begin = Instant(nanoseconds: time.now.nanoseconds + nanoseconds(start))
        let open = probe.begin(kind, name, at: begin, under: parent)
        let end = body(open.context, start + before) + after
        let record = SpanRecord(
            kind,
            name,
            instance: UInt64(instance),
            start: begin,
            nanoseconds: nanoseconds(end - start),
            outcome: fails ? .failure : .success,
            error: fails ? Timeout() : nil
        )
        probe.end(open, record)
        return end
    }

    private func record(_ shape: Shape, at start: Double, caller: Int, instance: Int, action: Int) -> Double {
        let screen = probe(.context, "Screen\(caller)", ["open", "pull"])
        let client = probe(.client, "Trips", ["load", "save"])
        let end = span(
            screen,
            .contextAction,
            .action(random.index(below: 2)),
            at: start,
            under: .none,
            before: 0,
            after: 0.0001
        ) { root, start in
            span(
                client,
                .clientAction,
                .action(action),
                at: start,
                under: root,
                instance: instance,
                fails: shape.fails,
                before: shape.own,
                after: shape.own2
            ) { self.record(shape, under: $0, at: $1) }
        }
        return end - start
    }

    /// Records what the client calls.
    private func record(_ shape: Shape, under context: SpanContext, at start: Double) -> Double {
        var reached = start
        if shape.wait > 0 {
            reached = span(
                probe(.capability, "Reports"),
                kinds.contains(.pool) ? .wait : .mainActorWait,
                kinds.contains(.pool) ? .call("pool reports") : .kind,
                at: reached,
                under: context,
                before: shape.wait
            )
        }
        for (index, seconds, store, retries) in shape.dependencies {
            let service = probe(.capability, "Service\(index)")
            reached = span(
                service,
                .capabilityCall,
                .call("fetch"),
                at: reached,
                under: context,
                before: seconds
            ) { context, begin in
                let stored = span(
                    probe(.capability, "Store\(index)"),
                    .capabilityCall,
                    .call("read"),
                    at: begin,
                    under: context,
                    before: store
                )
                return retries.reduce(stored) { end, seconds in
                    // Half of it is the wait before the repetition.
                    span(service, .retryAttempt, .kind, at: end + seconds / 2, under: context, before: seconds / 2)
                }
            }
        }
        if shape.miss > 0 {
            let origin = probe(.capability, "Origin")
            reached = span(origin, .capabilityCall, .call("get"), at: reached, under: context, before: shape.miss)
        }
        return reached
    }

    // MARK: Explaining

    /// The calls, as the recorder knows them.
    var operations: [SpanTree] {
        telemetry.readings.knownSpans?.operations(5_000) { component, _ in component == "Trips" } ?? []
    }

    func explain(_ operations: [SpanTree]) -> Explanation {
        Explanation(operations) { Double($0.nanoseconds) / 1e9 }
    }

    var explanation: Explanation { explain(operations) }
}
