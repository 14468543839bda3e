// swift-tools-version: 6.2.3
import PackageDescription

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "RecordKit", path: "..")],
    targets: [
        .executableTarget(
            name: "TypedErrors",
            dependencies: [
                .product(name: "RecordKit", package: "RecordKit"),
                .product(name: "RecordKitInterceptors", package: "RecordKit"),
            ]),
        .executableTarget(
            name: "Chat",
            dependencies: [
                .product(name: "RecordKit", package: "RecordKit"),
                .product(name: "RecordKitStreaming", package: "RecordKit"),
            ]),
        .executableTarget(
            name: "Till",
            dependencies: [
                .product(name: "RecordKit", package: "RecordKit"),
                .product(name: "RecordKitOutbox", package: "RecordKit"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
