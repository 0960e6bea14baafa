// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Testing

@testable import Axiom

/// Serialized, because the tables belong to the process.
@Suite("Texts of errors in languages", .serialized)
struct ErrorLocalizationTests {
    private struct Shelf: AxiomError {
        var code: ErrorCode { "TEST_SHELF_001" }
        var message: String { "The shelf is empty." }
        var recoverySuggestion: String { "Fill it." }
        var origin: ComponentDescriptor? { ComponentDescriptor(kind: .client, name: "ShelfClient") }
    }

    @Test("Every error of Axiom describes itself in localizedDescription (ERR-03)")
    func described() {
        for error in ErrorFamilyTests.errors {
            #expect((error as any Error).localizedDescription == error.message)
            #expect((error as NSError).localizedRecoverySuggestion == (error.recoverySuggestion as String))
        }
    }

    @Test("English has a text for each code of the framework (ERR-03)")
    func english() {
        for entry in ErrorCatalog.entries {
            let text = ErrorLocalization.text(of: entry.code, language: "en-GB")
            #expect(text == ErrorText(entry.meaning, suggestion: entry.remedy))
        }
        #expect(ErrorLocalization.text(of: "TEST_SHELF_002", language: "en") == nil)
    }

    @Test(
        "An application adds a language, and a missing code falls back to the next language and to the message (ERR-03)"
    )
    func languages() {
        ErrorLocalization.add(
            ["TEST_SHELF_001": ErrorText("Das Regal von {component} ist leer ({code}).", suggestion: "Füllen.")],
            language: "de"
        )
        ErrorLocalization.add(["TEST_SHELF_001": ErrorText("S'Regal isch läär.")], language: "de_CH")
        defer { ErrorLocalization.prefer([]) }
        #expect((Shelf() as any Error).localizedDescription == "The shelf is empty.")
        ErrorLocalization.prefer(["fr", "de-AT"])
        #expect((Shelf() as any Error).localizedDescription == "Das Regal von ShelfClient ist leer (TEST_SHELF_001).")
        #expect((Shelf() as NSError).localizedRecoverySuggestion == "Füllen.")
        ErrorLocalization.prefer(["de-CH"])
        #expect((Shelf() as any Error).localizedDescription == "S'Regal isch läär.")
        #expect((Shelf() as NSError).localizedRecoverySuggestion == "Fill it.")
        ErrorLocalization.prefer(["en", "de"])
        #expect((Shelf() as any Error).localizedDescription == "The shelf is empty.")
        let error = ValidationError.missing("name")
        ErrorLocalization.prefer(["de"])
        #expect((error as any Error).localizedDescription == "name is missing.")
    }
}
