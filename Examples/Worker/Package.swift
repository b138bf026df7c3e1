// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "worker",
    products: [
        .executable(name: "worker", targets: ["worker"])
    ],
    dependencies: [
        .package(name: "regnum", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "worker",
            dependencies: [
                .product(name: "Regnum", package: "regnum"),
                .product(name: "RegnumWorkers", package: "regnum"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources",
            swiftSettings: settings),
        .testTarget(
            name: "ThumbnailsTests",
            dependencies: ["worker", .product(name: "Regnum", package: "regnum")],
            path: "Tests",
            swiftSettings: settings),
    ]
)
