import XCTest

/// The files in `Samples/`.
enum Sample {
    static func url(_ name: String) throws -> URL {
        try XCTUnwrap(Bundle.module.resourceURL).appendingPathComponent("Samples/\(name)")
    }
}
