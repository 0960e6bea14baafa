// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// A call that the telemetry records at its begin and at its end.
final class OtherPlannedCall {
    let part: Int
    let call: Int
    let caller: Int?
    let parent: OtherPlannedCall?
    /// In nanoseconds of the run.
    let start: Int64
    var nanoseconds: Int64 = 0
    var outcome = ActionOutcome.success
    var error: SimulatedError?
    var retries = 0
    var answer: CapabilityAnswerKind?
    /// The wait for an actor or for a connection, in nanoseconds.
    var wait: Int64 = 0
    var span: OpenSpan?

    init(_ part: Int, _ call: Int, _ caller: Int?, _ parent: OtherPlannedCall?, _ start: Int64) {
        (self.part, self.call, self.caller, self.parent, self.start) = (part, call, caller, parent, start)
    }
}

// A call is drawn with all calls that it makes, before it begins.
extension OtherApplication {
    /// What a call comes to.
    struct Result {
        /// When it ends, in nanoseconds of the run; nil for never.
        var end: Int64?
        var error: SimulatedError?
    }

    private static let repeats = 4

    /// Draws a call that starts at a time of the run in nanoseconds.
    func start(
        _ part: Int,
        _ call: Int,
        from caller: Int?,
        under parent: OtherPlannedCall?,
        at start: Int64
    ) -> Result {
        let planned = OtherPlannedCall(part, call, caller, parent, start)
        add(planned, at: start, isEnd: false)
        tallies[part].calls += 1
        let effect = effect(on: planned)
        if effect.isRejected { return finish(planned, at: start, .rejected, error(part, effect.code)) }
        if effect.isFull { return finish(planned, at: start, .failure, error(part, effect.code)) }
        if dice.chance(effect.hanging) { return Result() }
        planned.wait = wait(planned, effect)
        let now = start + planned.wait
        if dice.chance(effect.failing) {
            let seconds = max(effect.timeout, self.part(planned).calls[call].work.draw(&dice) * dice.unit())
            return finish(planned, at: now + Self.nanoseconds(seconds), .failure, error(part, effect.code))
        }
        if !effect.misses, dice.chance(self.part(planned).hits) {
            planned.answer = .cached
            let seconds = dice.between(5e-5, 3e-4) * effect.factor
            return finish(planned, at: now + Self.nanoseconds(seconds), .success, nil)
        }
        return work(planned, effect, from: now)
    }

    private func part(_ planned: OtherPlannedCall) -> OtherPart { plan.graph.parts[planned.part] }

    private static func nanoseconds(_ seconds: Double) -> Int64 { Int64(min(seconds, 600) * 1e9) }

    private func error(_ part: Int, _ code: String, cause: SimulatedError? = nil) -> SimulatedError {
        let component = plan.graph.parts[part].component
        let code = ErrorCode(rawValue: "\(component.name.uppercased())_\(code)")
        return SimulatedError(code: code, origin: component, cause: cause)
    }

    private func effect(on planned: OtherPlannedCall) -> OtherEffect {
        let seconds = Double(planned.start) / 1e9
        guard let fault = faults[planned.part], fault.isActive(planned.call, from: planned.caller, at: seconds) else {
            return OtherEffect()
        }
        let effect = fault.effect(at: seconds, &dice)
        tallies[planned.part].affected += effect.weight
        return effect
    }

    private func wait(_ planned: OtherPlannedCall, _ effect: OtherEffect) -> Int64 {
        if effect.wait > 0 { return Self.nanoseconds(effect.wait) }
        if part(planned).hasPool { return Self.nanoseconds(dice.exponential(mean: dice.chance(0.05) ? 1e-3 : 2e-6)) }
        return part(planned).component.kind == .client ? Self.nanoseconds(dice.exponential(mean: 5e-6)) : 0
    }

    /// The own work, with its further attempts, and then the calls of others.
    private func work(_ planned: OtherPlannedCall, _ effect: OtherEffect, from start: Int64) -> Result {
        let part = part(planned)
        let work = part.calls[planned.call].work
        if part.hits > 0 { planned.answer = .fresh }
        var seconds = work.draw(&dice) * effect.factor
        var isFailing = dice.chance(part.failing)
        while dice.chance(max(part.repeated, effect.repeated)) {
            guard planned.retries < Self.repeats else {
                isFailing = true
                break
            }
            planned.retries += 1
            seconds += work.draw(&dice) * effect.factor + 0.02 * Double(planned.retries)
        }
        let now = start + Self.nanoseconds(seconds)
        guard isFailing else { return callOthers(planned, from: now) }
        return finish(planned, at: now, .failure, error(planned.part, effect.repeated > 0 ? "FAULT" : "NOT_FOUND"))
    }

    private func callOthers(_ planned: OtherPlannedCall, from start: Int64) -> Result {
        let part = part(planned)
        var now = start
        for edge in part.calls[planned.call].edges where dice.chance(edge.probability) {
            let begin = part.isParallel ? start : now
            let result = self.start(edge.part, edge.call, from: planned.part, under: planned, at: begin)
            // A call that never ends keeps its callers.
            guard let end = result.end else { return Result() }
            now = max(now, end)
            guard let error = result.error, !edge.isTolerant else { continue }
            let thrown = part.wrapsErrors ? self.error(planned.part, "FAILED", cause: error) : error
            return finish(planned, at: now, .failure, thrown)
        }
        return finish(planned, at: now, .success, nil)
    }

    private func finish(
        _ planned: OtherPlannedCall,
        at end: Int64,
        _ outcome: ActionOutcome,
        _ error: SimulatedError?
    ) -> Result {
        (planned.outcome, planned.error, planned.nanoseconds) = (outcome, error, end - planned.start)
        if error != nil { tallies[planned.part].failures += 1 }
        tallies[planned.part].seconds += Double(planned.nanoseconds) / 1e9
        add(planned, at: end, isEnd: true)
        return Result(end: end, error: error)
    }
}
