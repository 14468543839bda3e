// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "RecordKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "RecordKit", targets: ["RecordKit"]),
        .library(name: "RecordKitTesting", targets: ["RecordKitTesting"]),
        .executable(name: "record-inventory", targets: ["RecordInventory"]),
    ],
    targets: [
        .target(name: "RecordKit"),
        .target(name: "RecordKitTesting", dependencies: ["RecordKit"]),
        .systemLibrary(
            name: "CSQLite",
            providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite"])]
        ),
        .executableTarget(name: "RecordInventory", dependencies: ["RecordKit", "CSQLite"]),
        .executableTarget(
            name: "Benchmark", dependencies: ["RecordKit", "RecordKitTesting"], path: "Scripts/Benchmarks"),
        .testTarget(
            name: "RecordKitTests",
            dependencies: ["RecordKit", "RecordKitTesting"],
            resources: [.copy("Examples/UserMocks")]
        ),
        .testTarget(
            name: "RecordKitTestingTests",
            dependencies: ["RecordKit", "RecordKitTesting"],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "MainActorTests",
            dependencies: ["RecordKit", "RecordKitTesting"],
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
        .testTarget(
            name: "RecordInventoryTests",
            dependencies: ["RecordInventory", "RecordKit", "RecordKitTesting"],
            resources: [.copy("Samples")]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
        ]
}
