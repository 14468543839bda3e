import Foundation

/// A file that could not be read or written, with the reason of the system.
struct FileError: Error, Equatable, CustomStringConvertible {
    enum Action: String, Sendable {
        case read, written
    }

    /// The path. `-` is standard input or standard output.
    let path: String
    let action: Action
    /// The `errno` of the system.
    let code: Int32
    /// The folder in which no file may be created, if that is the reason.
    var folder: String?

    /// Whether the reader of the output has gone, as with `head`. That is no error to report.
    var isClosedPipe: Bool { code == EPIPE }

    var description: String { "\(Self.name(of: path, action)) could not be \(action.rawValue): \(reason)" }

    /// Returns the name of a file in messages.
    static func name(of path: String, _ action: Action) -> String {
        path == "-" ? (action == .read ? "standard input" : "standard output") : path.printable
    }

    private var reason: String {
        switch code {
        case ENOENT where action == .read: "there is no such file"
        case ENOENT: "its folder does not exist"
        case EACCES, EPERM:
            "you are not allowed to" + (folder.map { " make files in its folder \($0.printable)" } ?? "")
        case EISDIR: "it is a folder"
        case ENOSPC, EDQUOT: "the disk is full"
        case EROFS: "the disk is read-only"
        case ELOOP: "its links lead in a circle"
        case EPIPE: "the reader has gone"
        default: String(cString: strerror(code))
        }
    }
}
