// SPDX-License-Identifier: Apache-2.0

/// Where an error occurred: what identifies the user, the session, the device and the version of the application.
///
/// ```swift
/// telemetry.provideErrorContext { ErrorContext(user: session.userID, appVersion: "2.4.1") }
/// ```
/// The samples of ``Telemetry/errors`` keep it. It is bounded: at most 16 attributes, keys of 64 bytes and values of 128
/// bytes; longer ones are cut off. Attributes whose key names a secret, such as `password` or `apiToken`, are left out.
/// Do not put into a value what must not be read by those who may read the errors.
public struct ErrorContext: Sendable, Hashable, Codable {
    /// Identifies the user, preferably by a number that only the application understands; nil if no user is signed in.
    public let user: String?
    /// Identifies the session.
    public let session: String?
    /// The model of the device, or the name of the machine.
    public let device: String?
    /// The version of the application.
    public let appVersion: String?
    /// Anything else, by its name.
    public let attributes: [String: String]

    /// The maximum number of attributes.
    package static let attributeLimit = 16
    private static let keyLimit = 64
    private static let valueLimit = 128

    /// Makes a context within the limits. Of too many attributes, those whose keys come first in alphabetical order are
    /// kept.
    public init(
        user: String? = nil,
        session: String? = nil,
        device: String? = nil,
        appVersion: String? = nil,
        attributes: [String: String] = [:]
    ) {
        self.user = user.map { Self.clipped($0, Self.valueLimit) }
        self.session = session.map { Self.clipped($0, Self.valueLimit) }
        self.device = device.map { Self.clipped($0, Self.valueLimit) }
        self.appVersion = appVersion.map { Self.clipped($0, Self.valueLimit) }
        let allowed = attributes.filter { !Self.isSecret($0.key) }.sorted { $0.key < $1.key }
        self.attributes = allowed.prefix(Self.attributeLimit).reduce(into: [:]) { kept, attribute in
            kept[Self.clipped(attribute.key, Self.keyLimit)] = Self.clipped(attribute.value, Self.valueLimit)
        }
    }

    /// The bytes of its texts.
    var bytes: Int {
        let own = [user, session, device, appVersion].compactMap(\.self).reduce(0) { $0 + $1.utf8.count }
        return attributes.reduce(own) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }

    private static let secrets = [
        "password", "passwd", "passphrase", "passcode", "secret", "token", "apikey", "authorization", "credential",
        "cookie", "privatekey", "creditcard", "cardnumber", "cvv", "signature",
    ]

    /// Whether the name of a key says that its value is a secret, in any spelling: `API-Key`, `api_key`, `apiKey`.
    private static func isSecret(_ key: String) -> Bool {
        let name = key.lowercased().filter { $0.isLetter || $0.isNumber }
        return secrets.contains { name.contains($0) }
    }

    private static func clipped(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        // A character can have any number of bytes, and is not divided.
        var (kept, bytes) = ("", 0)
        for character in text {
            bytes += character.utf8.count
            guard bytes <= limit else { break }
            kept.append(character)
        }
        return kept
    }

    /// Decodes a context, and applies the limits to it.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            user: try values.decodeIfPresent(String.self, forKey: .user),
            session: try values.decodeIfPresent(String.self, forKey: .session),
            device: try values.decodeIfPresent(String.self, forKey: .device),
            appVersion: try values.decodeIfPresent(String.self, forKey: .appVersion),
            attributes: try values.decodeIfPresent([String: String].self, forKey: .attributes) ?? [:]
        )
    }
}
