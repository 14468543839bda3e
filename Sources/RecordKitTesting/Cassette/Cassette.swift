public import Foundation
public import RecordKit

/// Records real traffic in a file, and replays it. The format is HAR 1.2, which browsers export.
///
/// ```swift
/// // Or .record(through: URLSessionTransport())
/// let cassette = try Cassette(Cassette.file(), .replay)
/// configuration.transport = cassette
/// // Send the calls of the test.
/// try cassette.verify()
/// ```
///
/// Sensitive values are redacted before they are written: those of header fields, query items, and fields of JSON, form
/// and multipart bodies. The well-known names are sensitive, and those that the app adds here or in its configuration.
/// A JSON value is replaced with one of its kind: a string with `"redacted"`, a number with 0, an object with `{}`, an
/// array with `[]`. Other bodies are recorded unchanged. The test that records gets the responses unchanged.
///
/// When replaying, requests are compared with their sensitive values redacted, and without their header fields.
public final class Cassette: NetworkTransport {
    /// What a cassette does.
    @nonexhaustive
    public enum Mode: Sendable {
        /// Sends calls through a transport and records them. The former content of the file is lost.
        case record(through: any NetworkTransport)
        /// Responds from the file, and sends nothing. Method, URL and body of a request must match. JSON and forms are
        /// compared by their meaning, multipart bodies without their boundaries. Each response is returned once. Equal
        /// requests get theirs in the order of the recording.
        case replay
    }

    private enum Role {
        case recorder(CassetteRecorder)
        case player(CassettePlayer)
    }

    private let role: Role

    /// Creates a cassette.
    ///
    /// - Parameters:
    ///   - file: The file of the recording. When recording, its folder is created if it is missing.
    ///   - mode: Whether to record or to replay.
    ///   - sensitiveNames: The names of header fields, query items and body fields that are sensitive, in addition to
    ///     the well-known ones and those of the configuration.
    /// - Throws: ``CassetteError`` if the file can't be read or written.
    public init(_ file: URL, _ mode: Mode, sensitiveNames: Set<String> = []) throws(CassetteError) {
        let redaction = Redaction(sensitiveNames)
        role =
            switch mode {
            case .record(let transport): .recorder(try CassetteRecorder(file, through: transport, redaction))
            case .replay: .player(try CassettePlayer(file, redaction))
            }
    }

    /// The entries of the file that are skipped because they can't be read: a line for each, with its place and the
    /// reason. Empty when recording.
    ///
    /// If no entry can be read, ``init(_:_:sensitiveNames:)`` throws ``CassetteError/unreadable(file:reason:)``.
    public var unreadableEntries: [String] {
        if case .player(let player) = role { player.unreadableEntries } else { [] }
    }

    /// Returns the file for a test: `Cassettes/ShopTests/testSale.har` beside the source, for `testSale()` in
    /// `ShopTests.swift`.
    ///
    /// A test that runs with several arguments needs a name for each: `.file(of: "sale \(sku)")`.
    ///
    /// - Parameters:
    ///   - test: The name of the test. Default: the name of the function.
    ///   - source: The path of the source file. Default: the file of the caller.
    public static func file(of test: String = #function, beside source: String = #filePath) -> URL {
        let source = URL(filePath: source)
        // The last parenthesis begins the parameters. Names in backticks and of arguments may contain others.
        let hasParameters = test.hasSuffix("()") || test.hasSuffix(":)")
        let end = hasParameters ? test.lastIndex(of: "(") : nil
        let name = test[..<(end ?? test.endIndex)].replacing("/", with: "-")
        return source.deletingLastPathComponent()
            .appending(path: "Cassettes/\(source.deletingPathExtension().lastPathComponent)")
            .appending(path: "\(name).har")
    }

    /// Records or replays a call.
    public func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        switch role {
        case .recorder(let recorder): try await recorder.exchange(call)
        case .player(let player): try await player.exchange(call)
        }
    }

    /// The slots and the stored responses of the transport that is recorded, if any. Replays no stored responses.
    public var traits: TransportTraits {
        if case .recorder(let recorder) = role { recorder.traits } else { TransportTraits() }
    }

    /// Checks that every recorded request was sent, and no other, even if the test ignored an error.
    ///
    /// When recording, checks that every call has ended, and that everything was written.
    ///
    /// - Throws: ``CassetteError/unexpected(file:requests:)``, ``CassetteError/unplayed(file:requests:)``,
    ///   ``CassetteError/pending(file:requests:)`` or ``CassetteError/unwritable(file:reason:)``.
    public func verify() throws(CassetteError) {
        switch role {
        case .recorder(let recorder): try recorder.verify()
        case .player(let player): try player.verify()
        }
    }
}

/// An error of a ``Cassette``.
@nonexhaustive
public enum CassetteError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// The file to replay doesn't exist.
    case missing(file: String)
    /// The file can't be read as HAR.
    case unreadable(file: String, reason: String)
    /// The file can't be written.
    case unwritable(file: String, reason: String)
    /// Requests were sent that aren't in the recording.
    case unexpected(file: String, requests: [UnexpectedRequest])
    /// Requests in the recording weren't sent.
    case unplayed(file: String, requests: [String])
    /// Requests that were being recorded hadn't ended. The recording doesn't contain them.
    case pending(file: String, requests: [String])
    /// A response was recorded without its body: a browser dropped it, or wrote it to another file. This is the cause
    /// of the call's error.
    case bodyMissing(request: String, file: String?)

    /// A message that names the problem and the remedy.
    public var description: String {
        switch self {
        case .missing(let file):
            "There is no recording \(file). Record it first, with .record(through:) instead of .replay."
        case .unreadable(let file, let reason):
            "The recording \(file) cannot be read as HAR 1.2: \(reason)."
        case .unwritable(let file, let reason):
            "The recording \(file) cannot be written: \(reason)"
        case .unexpected(_, let requests):
            requests.map(\.description).joined(separator: "\n")
        case .unplayed(let file, let requests):
            "These requests of the recording \(file) were not sent:\n" + requests.joined(separator: "\n")
        case .pending(let file, let requests):
            "These requests had not ended when the recording \(file) was checked, so it does not contain them. Await "
                + "or cancel them first.\n" + requests.joined(separator: "\n")
        case .bodyMissing(let request, let file):
            "The recording does not contain the body of the response to \(request)"
                + (file.map { ", which is in the file \"\($0)\"" } ?? "") + ". Export it again with all bodies in it."
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension Cassette: CustomReflectable {
    /// No members: the recordings contain what was sent and received.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
