public import Foundation

/// Several parts as one body, `multipart/form-data` (RFC 7578): how a form with files is sent.
///
/// ```swift
/// MultipartBody([
///     .text("caption", "Front"),
///     .file("cover", url, contentType: "image/jpeg"),
/// ])
/// ```
///
/// Files are read as they are sent, never wholly in memory; the whole has a `Content-Length`, and can be sent again.
/// The boundary is made anew each time, with 32 random letters and digits, and occurs in no text and no data of the
/// parts.
public struct MultipartBody: NetworkEncodable, Sendable {
    /// One part: a field of the form.
    public struct Part: Sendable {
        enum Content: Sendable {
            case data(Data)
            case file(URL)
        }

        let name: String
        let fileName: String?
        let contentType: String?
        let content: Content

        /// A text in UTF-8, byte for byte, without a content type of its own, as browsers send a field.
        public static func text(_ name: String, _ text: String) -> Part {
            Part(name: name, fileName: nil, contentType: nil, content: .data(Data(text: text)))
        }

        /// Bytes; with a file name they are to be taken for a file.
        public static func data(
            _ name: String, _ data: Data, fileName: String? = nil, contentType: String = "application/octet-stream"
        ) -> Part {
            Part(name: name, fileName: fileName, contentType: contentType, content: .data(data))
        }

        /// A file, whose name the server is told as `fileName`; nil, the default, is the last component of the URL.
        public static func file(
            _ name: String, _ file: URL, fileName: String? = nil, contentType: String = "application/octet-stream"
        ) -> Part {
            let fileName = fileName ?? file.lastPathComponent
            return Part(name: name, fileName: fileName, contentType: contentType, content: .file(file))
        }
    }

    private let parts: [Part]

    public init(_ parts: [Part]) {
        self.parts = parts
    }

    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        let heads = try parts.map { try $0.head }
        let boundary = makeBoundary(besides: heads)
        var pieces: [EncodedBody.Piece] = []
        // Neighbours in memory become one piece.
        var memory = Data()
        for (part, head) in zip(parts, heads) {
            memory.append(text: "--\(boundary)\r\n\(head)\r\n")
            switch part.content {
            case .data(let data): memory.append(data)
            case .file(let url):
                pieces.append(.data(memory))
                pieces.append(.file(try EncodedBody.File(url)))
                memory = Data()
            }
            memory.append(text: "\r\n")
        }
        memory.append(text: "--\(boundary)--\r\n")
        let contentType = "multipart/form-data; boundary=\(boundary)"
        if pieces.isEmpty { return EncodedBody(memory, contentType: contentType) }
        pieces.append(.data(memory))
        return EncodedBody(.pieces(pieces), contentType: contentType)
    }

    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    private func makeBoundary(besides heads: [String]) -> String {
        while true {
            let boundary = "RecordKit-" + String((0..<32).compactMap { _ in Self.letters.randomElement() })
            let bytes = Data(text: boundary)
            let isFree = zip(parts, heads).allSatisfy { part, head in
                if case .data(let data) = part.content, data.range(of: bytes) != nil { return false }
                return !head.contains(boundary)
            }
            if isFree { return boundary }
        }
    }
}

extension MultipartBody.Part {
    /// Its header lines (RFC 7578 section 4.2).
    fileprivate var head: String {
        get throws(NetworkError.InvalidRequest) {
            var head = "Content-Disposition: form-data; name=\"\(Self.escaped(Self.withCRLF(name)))\""
            if let fileName { head += "; filename=\"\(Self.escaped(fileName))\"" }
            head += "\r\n"
            guard let contentType else { return head }
            guard MediaType.isValid(contentType) else {
                throw NetworkError.InvalidRequest(
                    member: .body, reason: "the content type of the part \"\(name)\" is no media type")
            }
            return head + "Content-Type: \(contentType)\r\n"
        }
    }

    /// As browsers do: what would end the quotes or the line is percent-encoded, and nothing else (WHATWG HTML, section
    /// "Multipart form data").
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        PercentEncoding.append(text, to: &escaped, allowed: quotable)
        return escaped
    }

    private static let quotable = ByteSet("\0"..."\t", "\u{B}"..."\u{C}", "\u{E}"..."!", "#"..."\u{FF}")

    /// Browsers make each line break of a name a CR LF.
    private static func withCRLF(_ text: String) -> String {
        var result = ""
        var last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where last == "\r": break
            case "\r", "\n": result += "\r\n"
            default: result.unicodeScalars.append(scalar)
            }
            last = scalar
        }
        return result
    }
}

extension Data {
    fileprivate mutating func append(text: String) {
        append(Data(text: text))
    }
}
