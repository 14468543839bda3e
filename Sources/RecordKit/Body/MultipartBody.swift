public import Foundation

/// A form with files as a body: `multipart/form-data` (RFC 7578).
///
/// ```swift
/// MultipartBody([
///     .text("caption", "Front"),
///     .file("cover", url, contentType: "image/jpeg"),
/// ])
/// ```
///
/// A file is read while it is sent, and a stream is first read into a file, so both need little memory. The length of
/// the body is sent in `Content-Length`, and the body can be sent again. Neither holds with a part that is a live
/// stream; see
/// ``StreamBody``.
///
/// Each encoding creates a new boundary with 32 random letters and digits.
public struct MultipartBody: NetworkEncodable, Sendable {
    /// A part of a multipart body: a field or a file of a form.
    public struct Part: Sendable {
        /// The source of the bytes.
        enum Content: Sendable {
            /// Bytes in memory.
            case data(Data)
            /// The file URL of a regular file.
            case file(URL)
            case stream(StreamBody)
        }

        let name: String
        let fileName: String?
        let contentType: String?
        let content: Content

        /// Creates a field with a string value.
        ///
        /// The part has no `Content-Type`, as in browsers.
        ///
        /// - Parameters:
        ///   - name: The name of the field.
        ///   - text: The value. It is sent as UTF-8.
        public static func text(_ name: String, _ text: String) -> Part {
            Part(name: name, fileName: nil, contentType: nil, content: .data(Data(text: text)))
        }

        /// Creates a part from bytes in memory.
        ///
        /// - Parameters:
        ///   - name: The name of the field.
        ///   - data: The bytes.
        ///   - fileName: The file name. With a file name, a server treats the part as a file.
        ///   - contentType: The media type of the part.
        public static func data(
            _ name: String, _ data: Data, fileName: String? = nil, contentType: String = "application/octet-stream"
        ) -> Part {
            Part(name: name, fileName: fileName, contentType: contentType, content: .data(data))
        }

        /// Creates a part from a file.
        ///
        /// - Parameters:
        ///   - name: The name of the field.
        ///   - file: The file URL of a regular file.
        ///   - fileName: The file name that is sent. By default, the last path component of the URL.
        ///   - contentType: The media type of the part.
        public static func file(
            _ name: String, _ file: URL, fileName: String? = nil, contentType: String = "application/octet-stream"
        ) -> Part {
            let fileName = fileName ?? file.lastPathComponent
            return Part(name: name, fileName: fileName, contentType: contentType, content: .file(file))
        }

        /// Creates a part from a stream. It is read into a file first, unless it is live.
        ///
        /// - Parameters:
        ///   - name: The name of the field.
        ///   - body: The stream. The content type of the part isn't taken from it.
        ///   - fileName: The file name. With a file name, a server treats the part as a file.
        ///   - contentType: The media type of the part.
        public static func stream(
            _ name: String, _ body: StreamBody, fileName: String? = nil,
            contentType: String = "application/octet-stream"
        ) -> Part {
            Part(name: name, fileName: fileName, contentType: contentType, content: .stream(body))
        }
    }

    private let parts: [Part]

    /// Creates a body from parts, in order.
    public init(_ parts: [Part]) {
        self.parts = parts
    }

    /// Returns the encoded parts.
    ///
    /// - Throws: ``NetworkError/InvalidRequest`` if a file cannot be read, or if a content type is not a media type.
    public func encoded(using encoder: any NetworkEncoder) throws -> EncodedBody {
        let heads = try parts.map { try $0.head }
        let boundary = Self.makeBoundary()
        var pieces: [EncodedBody.Piece] = []
        // Joins adjacent parts in memory to one piece.
        var memory = Data()
        for (part, head) in zip(parts, heads) {
            memory += Data(text: "--\(boundary)\r\n\(head)\r\n")
            switch part.content {
            case .data(let data): memory.append(data)
            case .file(let url):
                pieces += [.data(memory), .file(try EncodedBody.File(url))]
                memory = Data()
            case .stream(let body):
                pieces += [.data(memory), body.piece]
                memory = Data()
            }
            memory += Data(text: "\r\n")
        }
        memory += Data(text: "--\(boundary)--\r\n")
        let contentType = "multipart/form-data; boundary=\(boundary)"
        if pieces.isEmpty { return EncodedBody(memory, contentType: contentType) }
        pieces.append(.data(memory))
        return EncodedBody(.pieces(pieces), contentType: contentType)
    }

    /// The characters of a boundary.
    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    /// Returns a boundary of 190 random bits, which occurs in no part.
    private static func makeBoundary() -> String {
        "RecordKit-" + String((0..<32).compactMap { _ in letters.randomElement() })
    }
}

extension MultipartBody.Part {
    /// The header lines of the part (RFC 7578 section 4.2).
    fileprivate var head: String {
        get throws(NetworkError.InvalidRequest) {
            var head = "Content-Disposition: form-data; name=\"\(Self.escaped(Self.withCRLF(name)))\""
            if let fileName { head += "; filename=\"\(Self.escaped(fileName))\"" }
            head += "\r\n"
            guard let contentType else { return head }
            guard MediaType.isValid(contentType) else {
                throw .invalid(.body, "the content type of the part \"\(name)\" is not a media type")
            }
            return head + "Content-Type: \(contentType)\r\n"
        }
    }

    /// Percent-encodes only quotes and line breaks, as browsers do (WHATWG HTML, section "Multipart form data").
    private static func escaped(_ text: String) -> String {
        PercentEncoding.encoded(text, allowed: quotable)
    }

    /// Every byte except the quote, the line feed and the carriage return.
    private static let quotable = ByteSet("\0"..."\t", "\u{B}"..."\u{C}", "\u{E}"..."!", "#"..."\u{FF}")

    /// Replaces each line break with CR LF, as browsers do in the name of a field.
    private static func withCRLF(_ text: String) -> String {
        // A CR LF is one Character.
        text.replacing("\r", with: "\r\n").replacing("\n", with: "\r\n")
    }
}
