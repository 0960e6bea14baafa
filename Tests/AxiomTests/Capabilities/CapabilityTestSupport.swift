// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// A source whose events a test sends. A test can make each listening fail, and see how often the source was listened to
/// and how many events were taken.
final class ManualSource: ChangeSource {
    struct Events: AsyncSequence, Sendable {
        typealias Element = CapabilityEvent
        fileprivate let stream: AsyncThrowingStream<CapabilityEvent, any Error>
        fileprivate let source: ManualSource

        struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var base: AsyncThrowingStream<CapabilityEvent, any Error>.AsyncIterator
            fileprivate let source: ManualSource
            fileprivate var isFirst = true

            mutating func next() async throws -> CapabilityEvent? {
                if !isFirst { source.journal.write("taken") }
                isFirst = false
                return try await base.next()
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(base: stream.makeAsyncIterator(), source: source)
        }
    }

    private struct State {
        var listener: AsyncThrowingStream<CapabilityEvent, any Error>.Continuation?
        var kept: [CapabilityEvent] = []
        var sent = 0
    }

    private let state = Lock(State())
    let journal = Journal<String>()

    func events() -> Events {
        let (stream, continuation) = AsyncThrowingStream<CapabilityEvent, any Error>.makeStream()
        continuation.onTermination = { [journal] _ in journal.write("ended") }
        let kept = state.withLock { state in
            state.listener = continuation
            defer { state.kept = [] }
            return state.kept
        }
        for event in kept { continuation.yield(event) }
        journal.write("listened")
        return Events(stream: stream, source: self)
    }

    var listenings: Int { journal.entries.count { $0 == "listened" } }

    func listened(_ count: Int = 1) async {
        await journal.wait { $0.count { $0 == "listened" } == count }
    }

    /// Sends events, which are kept for the first listener if there is none.
    func send(_ events: CapabilityEvent...) {
        let listener = state.withLock { state in
            state.sent += events.count
            if state.listener == nil { state.kept += events }
            return state.listener
        }
        for event in events { listener?.yield(event) }
    }

    /// Waits until all events were taken.
    func taken() async {
        let sent = state.withLock { $0.sent }
        await journal.wait { $0.count { $0 == "taken" } >= sent }
    }

    func fail(_ error: any Error) {
        state.withLock { $0.listener }?.finish(throwing: error)
    }
}

/// What a test tells the cameras that an orchestrator makes, and what they noted.
final class CameraControl: Sendable {
    struct Answers: Sendable {
        var permission = PermissionStatus.granted
        /// The decision of the user on a request.
        var decision = PermissionStatus.granted
        var isAvailable = true
        var refusesToStart = false
        var recovery = CapabilityRecovery.propagate
    }

    let journal = Journal<String>()
    let statuses = Box<CapabilityStatus>()
    /// Held up in a request until it opens.
    let gate = Gate()
    private let answers = Lock(Answers())

    var now: Answers { answers.withLock { $0 } }
    func set(_ change: @Sendable (inout Answers) -> Void) { answers.withLock { change(&$0) } }
    func count(_ entry: String) -> Int { journal.entries.count { $0 == entry } }
}

extension Permission {
    static let camera = Permission(rawValue: "camera")
    static let location = Permission(rawValue: "location")
}

/// A capability that needs the permission of the camera, keeps data, and notes what happens to it.
actor Camera: SystemCapability, PressureRelieving {
    static let permissions: Set<Permission> = [.camera]

    nonisolated let identity: ComponentIdentity
    private let control: CameraControl

    init(_ scope: borrowing CapabilityScope, _ control: CameraControl) {
        identity = scope.identity
        self.control = control
        control.statuses.put(scope.status)
    }

    var isAvailable: Bool { get async { control.now.isAvailable } }

    func initialize() async throws {
        if control.now.refusesToStart { throw SampleError("no camera") }
        control.journal.write("initialized")
    }

    func terminate() async { control.journal.write("terminated") }

    func permissionStatus(_ permission: Permission) async -> PermissionStatus { control.now.permission }

    func requestPermission(_ permission: Permission) async throws -> PermissionStatus {
        control.journal.write("requested")
        await control.gate.wait()
        let decision = control.now.decision
        control.set { $0.permission = decision }
        return decision
    }

    func relieve(_ resource: SystemResource, _ pressure: PressureLevel) async -> Int64 {
        control.journal.write("relieved \(resource.rawValue) \(pressure)")
        return 10
    }

    func read() -> Int { 42 }
}

/// Depends on the camera.
actor Analysis: Capability {
    nonisolated let identity: ComponentIdentity
    private let control: CameraControl

    init(_ scope: borrowing CapabilityScope, _ control: CameraControl) throws {
        identity = scope.identity
        self.control = control
        _ = try scope.capability(Camera.self)
    }

    func initialize() async throws { control.journal.write("analysis") }
}

/// A running application with a camera, under a clock that a test moves.
@MainActor
struct CameraApp {
    let time = ManualTime()
    let control = CameraControl()
    let source = ManualSource()
    let orchestrator: Orchestrator
    private let box = Box<CapabilityRef<Camera>>()
    private let upper = Box<CapabilityRef<Analysis>>()

    init(instrumentation: any Instrumentation = Instrumentations()) {
        orchestrator = Orchestrator(instrumentation: instrumentation, clock: .manual(time))
        let (control, box, upper) = (control, box, upper)
        orchestrator.register(Camera.self, requirement: .optional) { Camera($0, control) }
        orchestrator.register(Analysis.self) { try Analysis($0, control) }
        orchestrator.register(Keeper<Camera>.self) { try Keeper($0, Camera.self) { box.put($0) } }
        orchestrator.register(Keeper<Analysis>.self) { try Keeper($0, Analysis.self) { upper.put($0) } }
    }

    var camera: CapabilityRef<Camera> {
        get throws { try box.value.orThrow() }
    }
    var analysis: CapabilityRef<Analysis> {
        get throws { try upper.value.orThrow() }
    }

    /// Lets the debounce time pass once the events that were sent wait for its end.
    func pass(_ duration: Duration = .milliseconds(20)) async {
        await source.taken()
        await time.waitForSleepers(1)
        time.advance(by: duration)
    }
}

struct Missing: Error {}

extension Optional {
    func orThrow() throws -> Wrapped {
        guard let self else { throw Missing() }
        return self
    }
}

/// Yields until the condition holds. The suite has a time limit. For states that nothing announces.
@MainActor
func until(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: @MainActor () throws -> Bool
) async rethrows {
    while try !condition() {
        // The limit of time of the test has passed.
        guard !Task.isCancelled else {
            Issue.record("The condition did not become true", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}

extension CapabilityRef {
    /// Waits until the capability is at this level.
    func reaches(_ level: DegradationLevel) async {
        for await next in levels where next == level { return }
    }
}
