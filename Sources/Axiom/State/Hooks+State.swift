// SPDX-License-Identifier: Apache-2.0

#if Instrumented
extension Hooks {
    @inline(never)
    static func storeMade(_ probe: any StateProbe, state: @escaping @Sendable () -> (any OwnedState)?) {
        probe.storeMade(state: state)
    }

    @inline(never)
    static func stateSampled(_ probe: any StateProbe, mutation: Int64, publishing: Int64) {
        probe.operationEnded(.stateMutation, nanoseconds: mutation)
        probe.operationEnded(.statePublishing, nanoseconds: publishing)
    }

    @inline(never)
    static func stateUpdated(_ probe: any StateProbe) {
        probe.stateUpdated()
    }

    @inline(never)
    static func statesCoalesced(_ probe: any StateProbe, count: Int) {
        probe.statesCoalesced(count)
    }

    @inline(never)
    static func statePropagated(_ probe: any StateProbe, nanoseconds: Int64) {
        probe.statePropagated(nanoseconds: nanoseconds)
    }

    @inline(never)
    static func subscriberStalled(_ probe: any StateProbe, dropped: Int) {
        probe.subscriberStalled(dropped: dropped)
    }
}
#endif
