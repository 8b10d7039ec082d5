import Foundation
import TestKit
import Testing

/// Install.md and Operations.md: the commands that want a machine of their own (```` ```sh machine ````) run on one, in
/// their order, beside the packages.
@Suite struct GuideTests {
  @Test(arguments: ["Install", "Operations"])
  func every_command_of_the_guides_does_what_it_should(_ page: String) async throws {
    guard let packages = try Packages() else { return }
    let text = try String(contentsOfFile: TestData.projectRoot + "/docs/\(page).md", encoding: .utf8)
    let commands = text.matches(of: /```sh machine\n((?s).*?)```/).map { String($0.1) }
    #expect(!commands.isEmpty)
    try await aside {
      let installed = page == "Install" ? [] : [packages.obdgate, packages.fleetstore]
      guard let machine = try packages.machine(installing: installed) else { return }
      defer { machine.end() }
      for command in commands { try machine.shell("set -e; cd \(BootedImage.shown)\n\(command)") }
    }
  }
}
