// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AxiomInstrumentation
import AxiomStatistics
import Foundation
import Testing

@testable import axiom_demo

@Suite("Profiles on the command line")
struct ProfileTests {
    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = try TestFolder()
        try body(folder.path)
        try folder.remove()
    }

    @Test("Without the options nothing is recorded or judged")
    func off() throws {
        #expect(try DemoCommand.parse([]).profiles.regressions() == nil)
    }

    @Test("A run can record and compare at once; by default its windows are as long as the baseline's")
    func both() throws {
        try Self.withFolder { folder in
            var file = BaselineFile()
            file.liveProfiles = [LiveProfile(operation: "process/CartClient/add", group: "CartClient", windowLength: 2)]
            try file.save(to: folder + "/old.json")
            let paths = ["--record-profile", folder + "/new.json", "--baseline-profile", folder + "/old.json"]
            let options = try #require(try DemoCommand.parse(paths).profiles.regressions())
            #expect(options.isRecording && options.baseline == file && options.policy.windowLength == 2)
            let told = try DemoCommand.parse(paths + ["--profile-window", "5s"]).profiles.regressions()
            #expect(told?.policy.windowLength == 5)
        }
    }

    @Test("A file that cannot be a baseline, or may not be replaced, is refused before the load, and named")
    func refused() throws {
        try Self.withFolder { folder in
            let foreign = folder + "/foreign.json"
            try Data("{}".utf8).write(to: URL(fileURLWithPath: foreign))
            for option in ["--record-profile", "--baseline-profile"] {
                let error = #expect(throws: ProfileError.self) {
                    try DemoCommand.parse([option, foreign]).profiles.regressions()
                }
                #expect(error?.code == .foreignFile && error?.message.contains(foreign) == true)
            }
            let missing = #expect(throws: ProfileError.self) {
                try DemoCommand.parse(["--baseline-profile", folder + "/none.json"]).profiles.regressions()
            }
            #expect(missing?.code == .missingFile)
        }
    }

    @Test(
        "A wrong option is named, with the allowed values",
        arguments: [
            (["--record-profile", ""], "--record-profile is empty"),
            (["--record-profile", "/nonexistent/p.json"], "/nonexistent is no folder that can be written to"),
            (["--baseline-profile", ""], "--baseline-profile is empty"),
            (
                ["--profile-window", "1ms"],
                "'1ms' is invalid for '--profile-window <profile-window>': 100ms to 1h are allowed"
            ),
        ]
    )
    func mistakes(_ arguments: [String], _ complaint: String) {
        do {
            _ = try DemoCommand.parse(arguments)
            Issue.record("\(arguments) was accepted")
        } catch {
            #expect(DemoCommand.fullMessage(for: error).contains(complaint))
        }
    }
}
