// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// GRDB finds the system's SQLite and provides its module for the plain SQLite peer.
let package = Package(
    name: "benchmarks",
    products: [
        .executable(name: "benchmarks", targets: ["benchmarks"])
    ],
    dependencies: [
        .package(name: "regnum", path: "../..", traits: ["Encryption"]),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .target(name: "BenchmarkKit", swiftSettings: settings),
        // LMDB is loaded at run time; nothing of it is needed to build.
        .target(name: "CLMDB"),
        // So is PostgreSQL's client library.
        .target(name: "CLibpq"),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "BenchmarkKit", "CLMDB", "CLibpq",
                .product(name: "Regnum", package: "regnum"),
                .product(name: "RegnumWorkers", package: "regnum"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Benchmarks",
            swiftSettings: settings),
        .testTarget(
            name: "BenchmarkKitTests", dependencies: ["BenchmarkKit"], swiftSettings: settings),
        .testTarget(
            name: "StoreTests", dependencies: ["BenchmarkKit", "benchmarks"],
            swiftSettings: settings),
    ]
)
