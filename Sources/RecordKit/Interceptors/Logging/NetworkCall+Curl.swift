import Foundation

extension NetworkCall {
    /// The call as a command for a POSIX shell, which runs as it is printed.
    ///
    /// Every secret is a variable, named for its header, query item or field, to be set before:
    ///
    /// ```
    /// curl --header 'Authorization: '"$AUTHORIZATION" 'https://store.example/v1/records/LP-0042'
    /// ```
    ///
    /// The value of a header's variable is the whole value of the header. A body whose type does not tell where its
    /// secrets are is searched as plain text; one that is no text is printed whole, in base64. Files are named; a stream
    /// is taken from standard input. The transport's own headers, and redirects, are left to curl.
    public var curl: String {
        CurlCommand(self).text
    }
}
