// swift-tools-version: 6.2
import PackageDescription

// Three rooms of obdgate, by links, and what measures them: nothing else of obdgate is built. Run with `make bench-fences`.
let room: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]
let inlined = room + [.unsafeFlags(["-cross-module-optimization"], .when(configuration: .release))]

let package = Package(
  name: "obdgate-fences-benchmark",
  targets: [
    .target(name: "JSONText", swiftSettings: room),
    .target(name: "Geofencing", swiftSettings: inlined),
    .target(name: "GeoJSON", dependencies: ["Geofencing", "JSONText"], swiftSettings: inlined),
    .target(name: "CGEOS"),
    .executableTarget(name: "FencesBench", dependencies: ["CGEOS", "Geofencing", "GeoJSON"], swiftSettings: room),
  ])
