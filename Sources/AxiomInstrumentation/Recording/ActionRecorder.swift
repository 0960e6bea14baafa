// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics
internal import Synchronization

/// The instruments of one component's actions, bound in advance: recording is an array look-up and two atomic
/// operations.
final class ActionRecorder: Sendable {
    /// The families of the actions of one kind of component.
    struct Families: Sendable {
        let actions: Family<Counter, String, String, ActionOutcome>
        let durations: Family<ExponentialHistogram, String, String>
        private let spans: SpanKind
        /// nil if no spans are recorded.
        private let exemplars: SpanExemplars?

        /// Registers the families.
        init(_ instruments: ActionInstruments, _ names: CallNames, in registry: Registry) throws(MetricsError) {
            spans = names.spans
            exemplars = instruments.exemplars
            let (component, action) = (Label<String>(names.component), Label<String>(names.action))
            actions = try registry.counters(
                names.total,
                help: names.totalHelp,
                labels: component,
                action,
                Label<ActionOutcome>("outcome")
            )
            durations = try registry.family(
                instruments.detail.durations(),
                names.duration,
                help: names.durationHelp,
                labels: component,
                action
            )
        }

        /// The histogram of an action.
        func durations(of component: ComponentDescriptor, _ action: String) -> ExponentialHistogram {
            let histogram = durations(component.name, action)
            exemplars?.add(spans, component, action, histogram)
            return histogram
        }
    }

    private static let outcomes = 4

    private let component: String
    private let names: [String]
    private let families: Families
    /// For each case of the action one counter for each outcome, in the order of `ActionOutcome.allCases`. The table is
    /// flat, so that a look-up touches only one counter.
    private let counters: HandleTable<Counter>
    /// By the index of the action's case.
    private let durations: HandleTable<ExponentialHistogram>
    /// The same durations for each window; nil if they are neither recorded nor judged. Cost: one comparison.
    private let windows: HandleTable<ExponentialHistogram>?
    private let windowRecorder: WindowRecorder?
    /// nil if the budget of actions is not measured.
    private let budget: ActionBudget?
    private let slow: SlowActions

    init(
        _ descriptor: ComponentDescriptor,
        names: [String],
        _ families: Families,
        _ instruments: ActionInstruments,
        budget: ActionBudget?
    ) {
        let slow = instruments.slow.actions(of: descriptor)
        self.slow = slow
        let component = descriptor.name
        self.component = component
        self.families = families
        self.names = names
        counters = HandleTable(
            names.flatMap { name in ActionOutcome.allCases.map { families.actions(component, name, $0) } }
        )
        durations = HandleTable(names.map { families.durations(of: descriptor, $0) })
        windowRecorder = instruments.windows
        windows = instruments.windows.map { recorder in
            HandleTable(names.map { recorder.durations(of: TimedOperation(descriptor, $0)) })
        }
        self.budget = budget
        for (index, (name, histogram)) in zip(names, durations.handles).enumerated() {
            let row = counters.handles[index * Self.outcomes..<(index + 1) * Self.outcomes]
            slow.table.add(descriptor, name, Array(row), histogram)
            budget?.series.add(.histogram(histogram))
        }
    }

    var cases: Int { names.count }

    /// The name of a case; ``ActionTable/otherAction`` for every other index.
    func name(at caseIndex: Int) -> String {
        names.indices.contains(caseIndex) ? names[caseIndex] : ActionTable.otherAction
    }

    func record(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        guard names.indices.contains(caseIndex) else { return recordOther(outcome, nanoseconds) }
        counters[caseIndex &* Self.outcomes &+ outcome.index]._withUnsafeGuaranteedRef { $0.increment() }
        durations[caseIndex]._withUnsafeGuaranteedRef { $0.observe(nanoseconds: nanoseconds) }
        windows?[caseIndex]._withUnsafeGuaranteedRef { $0.observe(nanoseconds: nanoseconds) }
        // The duration of a cancelled action was decided by its caller.
        if outcome != .cancelled { budget?.check(caseIndex: caseIndex, nanoseconds) }
        if slow.qualifies(nanoseconds) { slow.record(names[caseIndex], outcome, nanoseconds) }
    }

    /// Counts an action that was refused before it ran. It takes no time, so the histogram does not contain it.
    func refuse(caseIndex: Int) {
        guard names.indices.contains(caseIndex) else {
            let rejected = families.actions(component, ActionTable.otherAction, .rejected)
            slow.table.add(slow.component, ActionTable.otherAction, [nil, nil, nil, rejected], nil)
            return rejected.increment()
        }
        counters[caseIndex &* Self.outcomes &+ ActionOutcome.rejected.index]._withUnsafeGuaranteedRef { $0.increment() }
    }

    /// Records an action with an invalid index, which any type may return. The series for these is created on first
    /// use.
    @inline(never)
    private func recordOther(_ outcome: ActionOutcome, _ nanoseconds: Int64) {
        // All outcomes, so that each is on the page before its first event.
        let counters = ActionOutcome.allCases.map { families.actions(component, ActionTable.otherAction, $0) }
        counters[outcome.index].increment()
        let histogram = families.durations(of: slow.component, ActionTable.otherAction)
        slow.table.add(slow.component, ActionTable.otherAction, counters, histogram)
        budget?.series.add(.histogram(histogram))
        histogram.observe(nanoseconds: nanoseconds)
        windowRecorder?.durations(of: TimedOperation(slow.component, ActionTable.otherAction))
            .observe(nanoseconds: nanoseconds)
        if outcome != .cancelled { budget?.checkOther(nanoseconds) }
        if slow.qualifies(nanoseconds) { slow.record(ActionTable.otherAction, outcome, nanoseconds) }
    }
}

extension ActionOutcome {
    var index: Int {
        switch self {
        case .success: 0
        case .failure: 1
        case .cancelled: 2
        case .rejected: 3
        }
    }
}

/// The names and the help of the families of one kind of call.
struct CallNames: Sendable {
    let spans: SpanKind
    /// The labels of a component's name and of an action.
    let component: String
    let action: String
    let total: String
    let totalHelp: String
    let duration: String
    let durationHelp: String
    /// Empty if it is not counted.
    var inFlight = ""
    var inFlightHelp = ""

    static let clients = CallNames(
        spans: .clientAction,
        component: "client",
        action: "action",
        total: "axiom_client_actions_total",
        totalHelp: "Actions that clients processed, by outcome.",
        duration: "axiom_client_action_duration_seconds",
        durationHelp: "Time from the call of a client's process to its end; of actions that were not rejected.",
        inFlight: "axiom_client_actions_in_flight",
        inFlightHelp: "Actions that clients process at this moment."
    )

    static let contexts = CallNames(
        spans: .contextAction,
        component: "context",
        action: "action",
        total: "axiom_context_actions_total",
        totalHelp: "Actions that were sent to contexts, by outcome.",
        duration: "axiom_context_action_duration_seconds",
        durationHelp: "Time from the sending of an action to its end; of actions that were not rejected."
    )

    static let capabilities = CallNames(
        spans: .capabilityCall,
        component: "capability",
        action: "call",
        total: "axiom_capability_calls_total",
        totalHelp: "Calls of capabilities, by outcome.",
        duration: "axiom_capability_call_duration_seconds",
        durationHelp: "Time from a call of a capability to its end, retries included; of calls that were not rejected.",
        inFlight: "axiom_capability_calls_in_flight",
        inFlightHelp: "Calls of capabilities that run at this moment."
    )

    static let requests = CallNames(
        spans: .request,
        component: "handler",
        action: "route",
        total: "axiom_requests_total",
        totalHelp: "Requests to handlers, by outcome.",
        duration: "axiom_request_duration_seconds",
        durationHelp: "Time from the arrival of a request to its answer; of requests that were not rejected.",
        inFlight: "axiom_requests_in_flight",
        inFlightHelp: "Requests that handlers answer at this moment."
    )
}

/// The instruments of the calls that one context type makes to a client, or of the requests to a handler. Calls that begin
/// and end are counted for each caller rather than once for all, so that the edges of the graph cost nothing extra.
final class CallerRecorder: ClientProbe {
    /// Nil for calls from an unknown context type.
    let caller: ComponentDescriptor?
    private let actions: ActionRecorder
    /// Records how long calls wait before they run.
    typealias Wait = @Sendable (_ nanoseconds: Int64) -> Void
    private let wait: Wait?
    /// How many actions began and how many ended, by the index of the action's case; the last element is for every
    /// other index. Two totals that only grow can be sharded. One number that also decreases would be one word that all
    /// threads write to.
    ///
    /// An action is added to `began` before `ended`. The fences keep that order for a reader that loads `ended` first,
    /// so the difference is never negative.
    private let began: HandleTable<Tally>
    private let ended: HandleTable<Tally>
    private let refused = Tally()
    private let failed = Tally()

    init(_ caller: ComponentDescriptor?, actions: ActionRecorder, wait: Wait?) {
        self.caller = caller
        self.actions = actions
        self.wait = wait
        began = HandleTable((0...actions.cases).map { _ in Tally() })
        ended = HandleTable((0...actions.cases).map { _ in Tally() })
    }

    @inline(__always)
    private func index(_ caseIndex: Int) -> Int {
        // One comparison: as an unsigned number, a negative index is a large one.
        Int(bitPattern: min(UInt(bitPattern: caseIndex), UInt(bitPattern: began.count &- 1)))
    }

    func began(caseIndex: Int) {
        began[index(caseIndex)]._withUnsafeGuaranteedRef { $0.increment() }
    }

    func ended(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        actions.record(caseIndex: caseIndex, outcome: outcome, nanoseconds: nanoseconds)
        atomicMemoryFence(ordering: .releasing)
        ended[index(caseIndex)]._withUnsafeGuaranteedRef { $0.increment() }
        guard outcome == .failure else { return }
        atomicMemoryFence(ordering: .releasing)
        failed.increment()
    }

    func refused(caseIndex: Int) {
        actions.refuse(caseIndex: caseIndex)
        refused.increment()
    }

    func waited(nanoseconds: Int64) {
        wait?(nanoseconds)
    }

    /// How many actions have begun and not ended, by the index of the action's case.
    var inFlight: [UInt64] {
        let ended = ended.handles.map(\.value)
        atomicMemoryFence(ordering: .acquiring)
        return zip(began.handles, ended).map { $0.value &- $1 }
    }

    /// The counts of calls. Loads the failures first, because a call is added to `ended` before `failed`.
    var counts: CallCounts {
        let (failures, refusals) = (failed.value, refused.value)
        atomicMemoryFence(ordering: .acquiring)
        return CallCounts(
            calls: ended.handles.reduce(refusals) { $0 &+ $1.value },
            failures: failures &+ refusals
        )
    }
}

/// How often one component called another, and how long that took.
package struct CallCounts: Sendable, Hashable {
    /// The calls that ended, refused ones included.
    package let calls: UInt64
    /// The calls that failed or were refused: no more than `calls`.
    package let failures: UInt64
    /// How long the calls of a capability took together; 0 for calls of clients, whose times are those of their actions.
    package var nanoseconds: UInt64 = 0
    /// Further runs of these calls, because the capability declares a retry.
    package var retries: UInt64 = 0
}
