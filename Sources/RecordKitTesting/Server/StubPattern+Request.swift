import Foundation
import RecordKit

extension StubPattern {
    /// The one request that this value makes: the same method, URL and body, and at least the headers that it sets itself.
    ///
    /// JSON bodies are compared by what they mean. Multipart bodies, files and streams are not compared.
    ///
    /// - Throws: `NetworkError.invalidRequest`.
    init(_ request: some NetworkRequest, in environment: NetworkEnvironment?) throws(NetworkError) {
        let call = try request.call(in: environment)
        self.init(call.method, "")
        isExact = true
        origin = Self.origin(of: call.url)
        path = call.url.path(percentEncoded: true)
        query = FormText.items(call.url.query(percentEncoded: true) ?? "")
        headers = request.headers
        name = "\(call.name) (\(call.method) \(path))"
        bodyDifference = BodyComparison.difference(from: call.body)
    }
}

/// Bodies that ought to be the same.
enum BodyComparison {
    static func difference(from body: EncodedBody?) -> (@Sendable (StubRequest) -> StubDifference?)? {
        guard let body else { return { difference(from: Data(), nil, to: $0) } }
        let type = body.contentType.flatMap { MediaType($0) }
        guard case .data(let data) = body.content, type?.type != "multipart" else { return nil }
        return { difference(from: data, type, to: $0) }
    }

    /// JSON and forms by what they mean, anything else by its bytes.
    static func difference(from data: Data, _ type: MediaType?, to request: StubRequest) -> StubDifference? {
        if data == request.body { return nil }
        func isSecret(_ name: String) -> Bool { request.headers.isSecret(name) }
        if type?.isJSON == true, let expected = json(data), let received = json(request.body) {
            return JSONDifference.first(expected, received, isSecret: isSecret).map {
                StubDifference(part: .body(place: $0.place), expected: $0.expected, received: $0.received)
            }
        }
        return StubDifference(part: .body(place: ""), expected: size(data), received: size(request.body, beside: data))
    }

    private static func json(_ data: Data) -> Any? {
        try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    }

    private static func size(_ data: Data, beside other: Data? = nil) -> String {
        if data.isEmpty { return other == nil ? "none" : "missing" }
        return data.count == other?.count ? "other \(data.count) bytes" : "\(data.count) bytes"
    }
}
