// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Testing

@testable import Axiom
@testable import AxiomUI

private struct PrinterError: AxiomError {
    var code: ErrorCode = "SHOP_PRINTER_001"
    var message = "The printer is out of paper."
    var recoverySuggestion = "Add paper."
    var severity = ErrorSeverity.nonCritical
    var suggestedAction = ErrorAction.dismiss
}

private enum PlainError: Error { case outOfPaper }

private struct DescribedError: Error, CustomStringConvertible { let description: String }

@Suite("How an error is presented")
struct ErrorPresentationTests {
    @Test("An error has the icon, the title, the texts and the code of its kind (UI-04)")
    func parts() {
        let error = ErrorPresentation(NetworkError.noConnection(to: "shop.example"))
        #expect(error.kind == .connection)
        #expect(error.kind.glyph == "⌁")
        #expect(error.title == "No connection")
        #expect(error.message == "There is no connection to shop.example.")
        #expect(error.suggestion?.isEmpty == false)
        #expect(error.suggestedAction == .retry)
        #expect(error.code == .noConnection)
        #expect(error.options.isEmpty && !error.isRecovering && error.isDismissable)
    }

    @Test(
        "Each family of the framework's errors has its kind (UI-04)",
        arguments: [
            ("AXIOM_CAPABILITY_002", ErrorKind.unavailable), ("AXIOM_CAPABILITY_003", .timeout),
            ("AXIOM_STATE_001", .state), ("AXIOM_CLIENT_001", .unavailable), ("AXIOM_CLIENT_004", .overload),
            ("AXIOM_CONTEXT_002", .unavailable), ("AXIOM_NAVIGATION_001", .navigation),
            ("AXIOM_NETWORK_001", .connection), ("AXIOM_NETWORK_002", .timeout), ("AXIOM_NETWORK_003", .server),
            ("AXIOM_VALIDATION_001", .input), ("AXIOM_AUTHORIZATION_001", .signIn),
            ("AXIOM_AUTHORIZATION_002", .permission), ("AXIOM_CIRCUIT_001", .overload),
            ("AXIOM_LIFECYCLE_001", .timeout), ("AXIOM_LIFECYCLE_002", .program),
            ("AXIOM_CONFIGURATION_001", .settings), ("AXIOM_COMPOSITION_001", .program),
            ("AXIOM_TELEMETRY_001", .program), ("AXIOM_STORAGE_001", .unavailable),
            ("AXIOM_STORAGE_002", .permission), ("AXIOM_STORAGE_004", .update),
        ]
    )
    func kinds(code: String, kind: ErrorKind) {
        #expect(ErrorKind(of: PrinterError(code: ErrorCode(rawValue: code))) == kind)
    }

    @Test("An application's own error has the kind of its suggested action and its severity (UI-04)")
    func kindsOfApplication() {
        #expect(ErrorKind(of: PrinterError()) == .failure)
        #expect(ErrorKind(of: PrinterError(severity: .warning)) == .warning)
        #expect(ErrorKind(of: PrinterError(suggestedAction: .authenticate)) == .signIn)
        #expect(ErrorKind(of: PrinterError(suggestedAction: .update)) == .update)
        #expect(ErrorKind(of: PrinterError(code: "AXIOM_ELSEWHERE_001")) == .failure)
        #expect(ErrorKind(of: PlainError.outOfPaper) == .failure)
    }

    @Test("An error without a text for people gets a general message, and its type as code (UI-04)")
    func unknown() {
        let plain = ErrorPresentation(PlainError.outOfPaper)
        #expect(plain.message == "An unexpected error occurred.")
        #expect(plain.code == "PlainError")
        #expect(plain.suggestion == nil)
        #expect(ErrorPresentation(DescribedError(description: "out of ink")).message == "out of ink")
        #expect(ErrorPresentation(DescribedError(description: " \n")).message == "An unexpected error occurred.")
    }

    @Test("A critical error cannot be removed without an option (UI-04)")
    func critical() {
        #expect(!ErrorPresentation(PrinterError(severity: .critical)).isDismissable)
        #expect(ErrorPresentation(PrinterError(severity: .warning)).isDismissable)
    }

    @Test("Every kind has its own glyph and title; each glyph takes one column (UI-04)")
    func icons() {
        let kinds = ErrorKind.allCases
        #expect(Set(kinds.map(\.glyph)).count == kinds.count)
        #expect(Set(kinds.map(ErrorLabels().title)).count == kinds.count)
        #expect(kinds.allSatisfy { TextColumns.count(of: $0.glyph) == 1 })
    }

    @Test("Titles, options and general texts come from the labels of the application (UI-04)")
    func labels() {
        var labels = ErrorLabels()
        labels.titles = [.connection: "Keine Verbindung", .failure: "Fehler"]
        labels.optionTitles = ["Dismiss": "Schließen"]
        #expect(ErrorPresentation(NetworkError.noConnection(to: "a"), labels: labels).title == "Keine Verbindung")
        #expect(ErrorPresentation(PlainError.outOfPaper, labels: labels).title == "Fehler")
        #expect(labels.title(of: .dismiss()) == "Schließen")
        #expect(labels.title(of: .retry()) == "Try again")
        labels.titles = [:]
        #expect(labels.title(of: .timeout) == "This took too long")
    }
}

@Suite("The languages of error views", .serialized)
struct ErrorLanguageTests {
    @Test("The message and the suggestion are in the language that the localization prefers (UI-04)")
    func localized() {
        let text = ErrorText("Der Drucker {code} ruht.", suggestion: "Papier nachlegen.")
        ErrorLocalization.add(["SHOP_PRINTER_009": text], language: "de")
        ErrorLocalization.prefer(["de-CH"])
        defer { ErrorLocalization.prefer([]) }
        let error = ErrorPresentation(PrinterError(code: "SHOP_PRINTER_009"))
        #expect(error.message == "Der Drucker SHOP_PRINTER_009 ruht.")
        #expect(error.suggestion == "Papier nachlegen.")
        #expect(ErrorPresentation(PrinterError()).message == "The printer is out of paper.")
    }
}
