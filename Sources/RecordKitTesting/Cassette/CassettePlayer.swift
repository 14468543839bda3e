import Foundation
import RecordKit
import Synchronization

/// Responds to calls from a recording.
final class CassettePlayer: Sendable {
    private let file: URL
    private let redaction: Redaction
    private let recordings: [Recording]
    /// The indices of the recordings that a request may match, in order, by method, origin and path.
    private let places: [String: [Int]]
    let unreadableEntries: [String]
    private let state = Mutex(State())

    private struct State {
        /// The indices of the recordings that were returned.
        var used: Set<Int> = []
        var unexpected: [UnexpectedRequest] = []
    }

    init(_ file: URL, _ redaction: Redaction) throws(CassetteError) {
        self.file = file
        self.redaction = redaction
        (recordings, unreadableEntries) = try Self.recordings(in: file, redaction)
        places = Dictionary(grouping: recordings.indices) { [recordings] in
            let pattern = recordings[$0].pattern
            return Self.place(pattern.method, pattern.origin, pattern.path)
        }
    }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        if Task.isCancelled { throw .cancelled }
        let sensitiveNames = call.headers.sensitiveNames
        let redaction = redaction.adding(sensitiveNames)
        let request = try await StubRequest(call).redacted(redaction)
        let recording: Recording
        do throws(UnexpectedRequest) {
            recording = try self.recording(for: request) {
                sensitiveNames.isEmpty ? $0.pattern : $0.patternWithout(redaction)
            }
        } catch {
            state.withLock { $0.unexpected.append(error) }
            throw .unexpected(error, by: "Cassette")
        }
        if case .failure(let cause as RecordedError) = recording.response.outcome {
            throw cause.error(of: call)
        }
        var response = try await recording.response.response(to: call)
        if let url = recording.url { response.url = url }
        return response
    }

    func verify() throws(CassetteError) {
        let (used, unexpected) = state.withLock { ($0.used, $0.unexpected) }
        if !unexpected.isEmpty { throw .unexpected(file: file.lastPathComponent, requests: unexpected) }
        let names = recordings.indices.filter { !used.contains($0) }.map { recordings[$0].pattern.name }
        if !names.isEmpty { throw .unplayed(file: file.lastPathComponent, requests: names) }
    }

    private func recording(
        for request: StubRequest, by pattern: (Recording) -> StubPattern
    ) throws(UnexpectedRequest) -> Recording {
        let url = request.url
        let place = Self.place(request.method, URLOrigin(url).description, url.path(percentEncoded: true))
        let places = places[place] ?? []
        let found = state.withLock { state -> Int? in
            let index = places.first {
                !state.used.contains($0) && pattern(recordings[$0]).differences(to: request).isEmpty
            }
            if let index { state.used.insert(index) }
            return index
        }
        if let found { return recordings[found] }
        let nearest = StubPattern.nearest(of: recordings.map(pattern), to: request)
        throw UnexpectedRequest(
            request: request.description, nearest: nearest?.name, differences: nearest?.differences ?? [],
            expectation: .recording(
                file: file.lastPathComponent, isSpent: nearest?.differences.isEmpty == true,
                unreadable: unreadableEntries))
    }

    private static func place(_ method: HTTPMethod?, _ origin: String?, _ path: String) -> String {
        "\(method ?? "") \(origin ?? "") \(path.removingPercentEncoding ?? path)"
    }

    private static func recordings(
        in file: URL, _ redaction: Redaction
    ) throws(CassetteError) -> (recordings: [Recording], unreadable: [String]) {
        let data: Data
        do throws(StubError) {
            data = try StubFile.contents(of: file)
        } catch {
            if case .unreadableFile(let path, let reason) = error { throw .unreadable(file: path, reason: reason) }
            throw .missing(file: file.path)
        }
        let entries: [Result<HTTPArchive.Entry, any Error>]
        do {
            entries = try HTTPArchive.entries(in: data)
        } catch {
            throw .unreadable(file: file.path, reason: reason(for: error, in: data))
        }
        var recordings: [Recording] = []
        var unreadable: [String] = []
        for (index, entry) in entries.enumerated() {
            do {
                let recording = try Recording(entry.get(), number: index + 1, redaction)
                if let recording { recordings.append(recording) }
            } catch let error as Recording.Unreadable {
                unreadable.append("log.entries[\(index)]: \(error.reason)")
            } catch {
                unreadable.append(reason(for: error))
            }
        }
        if recordings.isEmpty, let reason = unreadable.first { throw .unreadable(file: file.path, reason: reason) }
        return (recordings, unreadable)
    }

    /// Returns the coding path and what is wrong there.
    private static func reason(for error: any Error) -> String {
        let (context, missing): (DecodingError.Context, (any CodingKey)?)
        switch error {
        case DecodingError.keyNotFound(let key, let place): (context, missing) = (place, key)
        case DecodingError.typeMismatch(_, let place), DecodingError.valueNotFound(_, let place),
            DecodingError.dataCorrupted(let place):
            (context, missing) = (place, nil)
        default: return error.localizedDescription
        }
        let path = context.codingPath.reduce(into: "") { text, key in
            text += key.intValue.map { "[\($0)]" } ?? (text.isEmpty ? key.stringValue : ".\(key.stringValue)")
        }
        if let missing { return "\(path) has no \"\(missing.stringValue)\"" }
        return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
    }

    /// Returns what is wrong with a file. Unlike `JSONDecoder`, `JSONSerialization` reports where invalid JSON is, such
    /// as the markers of a merge conflict.
    private static func reason(for error: any Error, in data: Data) -> String {
        do {
            _ = try JSONSerialization.jsonObject(with: data)
        } catch {
            if let fault = (error as NSError).userInfo["NSDebugDescription"] as? String {
                return "it isn't valid JSON: \(fault.withoutPeriod)"
            }
        }
        return reason(for: error)
    }
}

extension StubRequest {
    /// Returns the request as it would be recorded.
    fileprivate func redacted(_ redaction: Redaction) -> StubRequest {
        StubRequest(
            method: method, url: URL(string: redaction.url(url)) ?? url, headers: headers,
            body: redaction.body(body, mediaType), request: request)
    }
}
