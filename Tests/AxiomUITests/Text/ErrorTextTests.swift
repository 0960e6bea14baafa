// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom
@testable import AxiomUI

/// An error with the entry of a code in the catalogue.
private struct CatalogueError: AxiomError {
    let entry: ErrorCatalog.Entry
    var code: ErrorCode { entry.code }
    var message: String { entry.meaning }
    var recoverySuggestion: String { entry.remedy }
    var severity: ErrorSeverity { entry.severity }
    var suggestedAction: ErrorAction { entry.suggestedAction }
}

@MainActor
@Suite("Errors as text", .timeLimit(.minutes(10)))
struct ErrorTextTests {
    /// The text of an error with the options of a boundary.
    private func text(_ error: any Error, width: Int = 48, style: TextStyle = .plain) -> String {
        let id = ErrorPresentation.ID(source: .error, boundary: nil)
        let action = (error as? any AxiomError)?.suggestedAction
        let options: [RecoveryOption] = (action == .retry ? [.retry()] : []) + [.dismiss()]
        return ErrorPresentation(error, id: id, options: options, labels: .fallback).text(width: width, style: style)
    }

    @Test("The texts of each family of errors are as expected (UI-04)")
    func families() {
        let errors: [any Error] = [
            NetworkError.noConnection(to: "shop.example"),
            NetworkError.timeout("The price list", after: .seconds(5)),
            NetworkError.server("The price list", status: 503),
            AuthorizationError.notSignedIn("The order"),
            AuthorizationError.forbidden("the refund"),
            ValidationError.outOfRange("The quantity", 1...99),
            NavigationError.unknownRoute("shop/sale"),
            CapabilityError.unavailable("Camera", because: "it is in use"),
            CircuitError.open("prices"),
            ConfigurationError.refused("http.token", because: "it is too short"),
        ]
        #expect(errors.map { text($0) }.joined(separator: "\n\n") == Self.expected)
    }

    @Test("The text of every code of the framework fits into any width (UI-04)", arguments: [-5, 0, 8, 13, 40, 200])
    func everyCode(width: Int) {
        for entry in ErrorCatalog.entries {
            let text = text(CatalogueError(entry: entry), width: width)
            for line in text.split(separator: "\n") {
                #expect(TextColumns.count(of: line) <= max(width, 8), "\(entry.code) \(line)")
            }
        }
    }

    @Test("In a narrow terminal the parts are wrapped and keep their indentation (UI-04)")
    func narrow() {
        #expect(
            text(ValidationError.missing("住所"), width: 16) == """
                ✎ Invalid input
                  住所 is
                  missing.
                  Enter the
                  value.
                  [1] Dismiss
                  AXIOM_VALIDATI
                  ON_001
                """
        )
    }

    @Test("ANSI sequences appear only on request, and none of the error's own do (UI-04)")
    func sequences() {
        let error = NetworkError.noConnection(to: "\u{1B}[2Jshop")
        #expect(!text(error).contains("\u{1B}"))
        let marked = text(error, style: .ansi)
        #expect(marked.hasPrefix("⌁ \u{1B}[1mNo connection\u{1B}[0m\n"))
        #expect(marked.contains("\u{1B}[7m[1] Try again\u{1B}[0m  [2] Dismiss"))
        #expect(marked.hasSuffix("  \u{1B}[2mAXIOM_NETWORK_001\u{1B}[0m"))
        #expect(!marked.contains("\u{1B}[2J"))
    }

    private static let expected = """
        ⌁ No connection
          There is no connection to shop.example.
          Check the connection and try again.
          [1] Try again  [2] Dismiss
          AXIOM_NETWORK_001

        ◷ This took too long
          The price list was not answered within 5.0
          seconds.
          Try again in a moment.
          [1] Try again  [2] Dismiss
          AXIOM_NETWORK_002

        ☁ The server reported an error
          The price list was answered with 503.
          For a status of 500 or above, try again later.
          Otherwise check the request.
          [1] Try again  [2] Dismiss
          AXIOM_NETWORK_003

        ⚿ Sign-in required
          The order requires a signed-in user.
          Sign in and try again.
          [1] Dismiss
          AXIOM_AUTHORIZATION_001

        ⊘ Not permitted
          The signed-in user has no permission for the
          refund.
          Sign in as a user with the permission, or
          request the permission.
          [1] Dismiss
          AXIOM_AUTHORIZATION_002

        ✎ Invalid input
          The quantity must be between 1 and 99.
          Choose a value within the range that the
          message names.
          [1] Dismiss
          AXIOM_VALIDATION_003

        ⌖ This page cannot be shown
          The route shop/sale has no known destination.
          Check the link, or register its destination.
          [1] Dismiss
          AXIOM_NAVIGATION_001

        ⌧ Not available
          The capability Camera is not available: it is
          in use.
          Check isAvailable first, or serve cached data
          until the capability is available again.
          [1] Try again  [2] Dismiss
          AXIOM_CAPABILITY_002

        ⏸ Temporarily unavailable
          The circuit breaker prices is open.
          Try again after the time that the message
          names.
          [1] Try again  [2] Dismiss
          AXIOM_CIRCUIT_001

        ⚙ Invalid settings
          The setting http.token was refused: it is too
          short.
          Correct the settings; the previous ones stay
          in force until then.
          [1] Dismiss
          AXIOM_CONFIGURATION_003
        """
}
