import Foundation

/// A package with an executable that sends one GET request, built in a folder of its own.
final class HelloPackage: Sendable {
    private let folder: URL
    private let dependency: URL?
    private var package: String { folder.path }

    /// - Parameter dependency: RecordKit's folder. `nil` sends the request with URLSession alone.
    init(_ dependency: URL?) throws {
        self.dependency = dependency
        folder = FileManager.default.temporaryDirectory.appending(path: "benchmark-\(UUID().uuidString)")
        let sources = folder.appending(path: "Sources/Hello")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try Data(manifest.utf8).write(to: folder.appending(path: "Package.swift"))
        try Data((dependency == nil ? Self.raw : Self.recordKit).utf8).write(to: sources.appending(path: "main.swift"))
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Builds the package from scratch. Returns the processor time, in seconds.
    func build() throws -> Double {
        try? FileManager.default.removeItem(at: folder.appending(path: ".build"))
        let before = childrenSeconds()
        try Command.run("swift", arguments)
        return childrenSeconds() - before
    }

    /// Returns the size of the stripped executable in kilobytes, without the Swift runtime.
    func strippedSize() throws -> Double {
        let folder = String(decoding: try Command.run("swift", arguments + ["--show-bin-path"]), as: UTF8.self)
        let stripped = self.folder.appending(path: "Hello").path
        try Command.run("strip", ["-o", stripped, folder.trimmingCharacters(in: .whitespacesAndNewlines) + "/Hello"])
        let size = try FileManager.default.attributesOfItem(atPath: stripped)[.size] as? Int
        return Double(size ?? 0) / 1_000
    }

    private var arguments: [String] { ["build", "--configuration", "release", "--package-path", package, "--quiet"] }

    private func childrenSeconds() -> Double {
        #if canImport(Darwin)
        let who = RUSAGE_CHILDREN
        #else
        let who = RUSAGE_CHILDREN.rawValue
        #endif
        var usage = rusage()
        getrusage(who, &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    private var manifest: String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "Hello",
            platforms: [.macOS(.v15)],
            dependencies: [\(dependency.map { ".package(name: \"RecordKit\", path: \"\($0.path)\")" } ?? "")],
            targets: [
                .executableTarget(
                    name: "Hello",
                    dependencies: [\(dependency == nil ? "" : ".product(name: \"RecordKit\", package: \"RecordKit\")")]
                )
            ]
        )
        """
    }

    private static let raw = """
        import Foundation

        #if canImport(FoundationNetworking)
        import FoundationNetworking
        #endif

        struct Greeting: Decodable, Sendable {
            var text: String
        }

        let (data, _) = try await URLSession.shared.data(from: URL(string: "https://store.example/hello")!)
        print(try JSONDecoder().decode(Greeting.self, from: data).text)
        """

    private static let recordKit = """
        import RecordKit

        struct Greeting: Decodable, Sendable {
            var text: String
        }

        enum Hello: NetworkRequest {
            typealias ValueType = Greeting
            typealias ErrorType = NetworkError

            case fetch

            var baseURL: String { "https://store.example" }
            var path: RequestPath { "hello" }
        }

        print(try await NetworkManager<Hello>().value(for: .fetch).text)
        """
}
