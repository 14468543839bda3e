import Foundation
import RecordKit
import RecordKitDigest

/// The request for a WebSocket, and the check of the response to it (RFC 6455 section 4).
struct UpgradeRequest {
    private let call: NetworkCall
    private let key: String

    /// Creates a request with a random key.
    ///
    /// - Throws: `NetworkError.invalidRequest(_:)` if the call can't ask for a WebSocket.
    init(_ call: NetworkCall) throws(NetworkError) {
        func invalid(_ member: NetworkError.InvalidRequest.Member, _ reason: String) -> NetworkError {
            .invalidRequest(NetworkError.InvalidRequest(request: call.name, member: member, reason: reason))
        }
        if call.method != .get { throw invalid(.method, "a WebSocket begins with a GET, not with a \(call.method)") }
        if call.body != nil { throw invalid(.body, "the request for a WebSocket has no body; remove it") }
        for name in ["Upgrade", "Connection"] + ["Key", "Version", "Extensions"].map({ "Sec-WebSocket-\($0)" })
        where call.headers.contains(name) {
            throw invalid(.headers, "\(name) is set by the transport; remove it")
        }
        self.call = call
        key = Data((0..<16).map { _ in UInt8.random(in: 0 ... .max) }).base64EncodedString()
    }

    /// The bytes of the request.
    var bytes: Data {
        var target = call.url.path(percentEncoded: true)
        if target.isEmpty { target = "/" }
        if let query = call.url.query(percentEncoded: true) { target += "?\(query)" }
        var lines = ["GET \(target) HTTP/1.1"]
        if !call.headers.contains("Host") { lines.append("Host: \(host)") }
        lines += [
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
        ]
        lines += call.headers.fieldsWithOneCookie.map { "\($0.name): \($0.value)" }
        return Data((lines + ["", ""]).joined(separator: "\r\n").utf8)
    }

    /// The host, with the port if that isn't the default of the scheme.
    private var host: String {
        let name = call.url.host(percentEncoded: true) ?? ""
        let host = name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name
        guard let port = call.url.port, port != (call.url.scheme == "https" ? 443 : 80) else { return host }
        return "\(host):\(port)"
    }

    /// Returns what is wrong with a response of status 101, or `nil` if it accepts the request.
    func fault(of response: NetworkResponse) -> String? {
        let headers = response.headers
        if headers["Upgrade"]?.lowercased() != "websocket" { return "its Upgrade field does not name WebSocket" }
        if !Self.items(headers["Connection"]).contains("upgrade") { return "its Connection field lacks Upgrade" }
        let digest = MessageDigest.of(Data("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8), .sha1)
        let accept = Data(digest.bytes).base64EncodedString()
        if headers["Sec-WebSocket-Accept"] != accept { return "its Sec-WebSocket-Accept is not that of the key" }
        if headers.contains("Sec-WebSocket-Extensions") { return "it has extensions that the request did not offer" }
        if let chosen = headers["Sec-WebSocket-Protocol"],
            !Self.items(call.headers["Sec-WebSocket-Protocol"]).contains(chosen.lowercased())
        {
            return "its subprotocol is none that the request offered"
        }
        return nil
    }

    /// Returns the items of a field in lower case.
    private static func items(_ value: String?) -> [String] {
        (value ?? "").lowercased().split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
