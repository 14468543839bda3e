public import Foundation
public import RecordKit

/// Records real traffic into a file, and replays it: format HAR 1.2, the one that browsers export.
///
/// ```swift
/// let cassette = try Cassette(Cassette.file(), .replay())       // or .record(through: URLSessionTransport())
/// network.transport = cassette
/// …
/// try cassette.verify()
/// ```
///
/// What is secret is taken out before it reaches the disk: the values of secret headers and query items, and of fields
/// in JSON, forms, XML and multipart bodies with names such as `password`, `access_token`, `refresh_token`,
/// `client_secret`; and what the app names, here or in its configuration. The test that records gets the answers whole.
/// In the body of another kind, a picture, nothing is looked for.
///
/// When it replays, requests are compared without their secrets, and no header counts.
public final class Cassette: NetworkTransport {
    /// What a cassette does.
    public enum Mode: Sendable {
        /// Sends on, and writes down. What the file held is lost.
        case record(through: any NetworkTransport)
        /// Answers from the file, and sends nothing.
        case replay(Matching = .strict)
    }

    /// What a request has to share with a recorded one to get its answer.
    public enum Matching: Sendable, Hashable {
        /// Method, URL and body: JSON and forms by what they mean, multipart bodies without their boundaries. Each
        /// answer is given once; equal requests get theirs in the order of the recording.
        case strict
        /// Method, origin and path. Of several the nearest answers, by query and body; of equal ones the first that was
        /// not given yet, then the last again and again. For what a browser exported.
        case loose
    }

    private enum Role {
        case recorder(CassetteRecorder)
        case player(CassettePlayer)
    }

    private let role: Role

    /// - Parameters:
    ///   - file: where the recording is; to record, its folder is made when it is missing.
    ///   - mode: whether to record or to replay.
    ///   - secretNames: headers, query items and fields that are secret beside the well-known ones and those of the
    ///     configuration.
    public init(_ file: URL, _ mode: Mode, secretNames: Set<String> = []) throws(CassetteError) {
        let redaction = Redaction(secretNames)
        role =
            switch mode {
            case .record(let transport): .recorder(try CassetteRecorder(file, through: transport, redaction))
            case .replay(let matching): .player(try CassettePlayer(file, matching, redaction))
            }
    }

    /// A file for one test: `Cassettes/ShopTests/testSale.har` beside the source, for `testSale()` in
    /// `ShopTests.swift`. A test that runs with several arguments gives each a name: `.file(of: "sale \(sku)")`.
    public static func file(of test: String = #function, beside source: String = #filePath) -> URL {
        let source = URL(filePath: source)
        // The last parenthesis begins the parameters; a name in backticks, or of an argument, may have others.
        let hasParameters = test.hasSuffix("()") || test.hasSuffix(":)")
        let end = hasParameters ? test.lastIndex(of: "(") : nil
        let name = test[..<(end ?? test.endIndex)].replacing("/", with: "-")
        return source.deletingLastPathComponent()
            .appending(path: "Cassettes/\(source.deletingPathExtension().lastPathComponent)")
            .appending(path: "\(name).har")
    }

    public func send(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        switch role {
        case .recorder(let recorder): try await recorder.send(call)
        case .player(let player):
            try await call.followingRedirects { call, time throws(NetworkError) in
                try await player.send(call, within: &time)
            }
        }
    }

    /// Checks that all that was recorded was asked for, and nothing else, also where an error was swallowed. When it
    /// records, that all was written; nothing when it replays loosely.
    ///
    /// - Throws: ``CassetteError/unexpected(file:requests:)``, ``CassetteError/unplayed(file:requests:)`` or
    ///   ``CassetteError/unwritable(file:reason:)``.
    public func verify() throws(CassetteError) {
        switch role {
        case .recorder(let recorder): try recorder.verify()
        case .player(let player): try player.verify()
        }
    }
}
