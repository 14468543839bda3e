import Foundation

extension Workload {
    static let coldBuild = Workload(
        name: "cold-build", title: "hello world built from nothing in release, the processor's time", unit: "s",
        count: 1, quickCount: 0
    ) {
        try packages().map { name, isReference, package in
            Client(name, isReference: isReference) { _ in try package.build() }
        }
    }

    static let size = Workload(
        name: "size", title: "hello world in release, stripped, without the Swift runtime", unit: "KB", count: 1,
        quickCount: 0, rounds: 1
    ) {
        try packages().map { name, isReference, package in
            Client(name, isReference: isReference) { _ in
                _ = try package.build()
                return try package.strippedSize()
            }
        }
    }

    private static func packages() throws -> [(String, Bool, HelloPackage)] {
        let root = URL(filePath: FileManager.default.currentDirectoryPath)
        return [("URLSession", true, try HelloPackage(nil)), ("RecordKit", false, try HelloPackage(root))]
    }
}
