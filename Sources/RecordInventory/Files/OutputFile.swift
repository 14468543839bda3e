import Foundation

/// A file that replaces the old one only when it is complete, or standard output (`-`).
///
/// Writes to a temporary file beside it. If writing fails or is abandoned, the old file stays. Writes directly to
/// devices and pipes. A link keeps pointing to its target.
final class OutputFile {
    /// Whether ``finish()`` replaces an existing file.
    let replacesFile: Bool
    private let path: String
    private let descriptor: Descriptor
    /// The file that replaces the old one at the end. `nil` for a device, a pipe and standard output.
    private let replacement: ReplacementFile?
    private var buffer: [UInt8] = []

    init(_ path: String) throws(FileError) {
        self.path = path
        var status = stat()
        if path == "-" {
            descriptor = Descriptor(borrowing: STDOUT_FILENO)
            (replacement, replacesFile) = (nil, false)
        } else if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            // A folder fails here too, since it cannot be opened for writing.
            guard access(path, W_OK) == 0, let device = Descriptor(opening: path, O_WRONLY) else {
                throw FileError(path: path, action: .written, code: errno)
            }
            descriptor = device
            (replacement, replacesFile) = (nil, false)
        } else {
            let file = try ReplacementFile(for: path)
            descriptor = file.descriptor
            (replacement, replacesFile) = (file, file.earlier != nil)
        }
    }

    /// Writes a whole file, and makes its folder if that is missing.
    static func write(_ text: String, to path: String) throws {
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch let error as CocoaError {
            let code = (error.underlying as? POSIXError)?.code.rawValue ?? EACCES
            throw FileError(path: path, action: .written, code: code)
        }
        let file = try OutputFile(path)
        try file.write(text.utf8)
        try file.finish()
    }

    func write(_ bytes: some Collection<UInt8>) throws(FileError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= 65_536 { try flush() }
    }

    /// Completes the file and moves it to its path. Without this call nothing is written, except to a device, a pipe or
    /// standard output.
    func finish() throws(FileError) {
        try flush()
        try replacement?.finish()
    }

    private func flush() throws(FileError) {
        guard descriptor.write(buffer) else { throw FileError(path: path, action: .written, code: errno) }
        buffer.removeAll(keepingCapacity: true)
    }
}
