// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The modules that a toolchain and its SDK bring, found in their folders.
package struct ToolchainModules: Sendable {
    /// The folder `usr` of the toolchain; nil if none was found.
    package let folder: URL?
    package let modules: Set<String>

    /// Reads the modules below a folder `usr`, and those of an SDK.
    ///
    /// - Parameters:
    ///   - folder: The folder `usr` of a toolchain, which holds `lib/swift`.
    ///   - sdk: The root of an SDK of Apple; nil elsewhere.
    package init(folder: URL?, sdk: URL? = nil) {
        self.folder = folder
        var found: Set<String> = []
        if let folder {
            for part in ["lib/swift", "lib/clang", "include"] { Self.collect(folder.appending(path: part), 4, &found) }
        }
        if let sdk {
            Self.collect(sdk.appending(path: "usr/lib/swift"), 2, &found)
            Self.collect(sdk.appending(path: "usr/include"), 2, &found)
            Self.collect(sdk.appending(path: "System/Library/Frameworks"), 1, &found)
        }
        modules = found
    }

    /// The modules of the toolchain of the first program `swift` in `PATH`, and of the SDK of `SDKROOT`.
    ///
    /// - Parameter environment: The variables of the environment.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let sdk = environment["SDKROOT"].map { URL(filePath: $0) }
        self.init(folder: Self.folder(environment["PATH"] ?? ""), sdk: sdk)
    }

    private static func folder(_ path: String) -> URL? {
        for entry in path.split(separator: ":") {
            let program = URL(filePath: String(entry)).appending(path: "swift").resolvingSymlinksInPath()
            guard FileManager.default.isExecutableFile(atPath: program.path) else { continue }
            let folder = program.deletingLastPathComponent().deletingLastPathComponent()
            if FileManager.default.fileExists(atPath: folder.appending(path: "lib/swift").path) { return folder }
        }
        return nil
    }

    /// Adds the modules of a folder and of the folders in it.
    private static func collect(_ folder: URL, _ depth: Int, _ found: inout Set<String>) {
        for entry in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            let url = folder.appending(path: entry)
            switch url.pathExtension {
            case "swiftmodule", "framework": found.insert(url.deletingPathExtension().lastPathComponent)
            case "modulemap", "map": found.formUnion(ClangModuleMap.modules(in: (try? Data(contentsOf: url)) ?? Data()))
            case "" where depth > 0: collect(url, depth - 1, &found)
            default: continue
            }
        }
    }
}

/// Reads module maps of Clang.
package enum ClangModuleMap {
    /// The names of the modules at the top level of a module map.
    package static func modules(in map: Data) -> [String] {
        var words: [String] = []
        var depth = 0
        var modules: [String] = []
        for token in tokens(map) {
            switch token {
            case "{": depth += 1
            case "}": depth -= 1
            default:
                if depth == 0, words.last == "module", let name = name(token), words.dropLast().last != "extern" {
                    modules.append(name)
                }
            }
            words = [words.last ?? "", token]
        }
        return modules
    }

    /// A top-level name: the first part of a path, without quotation marks.
    private static func name(_ token: String) -> String? {
        token.split(whereSeparator: { $0 == "\"" || $0 == "." }).first.map(String.init)
    }

    /// Words and braces, without comments.
    private static func tokens(_ map: Data) -> [String] {
        let bytes = Array(map)
        var tokens: [String] = []
        var (word, index): ([UInt8], Int) = ([], 0)
        func isNext(_ first: Character, _ second: Character) -> Bool {
            index + 1 < bytes.count && bytes[index] == first.asciiValue && bytes[index + 1] == second.asciiValue
        }
        func endWord() {
            if !word.isEmpty { tokens.append(String(decoding: word, as: UTF8.self)) }
            word = []
        }
        while index < bytes.count {
            if isNext("/", "/") {
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
            } else if isNext("/", "*") {
                while index < bytes.count, !isNext("*", "/") { index += 1 }
                index += 2
                endWord()
                continue
            }
            guard index < bytes.count else { break }
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "}"):
                endWord()
                tokens.append(String(decoding: [bytes[index]], as: UTF8.self))
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): endWord()
            default: word.append(bytes[index])
            }
            index += 1
        }
        endWord()
        return tokens
    }
}

/// Modules of the SDKs of other platforms, which imports in `#if` name. They cannot be found on this machine, so they are
/// listed.
package enum OtherPlatforms {
    package static let modules: Set<String> = [
        "AVFoundation", "Accelerate", "Android", "AppKit", "Bionic", "CRT", "CloudKit", "Combine", "CommonCrypto",
        "CoreAudio", "CoreBluetooth", "CoreData", "CoreFoundation", "CoreGraphics", "CoreImage", "CoreLocation",
        "CoreServices", "CoreText", "CryptoKit", "Darwin", "Foundation", "Glibc", "IOKit", "ImageIO",
        "LocalAuthentication",
        "MachO", "MapKit", "Metal", "MetricKit", "Musl", "NaturalLanguage", "Network", "OSLog", "ObjectiveC", "Photos",
        "QuartzCore", "SafariServices", "Security", "StoreKit", "SwiftData", "SwiftUI", "System", "SystemConfiguration",
        "UIKit", "UniformTypeIdentifiers", "UserNotifications", "Vision", "WASILibc", "WatchKit", "WebKit", "WidgetKit",
        "WinSDK", "XPC", "os", "simd", "ucrt", "vcruntime", "visualc", "wasi_pthread", "Virtualization", "GameplayKit",
        "AuthenticationServices", "BackgroundTasks", "DeviceCheck", "Charts", "TipKit", "AppIntents", "AppleArchive",
        "Compression", "Distributed", "EventKit", "Contacts", "HealthKit", "MultipeerConnectivity", "PassKit", "PDFKit",
        "RealityKit", "ARKit", "SpriteKit", "SceneKit", "Speech", "WatchConnectivity", "zlib", "SQLite3", "libkern",
    ]
}
