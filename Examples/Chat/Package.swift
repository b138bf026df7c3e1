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
    name: "chat",
    products: [
        .executable(name: "chat", targets: ["chat"])
    ],
    dependencies: [
        .package(name: "regnum", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "chat",
            dependencies: [
                .product(name: "Regnum", package: "regnum"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources",
            swiftSettings: settings),
        .testTarget(
            name: "ChatTests",
            dependencies: ["chat", .product(name: "Regnum", package: "regnum")],
            path: "Tests",
            swiftSettings: settings),
    ]
)
