// swift-tools-version: 6.2.3
// @nonexhaustive requires Swift 6.2.3 (SE-0487).
import PackageDescription

let package = Package(
    name: "RecordKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        // In the order of the documentation, each after those that it uses. Scripts/modules reads these lines.
        .library(name: "RecordKit", targets: ["RecordKit"]),
        .library(name: "RecordKitInterceptors", targets: ["RecordKitInterceptors"]),
        .library(name: "RecordKitDigest", targets: ["RecordKitDigest"]),
        .library(name: "RecordKitOAuth", targets: ["RecordKitOAuth"]),
        .library(name: "RecordKitSigning", targets: ["RecordKitSigning"]),
        .library(name: "RecordKitTesting", targets: ["RecordKitTesting"]),
        .library(name: "RecordKitStreaming", targets: ["RecordKitStreaming"]),
        .library(name: "RecordKitCurl", targets: ["RecordKitCurl"]),
        .library(name: "RecordKitCache", targets: ["RecordKitCache"]),
        .library(name: "RecordKitCacheDisk", targets: ["RecordKitCacheDisk"]),
        .library(name: "RecordKitOutbox", targets: ["RecordKitOutbox"]),
        .library(name: "RecordKitJSON", targets: ["RecordKitJSON"]),
        .library(name: "RecordKitXML", targets: ["RecordKitXML"]),
        .library(name: "RecordKitTemplates", targets: ["RecordKitTemplates"]),
        .library(name: "RecordKitTelemetry", targets: ["RecordKitTelemetry"]),
        .library(name: "RecordKitCombine", targets: ["RecordKitCombine"]),
        .executable(name: "record-inventory", targets: ["RecordInventory"]),
    ],
    targets: [
        .target(name: "RecordKit"),
        .target(
            name: "RecordKitStreaming", dependencies: ["RecordKit", "RecordKitDigest", "RecordKitStructuredFields"]
        ),
        .systemLibrary(
            name: "CZlib", providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"])]
        ),
        .target(
            name: "RecordKitInterceptors", dependencies: ["RecordKit", "RecordKitStructuredFields", "CZlib"]
        ),
        .target(name: "RecordKitStructuredFields"),
        .target(name: "RecordKitDigest"),
        .target(name: "RecordKitOAuth", dependencies: ["RecordKit", "RecordKitInterceptors", "RecordKitDigest"]),
        .target(
            name: "RecordKitSigning",
            dependencies: ["RecordKit", "RecordKitInterceptors", "RecordKitDigest", "RecordKitStructuredFields"]
        ),
        .target(name: "RecordKitCache", dependencies: ["RecordKit"]),
        .target(name: "RecordKitSQLite", dependencies: ["CSQLite"]),
        .target(
            name: "RecordKitCacheDisk", dependencies: ["RecordKitCache", "RecordKitDigest", "RecordKitSQLite"]
        ),
        .target(
            name: "RecordKitOutbox",
            dependencies: ["RecordKit", "RecordKitInterceptors", "RecordKitDigest", "RecordKitSQLite"]
        ),
        .target(name: "RecordKitJSON", dependencies: ["RecordKit"]),
        .target(name: "RecordKitXML", dependencies: ["RecordKit"]),
        .target(name: "RecordKitTemplates", dependencies: ["RecordKit"]),
        .target(name: "RecordKitTesting", dependencies: ["RecordKit", "RecordKitInterceptors"]),
        .systemLibrary(
            name: "CCurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .yum(["libcurl-devel"]), .brew(["curl"])]
        ),
        .target(name: "RecordKitCurl", dependencies: ["RecordKit", "RecordKitDigest", "CCurl", "CZlib"]),
        .target(name: "RecordKitTelemetry", dependencies: ["RecordKit", "RecordKitInterceptors"]),
        .target(name: "RecordKitCombine", dependencies: ["RecordKit"]),
        .systemLibrary(
            name: "CSQLite",
            providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite"])]
        ),
        .executableTarget(
            name: "RecordInventory",
            dependencies: [
                "RecordKit", "RecordKitStreaming", "RecordKitInterceptors", "RecordKitDigest", "RecordKitJSON",
                "RecordKitCache", "RecordKitCacheDisk", "RecordKitSQLite", "CSQLite",
                .target(name: "RecordKitCurl", condition: .when(platforms: [.linux])),
            ]
        ),
        .executableTarget(
            name: "Benchmark",
            dependencies: [
                "RecordKit", "RecordKitStreaming", "RecordKitInterceptors", "RecordKitCache", "RecordKitTesting",
                "RecordKitCurl", "RecordKitJSON",
            ],
            path: "Scripts/Benchmarks"),
        .executableTarget(name: "FirstRequest", dependencies: ["RecordKit"], path: "Sources/Guide/FirstRequest"),
        .target(
            name: "TestSupport",
            dependencies: ["RecordKit", "RecordKitInterceptors", "RecordKitTesting", "RecordKitCurl"],
            path: "Tests/TestSupport"),
        .testTarget(
            name: "RecordKitTests",
            dependencies: [
                "RecordKit", "RecordKitStreaming", "RecordKitInterceptors", "RecordKitXML", "RecordKitTemplates",
                "RecordKitTesting", "RecordKitCurl", "TestSupport",
            ],
            resources: [.copy("Examples/UserMocks")]
        ),
        .testTarget(
            name: "RecordKitStreamingTests",
            dependencies: ["RecordKit", "RecordKitStreaming", "RecordKitJSON", "RecordKitTesting", "TestSupport"]
        ),
        .testTarget(
            name: "RecordKitInterceptorsTests",
            dependencies: [
                "RecordKit", "RecordKitStreaming", "RecordKitInterceptors", "RecordKitTesting", "TestSupport",
            ]
        ),
        .testTarget(
            name: "RecordKitOAuthTests",
            dependencies: [
                "RecordKit", "RecordKitInterceptors", "RecordKitOAuth", "RecordKitTesting", "RecordKitCurl",
                "TestSupport",
            ]
        ),
        .testTarget(
            name: "RecordKitSigningTests",
            dependencies: [
                "RecordKit", "RecordKitInterceptors", "RecordKitDigest", "RecordKitSigning",
                "RecordKitStructuredFields",
                "RecordKitTesting", "RecordKitCurl", "TestSupport",
            ],
            resources: [.copy("Vectors")]
        ),
        .testTarget(
            name: "RecordKitJSONTests",
            dependencies: ["RecordKit", "RecordKitJSON", "RecordKitStreaming", "TestSupport"]
        ),
        .testTarget(
            name: "RecordKitXMLTests",
            dependencies: ["RecordKit", "RecordKitXML", "RecordKitTesting", "TestSupport"]
        ),
        .testTarget(
            name: "RecordKitTemplatesTests",
            dependencies: ["RecordKit", "RecordKitTemplates", "RecordKitTesting", "TestSupport"]
        ),
        .testTarget(
            name: "RecordKitTestingTests",
            dependencies: [
                "RecordKit", "RecordKitStreaming", "RecordKitInterceptors", "RecordKitTesting", "TestSupport",
                "FirstRequest",
            ],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "RecordKitCurlTests",
            dependencies: [
                "RecordKit", "RecordKitStreaming", "RecordKitInterceptors", "RecordKitTesting", "RecordKitCurl",
                "TestSupport",
            ]
        ),
        .testTarget(
            name: "RecordKitCacheTests",
            dependencies: [
                "RecordKit", "RecordKitStreaming", "RecordKitCache", "RecordKitCacheDisk", "RecordKitInterceptors",
                "RecordKitTesting", "RecordKitCurl", "CSQLite", "TestSupport",
            ]
        ),
        .testTarget(
            name: "RecordKitTelemetryTests",
            dependencies: [
                "RecordKit", "RecordKitInterceptors", "RecordKitTelemetry", "RecordKitTesting", "TestSupport",
            ]
        ),
        .testTarget(
            name: "RecordKitOutboxTests",
            dependencies: [
                "RecordKit", "RecordKitInterceptors", "RecordKitOutbox", "RecordKitSQLite", "RecordKitTesting",
                "RecordKitCurl", "CSQLite", "TestSupport",
            ]
        ),
        .testTarget(
            name: "MainActorTests",
            dependencies: ["RecordKit", "RecordKitInterceptors", "RecordKitTesting", "TestSupport"],
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
        // What Scripts/fuzz runs on generated bytes, with the bytes that it begins with.
        .testTarget(
            name: "LibraryFuzzerTests",
            dependencies: [
                "RecordKit", "RecordKitStreaming", "RecordKitInterceptors", "RecordKitJSON", "RecordKitXML",
                "RecordKitTemplates", "RecordKitSigning", "RecordKitStructuredFields", "RecordKitCache",
                "RecordKitCacheDisk", "RecordKitSQLite",
            ],
            path: "Scripts/Fuzzers/Library"),
        .testTarget(
            name: "ToolFuzzerTests", dependencies: ["RecordInventory", "RecordKit", "RecordKitJSON"],
            path: "Scripts/Fuzzers/Tool"),
        .executableTarget(
            name: "Simulation",
            dependencies: ["RecordKit", "RecordKitStreaming", "RecordKitInterceptors", "RecordKitCache"],
            path: "Tests/Simulation"),
        .testTarget(
            name: "RecordInventoryTests",
            dependencies: [
                "RecordInventory", "RecordKit", "RecordKitStreaming", "RecordKitInterceptors", "RecordKitJSON",
                "RecordKitSQLite", "RecordKitTesting", "TestSupport", "CSQLite",
            ],
            exclude: ["Transcripts"],
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
