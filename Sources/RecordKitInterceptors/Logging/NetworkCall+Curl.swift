import Foundation
public import RecordKit

extension NetworkCall {
    /// The call as a command for a POSIX shell, which runs as it is printed.
    ///
    /// Every sensitive value is a variable, named for its header, query item or body field, to be set before:
    ///
    /// ```
    /// curl --header 'Authorization: '"$AUTHORIZATION" 'https://store.example/v1/records/LP-0042'
    /// ```
    ///
    /// The value of a header's variable is the whole value of the header. Body fields are those of JSON and of forms; any
    /// other body is printed whole, in base64 if it is no text. Files are named; a stream is taken from standard input.
    /// The transport's own headers, and redirects, are left to curl.
    public var curl: String {
        CurlCommand(self).text
    }
}
