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
