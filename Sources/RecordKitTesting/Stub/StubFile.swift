import Foundation

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
