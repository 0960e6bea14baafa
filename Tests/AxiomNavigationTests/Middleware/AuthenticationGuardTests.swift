// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import Testing

@Suite("Authentication guard", .timeLimit(.minutes(10)))
struct AuthenticationGuardTests {
    private struct KeychainLocked: Error {}

    private func makeGuard(
        _ isSignedIn: @escaping @Sendable () async throws -> Bool
    ) throws -> AuthenticationGuard<GuardedRoute> {
        try AuthenticationGuard(isSignedIn: isSignedIn) { .login(returnTo: $0) }
    }

    @Test(
        "Without a user, a guarded route leads to the login route, which carries it; the screen is not shown (NAV-07)"
    )
    func redirects() async throws {
        let shown = Collector<GuardedRoute>()
        let run = MiddlewareRun(try makeGuard { false }) { request in
            shown.add(request.route)
            return .arrived(request.route)
        }
        let login = GuardedRoute.login(returnTo: .account)
        #expect(try await run.navigate(to: .account) == .redirected(to: login))
        #expect(try await run.navigate(to: .hidden("secret")) == .redirected(to: .login(returnTo: .hidden("secret"))))
        #expect(shown.values == [login, .login(returnTo: .hidden("secret"))])
    }

    @Test("After the sign-in, the wanted route that the login route carries is shown (NAV-07)")
    func returns() async throws {
        let isSignedIn = Lock(false)
        let run = MiddlewareRun(try makeGuard { isSignedIn.withLock { $0 } })
        guard case .redirected(to: .login(let wanted)) = try await run.navigate(to: .account, from: .deepLink) else {
            Issue.record("not redirected to the login route")
            return
        }
        // A sign-in that failed.
        #expect(try await run.navigate(to: wanted) == .redirected(to: .login(returnTo: .account)))
        isSignedIn.withLock { $0 = true }
        #expect(try await run.navigate(to: wanted) == .arrived(.account))
    }

    @Test("For the check of a flow, the guard names the login route without asking for the user (NAV-07, NAV-12)")
    func possibleRedirects() throws {
        struct Asked: Error {}
        let guarding = try makeGuard { throw Asked() }
        #expect(guarding.possibleRedirect(of: .account) == .login(returnTo: .account))
        #expect(guarding.possibleRedirect(of: .hidden("secret")) == .login(returnTo: .hidden("secret")))
        for route in [GuardedRoute.home, .product(7), .login(returnTo: .account)] {
            #expect(guarding.possibleRedirect(of: route) == nil)
        }
    }

    @Test("For a route without the requirement the guard does not ask whether a user is signed in (NAV-07)")
    func open() async throws {
        let questions = Collector<Bool>()
        let run = MiddlewareRun(
            try makeGuard {
                questions.add(true)
                return false
            }
        )
        for route in [GuardedRoute.home, .product(7), .login(returnTo: .account)] {
            #expect(try await run.navigate(to: route) == .arrived(route))
        }
        #expect(questions.values.isEmpty)
    }

    @Test("If it cannot be determined whether a user is signed in, the route is not shown and the flow throws (NAV-07)")
    func failsClosed() async throws {
        let run = MiddlewareRun(try makeGuard { throw KeychainLocked() }) { _ in
            Issue.record("the screen was shown")
            return .unchanged
        }
        let error = await #expect(throws: NavigationError.self) { try await run.navigate(to: .account) }
        #expect(error?.code == .signInUnknown && error?.cause is KeychainLocked && error?.isRecoverable == true)
        let ended = MiddlewareRun(try makeGuard { throw CancellationError() })
        let unknown = await #expect(throws: NavigationError.self) { try await ended.navigate(to: .account) }
        #expect(unknown?.code == .signInUnknown, "nobody cancelled the navigation")
        let cancelled = Task { @MainActor in
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await ended.navigate(to: .account)
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }

    @Test("A login route that requires authentication is an error with its name when the guard is made (NAV-07)")
    func loginIsGuarded() {
        let error = #expect(throws: NavigationError.self) {
            try AuthenticationGuard<GuardedRoute>(isSignedIn: { true }, login: { _ in .hidden("vault") })
        }
        #expect(error?.code == .loginRequiresAuthentication)
        #expect(error?.message.contains("account") == true && error?.message.contains("vault") == true)
    }

    @Test("A login route that requires authentication for some parameters only is found at the request (NAV-07)")
    func loginIsGuardedSometimes() async throws {
        let authentication = try AuthenticationGuard<GuardedRoute>(
            isSignedIn: { false },
            login: { $0 == .account ? .login(returnTo: $0) : .hidden("vault") }
        )
        let run = MiddlewareRun(authentication)
        #expect(try await run.navigate(to: .account) == .redirected(to: .login(returnTo: .account)))
        let error = await #expect(throws: NavigationError.self) { try await run.navigate(to: .hidden("secret")) }
        #expect(error?.code == .loginRequiresAuthentication)
    }
}
