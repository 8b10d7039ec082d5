import Foundation
import TestKit

@testable import PackagingTestKit

/// The packages that `make deb` has built.
struct Packages {
  /// The folder with the packages.
  let folder: String
  let obdgate: String
  let fleetstore: String

  /// If they are not built, the current test is skipped.
  init() throws {
    let folder =
      ProcessInfo.processInfo.environment["OBDGATE_PACKAGES"] ?? TestData.projectRoot + "/.build/packages"
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    guard let obdgate = files.first(where: { $0.hasPrefix("obdgate_") && $0.hasSuffix(".deb") }),
      let fleetstore = files.first(where: { $0.hasPrefix("fleetstore_") && $0.hasSuffix(".deb") })
    else {
      try Tool.missing("a package in \(folder)", remedy: "make deb builds them")
    }
    self.folder = folder
    self.obdgate = obdgate
    self.fleetstore = fleetstore
  }

  var paths: [String] { [folder + "/" + obdgate, folder + "/" + fleetstore] }

  /// Boots a machine that has the files of both packages. The named packages are installed.
  func machine(installing names: [String]) throws -> BootedImage {
    let machine = try BootedImage(showing: folder)
    do {
      for name in names { try machine.shell("dpkg -i \(BootedImage.shown)/\(name)") }
    } catch {
      machine.end()
      throw error
    }
    return machine
  }
}
