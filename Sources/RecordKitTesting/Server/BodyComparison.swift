import Foundation
import RecordKit

/// Bodies that ought to be the same.
enum BodyComparison {
    /// - Parameter call: what the request makes; a header of its own says what its body is.
    static func difference(from call: NetworkCall) -> (@Sendable (StubRequest) -> StubDifference?)? {
        guard let body = call.body else { return { difference(from: Data(), nil, to: $0) } }
        let type = (call.headers["Content-Type"] ?? body.contentType).flatMap { MediaType($0) }
        guard case .data(let data) = body.content, type?.type != "multipart" else { return nil }
        return { difference(from: data, type, to: $0) }
    }

    /// JSON and forms by what they mean, multipart bodies without their boundaries, anything else by its bytes.
    static func difference(from data: Data, _ type: MediaType?, to request: StubRequest) -> StubDifference? {
        if data == request.body { return nil }
        func isSecret(_ name: String) -> Bool { request.headers.isSecret(name) }
        if type?.isJSON == true, let expected = json(data), let received = json(request.body) {
            return JSONDifference.first(expected, received, isSecret: isSecret).map {
                StubDifference(part: .body(place: $0.place), expected: $0.expected, received: $0.received)
            }
        }
        if isForm(type), isForm(request.mediaType) {
            return formDifference(from: String(decoding: data, as: UTF8.self), to: request)
        }
        if type?.type == "multipart", withoutBoundary(data, type) == withoutBoundary(request.body, request.mediaType) {
            return nil
        }
        return StubDifference(part: .body(place: ""), expected: size(data), received: size(request.body, beside: data))
    }

    private static func json(_ data: Data) -> Any? {
        try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    }

    private static func isForm(_ type: MediaType?) -> Bool {
        type?.essence == "application/x-www-form-urlencoded"
    }

    /// The first field with other values. The order of the fields does not count, that of the values of one does.
    private static func formDifference(from text: String, to request: StubRequest) -> StubDifference? {
        let (expected, received) = (FormText.items(text), request.form)
        for item in expected + received {
            let one = expected.filter { $0.name == item.name }.map(\.value)
            let other = received.filter { $0.name == item.name }.map(\.value)
            if one == other { continue }
            return StubDifference(
                .body(place: item.name), expected: one, received: other,
                isSecret: request.headers.isSecret(item.name))
        }
        return nil
    }

    /// A boundary is made anew for each body.
    private static func withoutBoundary(_ data: Data, _ type: MediaType?) -> Data {
        guard let boundary = type?.parameters["boundary"], !boundary.isEmpty else { return data }
        let delimiter = Data("--\(boundary)".utf8)
        var rest = data
        var kept = Data()
        while let found = rest.range(of: delimiter) {
            kept += rest[..<found.lowerBound] + Data("--".utf8)
            rest = rest[found.upperBound...]
        }
        return kept + rest
    }

    private static func size(_ data: Data, beside other: Data? = nil) -> String? {
        if data.isEmpty { return nil }
        return data.count == other?.count ? "other \(data.count) bytes" : "\(data.count) bytes"
    }
}
