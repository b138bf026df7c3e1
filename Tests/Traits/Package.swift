// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// Tests of the traits named in `REGNUM_TRAITS`, by default all: those of one trait build without
// the packages of the others.
let all = "Encryption,ServiceLifecycle,Metrics,Tracing,Configuration"
let traits = (Context.environment["REGNUM_TRAITS"] ?? all).split(separator: ",").map(String.init)

let regnum = ["Regnum", "RegnumService", "RegnumWorkers"].map { name in
    Target.Dependency.product(name: name, package: "regnum")
}
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let serviceLifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle")
let metrics = ["CoreMetrics", "Metrics", "MetricsTestKit"].map { name in
    Target.Dependency.product(name: name, package: "swift-metrics")
}
let tracing = ["InMemoryTracing", "Tracing"].map { name in
    Target.Dependency.product(name: name, package: "swift-distributed-tracing")
}
let isTraced = traits.contains("Tracing")

let package = Package(
    name: "traits",
    dependencies: [
        .package(name: "regnum", path: "../..", traits: Set(traits.map { .trait(name: $0) })),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        // Another process that writes to a realm.
        .executableTarget(
            name: "peer", dependencies: ["TraitModels"] + regnum + (isTraced ? tracing : []),
            path: "Sources/Peer", swiftSettings: settings + (isTraced ? [.define("Tracing")] : [])),
        .target(name: "TraitModels", dependencies: regnum + [logging], swiftSettings: settings),
    ]
)

if traits.contains("Encryption") {
    package.targets.append(
        .testTarget(
            name: "EncryptionTests", dependencies: ["TraitModels", "peer"] + regnum,
            swiftSettings: settings))
}
if traits.contains("ServiceLifecycle") {
    package.dependencies.append(
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"))
    // fetched by swift-service-lifecycle as well
    package.dependencies.append(
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.0"))
    package.targets += [
        .testTarget(
            name: "LifecycleTests",
            dependencies: ["TraitModels", logging, serviceLifecycle] + regnum,
            swiftSettings: settings),
        .testTarget(
            name: "CompositionTests",
            dependencies: [
                "TraitModels", .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "RegnumTesting", package: "regnum"),
            ] + regnum, swiftSettings: settings),
    ]
}
if traits.contains("Metrics") {
    package.dependencies.append(
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"))
    package.targets.append(
        .testTarget(
            name: "MetricsTests", dependencies: ["TraitModels", "peer"] + metrics + regnum,
            swiftSettings: settings))
}
if isTraced {
    package.dependencies.append(
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"))
    package.targets.append(
        .testTarget(
            name: "TracingTests", dependencies: ["TraitModels", "peer"] + tracing + regnum,
            swiftSettings: settings))
}
if traits.contains("Configuration") {
    package.dependencies.append(
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"))
    package.targets.append(
        .testTarget(
            name: "ConfigurationTests",
            dependencies: [
                "TraitModels", .product(name: "Configuration", package: "swift-configuration"),
            ] + regnum, swiftSettings: settings))
}
let unixSignals = Target.Dependency.product(
    name: "UnixSignals", package: "swift-service-lifecycle")
if traits.contains("ServiceLifecycle"), traits.contains("Configuration") {
    package.targets.append(
        .testTarget(
            name: "ServersTests",
            dependencies: [
                "TraitModels", logging, serviceLifecycle, unixSignals,
                .product(name: "Configuration", package: "swift-configuration"),
            ] + regnum, swiftSettings: settings))
}
if traits.contains("ServiceLifecycle"), traits.contains("Metrics") {
    package.targets += [
        // The program in `Docs/Guides/Operations.md`.
        .executableTarget(
            name: "shop", dependencies: [logging, serviceLifecycle, unixSignals] + regnum,
            path: "Sources/Shop", swiftSettings: settings),
        .testTarget(
            name: "OperationsTests",
            dependencies: ["TraitModels", "shop", logging, serviceLifecycle] + metrics + regnum,
            swiftSettings: settings),
    ]
}
