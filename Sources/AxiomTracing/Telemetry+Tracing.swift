// SPDX-License-Identifier: Apache-2.0

public import AxiomInstrumentation
public import Tracing

extension Telemetry {
    /// Starts and ends each span of the flight recorder in `tracer` too, with its name, times, parent and outcome.
    ///
    /// ```swift
    /// InstrumentationSystem.bootstrap(tracer)
    /// let telemetry = try Telemetry()
    /// try telemetry.exportSpans()
    /// let orchestrator = Orchestrator(instrumentation: telemetry)
    /// ```
    /// The root of a trace gets the `ServiceContext.current` of its caller as parent. Inside actions, phases, capability
    /// calls and named work, `ServiceContext.current` is the context of their span, so that spans that the application
    /// starts itself are its children.
    ///
    /// Call it once, before the orchestrator starts. A tracer that is bound or bootstrapped later is not used. Without
    /// this call nothing is paid. With it each action of a client binds a span, and a span costs what the tracer costs, and
    /// an entry in a table if it can have children.
    ///
    /// - Parameter tracer: By default the tracer that is bootstrapped.
    /// - Returns: Whether spans are exported. False if no tracer is bootstrapped, and if the flight recorder is off or
    ///   left out of the build.
    /// - Throws: ``TelemetryError`` if the telemetry already exports spans, or already records spans of a component.
    @discardableResult
    public func exportSpans(to tracer: any Tracer = InstrumentationSystem.tracer) throws(TelemetryError) -> Bool {
        if tracer is NoOpTracer { return false }
        return try exportSpans { tracer.exporter(traceID: $0, clock: timeSource) }
    }
}
