// swift-tools-version: 6.1
import PackageDescription

// A package of its own: obdgate does not depend on what measures it. Run with `make benchmarks`.
let package = Package(
  name: "obdgate-benchmarks",
  dependencies: [
    .package(name: "obdgate", path: ".."),
    // Without its traits: they replace malloc and runtime functions, and the allocation test measures those better.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "Wire",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "OBDWire", package: "obdgate"),
        .product(name: "NMEAWire", package: "obdgate"),
        .product(name: "Telemetry", package: "obdgate"),
      ],
      path: "Benchmarks/Wire",
      swiftSettings: [.swiftLanguageMode(.v6), .enableExperimentalFeature("Lifetimes")],
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
  ]
)
