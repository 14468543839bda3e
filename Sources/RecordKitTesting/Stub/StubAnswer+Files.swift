public import Foundation

extension StubAnswer {
    /// What a file holds, as the media type that its extension stands for.
    ///
    /// - Throws: `StubError.missingFile` or `StubError.unreadableFile`.
    public static func file(_ file: URL, status: Int = 200) throws -> StubAnswer {
        .data(try StubFile.contents(of: file), contentType: StubFile.mediaType(of: file), status: status)
    }

    /// What a file in a bundle holds: `.file("Fixtures/record.json", in: .module)`.
    ///
    /// - Throws: `StubError.missingFile` or `StubError.unreadableFile`.
    public static func file(_ path: String, in bundle: Bundle, status: Int = 200) throws -> StubAnswer {
        try .file((bundle.resourceURL ?? bundle.bundleURL).appending(path: path), status: status)
    }
}

/// Files as bodies of answers.
enum StubFile {
    static func contents(of file: URL) throws(StubError) -> Data {
        do {
            return try Data(contentsOf: file)
        } catch {
            if !FileManager.default.fileExists(atPath: file.path) {
                throw .missingFile(file.lastPathComponent, folder: file.deletingLastPathComponent().path)
            }
            throw .unreadableFile(file.path, reason: error.localizedDescription)
        }
    }

    static func mediaType(of file: URL) -> String {
        switch file.pathExtension.lowercased() {
        case "json", "har": "application/json"
        case "xml": "application/xml"
        case "html", "htm": "text/html; charset=utf-8"
        case "txt": "text/plain; charset=utf-8"
        case "csv": "text/csv; charset=utf-8"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "gif": "image/gif"
        case "svg": "image/svg+xml"
        case "pdf": "application/pdf"
        default: "application/octet-stream"
        }
    }
}
