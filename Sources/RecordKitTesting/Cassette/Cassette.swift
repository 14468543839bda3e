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
/// Redacts sensitive header fields, query items, and fields of JSON and forms before they reach the disk: the well-known
/// ones, and those that the app adds here or in its configuration. A JSON value is replaced by one of its kind: a string
/// by `"redacted"`, a number by 0, an object by `{}`, an array by `[]`. Any other body is recorded as it is. The test that
/// records gets the responses unchanged.
///
/// Requests are compared with their sensitive values redacted when the cassette replays, and without their headers.
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
    ///   - sensitiveNames: the names of headers, query items and body fields that are sensitive besides the well-known ones
    ///     and those of the configuration.
    public init(_ file: URL, _ mode: Mode, sensitiveNames: Set<String> = []) throws(CassetteError) {
        let redaction = Redaction(sensitiveNames)
        role =
            switch mode {
            case .record(let transport): .recorder(try CassetteRecorder(file, through: transport, redaction))
            case .replay(let matching): .player(try CassettePlayer(file, matching, redaction))
            }
    }

    /// The entries of the file that are left out, since they could not be read: one line for each, with its place and
    /// the reason. Empty while recording.
    ///
    /// If no entry can be read, ``init(_:_:sensitiveNames:)`` throws ``CassetteError/unreadable(file:reason:)``.
    public var unreadableEntries: [String] {
        if case .player(let player) = role { player.unreadableEntries } else { [] }
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

    public func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        switch role {
        case .recorder(let recorder): try await recorder.exchange(call)
        case .player(let player): try await player.exchange(call)
        }
    }

    public var slots: HostSlots? {
        if case .recorder(let recorder) = role { recorder.slots } else { nil }
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

/// What is wrong with a ``Cassette``.
public enum CassetteError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// There is nothing to replay.
    case missing(file: String)
    /// The file is no HAR.
    case unreadable(file: String, reason: String)
    /// The file cannot be written.
    case unwritable(file: String, reason: String)
    /// What was asked for and not recorded.
    case unexpected(file: String, requests: [UnexpectedRequest])
    /// What was recorded and not asked for.
    case unplayed(file: String, requests: [String])
    /// The answer to a request was recorded without its body: a browser let go of it, or wrote it into another file.
    /// The cause of that call's error.
    case bodyMissing(request: String, file: String?)

    public var description: String {
        switch self {
        case .missing(let file):
            "There is no recording \(file). Record it first, with .record(through:) in the place of .replay."
        case .unreadable(let file, let reason):
            "The recording \(file) cannot be read as HAR 1.2: \(reason)."
        case .unwritable(let file, let reason):
            "The recording \(file) cannot be written: \(reason)"
        case .unexpected(_, let requests):
            requests.map(\.description).joined(separator: "\n")
        case .unplayed(let file, let requests):
            "In the recording \(file) this was not asked for:\n" + requests.joined(separator: "\n")
        case .bodyMissing(let request, let file):
            "The recording does not hold the body of the answer to \(request)"
                + (file.map { ", which is in the file \"\($0)\"" } ?? "") + ". Export it again with all bodies in it."
        }
    }

    public var errorDescription: String? { description }
}
