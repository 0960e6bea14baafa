// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// What a collector is unregistered by.
public struct CollectorRegistration: Hashable, Sendable {
    let id: UInt64
}

extension Registry {
    /// Asks `collector` for its families at every scrape.
    @discardableResult
    public func register(_ collector: some Collector) -> CollectorRegistration {
        state.withLock { state in
            let registration = state.nextRegistration()
            state.collectors.append(CollectorSource(registration, collector))
            return registration
        }
    }

    /// Asks `collector` for its families at every scrape that has a deadline: see ``collect(deadline:)``.
    @discardableResult
    public func register(_ collector: some AsyncCollector) -> CollectorRegistration {
        state.withLock { state in
            let registration = state.nextRegistration()
            state.asyncCollectors.append(AsyncSource(registration, collector))
            return registration
        }
    }

    /// Asks a collector no more, once the scrapes that are under way have ended.
    ///
    /// - Returns: Whether it was registered.
    @discardableResult
    public func unregister(_ registration: CollectorRegistration) -> Bool {
        state.withLock { state in
            let before = state.collectors.count + state.asyncCollectors.count
            state.collectors.removeAll { $0.id == registration }
            state.asyncCollectors.removeAll { $0.id == registration }
            return state.collectors.count + state.asyncCollectors.count < before
        }
    }

    /// Takes a family or a callback off the page and gives its names free. Who still holds one of its instruments
    /// records into it unseen.
    ///
    /// - Parameter name: The family's name, as it was registered.
    /// - Returns: Whether it was registered.
    @discardableResult
    public func unregister(_ name: String) -> Bool {
        state.withLock { state in
            let isFamily = state.families.removeValue(forKey: ByteName(name)) != nil
            let isCallback = state.callbacks.removeValue(forKey: ByteName(name)) != nil
            state.claims.release(name)
            return isFamily || isCallback
        }
    }
}

extension Registry.State {
    fileprivate mutating func nextRegistration() -> CollectorRegistration {
        lastRegistration += 1
        return CollectorRegistration(id: lastRegistration)
    }
}
