import Foundation
import TestKit
import Testing

@testable import PackagingTestKit

/// Install.md and Operations.md: the commands that need a separate machine (```` ```sh machine ````) run on one, in
/// order, with the packages.
@Suite struct GuideTests {
  static let pages = (try? DocumentedCommands.all(.machine).map(\.page)) ?? []

  @Test(arguments: pages)
  func every_command_of_the_guides_does_what_it_should(_ page: String) async throws {
    let packages = try Packages()
    let commands = MarkdownBlocks(try ProjectTree.text(page)).commands(.machine).map(\.script)
    try await runBlocking {
      let installed = page == "docs/Install.md" ? [] : [packages.obdgate, packages.fleetstore]
      let machine = try packages.machine(installing: installed)
      defer { machine.end() }
      for command in commands { try machine.shell("set -e; cd \(BootedImage.shown)\n\(command)") }
    }
  }
}
