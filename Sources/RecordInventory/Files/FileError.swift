import Foundation

/// A file that could not be read or written, with the system's reason.
struct FileError: Error, Equatable, CustomStringConvertible {
    enum Action: String, Sendable {
        case read, written
    }

    /// `-` is standard input or standard output.
    let path: String
    let action: Action
    /// The system's `errno`.
    let code: Int32
    /// Where no file may be made, when that is the reason.
    var folder: String?

    /// Whether the reader of our output has gone, as `head` does: nothing to complain about.
    var isClosedPipe: Bool { code == EPIPE }

    var description: String { "\(Self.name(of: path, action)) could not be \(action.rawValue): \(reason)" }

    /// What a message calls a file.
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
        case EPIPE: "nobody is reading any more"
        default: String(cString: strerror(code))
        }
    }
}
