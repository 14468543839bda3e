public import Foundation

extension NetworkError {
    /// A file that could not be written, or whose content is wrong.
    public struct FileFailure: Error, Sendable, TextConvertible {
        /// The reasons why a file could not be written.
        @nonexhaustive
        public enum Reason: Sendable, Hashable {
            /// The URL isn't that of a file: it has another scheme, or a folder or a device is at its path.
            case notAFile
            /// The folder of the file doesn't exist.
            case noFolder
            /// The permissions don't allow it.
            case notPermitted
            /// The disk is full, or a quota or the largest size of a file is reached.
            case noSpace
            /// Another download to the same file is running, in this process or in another one.
            case inUse
            /// The partial file of a download belongs to another user, or has a second link, and can't be removed.
            case ofAnotherUser
            /// The content has another checksum. Both are the name of the algorithm, a colon and hexadecimal digits.
            case wrongChecksum(expected: String, actual: String)
            /// The body of the response with this 2xx status isn't certainly the whole file.
            ///
            /// A 202, 204 or 205 has another body, or none. Another response names only a part in `Content-Range`, or
            /// has the entity tag of a file of another length.
            case notTheWholeFile(status: Int)
            /// Any other reason. See ``FileFailure/cause``.
            case other
        }

        /// The name of the file, without its folder.
        public let fileName: String
        /// The reason of the failure.
        public let reason: Reason
        /// The error of the system, if any.
        public let cause: (any Error)?

        /// Creates the failure of one file.
        ///
        /// - Parameters:
        ///   - fileName: The name of the file, without its folder.
        ///   - reason: The reason of the failure.
        ///   - cause: The error of the system.
        public init(fileName: String, reason: Reason, cause: (any Error)? = nil) {
            self.fileName = fileName
            self.reason = reason
            self.cause = cause
        }

        /// Creates the failure of a system call.
        ///
        /// - Parameters:
        ///   - file: The file URL.
        ///   - code: The value of `errno`.
        public init(_ file: URL, code: Int32) {
            let reason: Reason =
                switch code {
                case ENOENT, ENOTDIR: .noFolder
                case EACCES, EPERM, EROFS: .notPermitted
                case ENOSPC, EDQUOT, EFBIG: .noSpace
                case EISDIR, ELOOP: .notAFile
                default: .other
                }
            self.init(
                fileName: file.lastPathComponent, reason: reason,
                cause: POSIXErrorCode(rawValue: code).map { POSIXError($0) })
        }

        /// The sentence with the file, the reason and what to do.
        var text: String { "The file \(PlainText.quotable(fileName)) could not be written: \(why)." }

        private var why: String {
            switch reason {
            case .notAFile: "there is no regular file at its URL; use the file URL of a file or of a new one"
            case .noFolder: "its folder does not exist; create it first"
            case .notPermitted: "the permissions do not allow it; check those of its folder"
            case .noSpace: "no space is left; free some and call again"
            case .inUse: "another download to it is running; wait for its end, or use another file"
            case .ofAnotherUser:
                "\(PlainText.quotable(fileName)).partial beside it belongs to another user, or has a second link; "
                    + "remove it, or use a folder that only you can write to"
            case .wrongChecksum(let expected, let actual):
                "the checksum is \(actual), but \(PlainText.quotable(expected)) is expected; download it again"
            case .notTheWholeFile(let status):
                "the response with status \(status) does not certainly contain the whole file; check what the server "
                    + "sends, or call again later"
            case .other: cause.map { "\($0.localizedDescription)" } ?? "an unknown error"
            }
        }
    }
}
