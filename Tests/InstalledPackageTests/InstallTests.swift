import Foundation
import TestKit
import Testing

@testable import PackagingTestKit

/// The packages are installed, upgraded, removed and purged as an administrator does it.
@Suite(.serialized) struct InstallTests {
  /// Builds a later version of the same package, with another default configuration.
  private static func upgrade(of package: String, in folder: String) throws -> String {
    let scratch = folder + "/later"
    let script = """
      set -e
      dpkg-deb --raw-extract '\(package)' '\(scratch)'
      sed -i 's/^Version: .*/Version: 99/' '\(scratch)/DEBIAN/control'
      find '\(scratch)/etc' -name '*.json' -exec sed -i 's/^{$/{ /' {} +
      dpkg-deb --root-owner-group -Znone --build '\(scratch)' '\(folder)' >&2
      """
    let built = try Tool.run("sh", ["-c", script])
    guard built.status == 0 else { throw BootedImage.Failed(description: built.errors) }
    let name = URL(fileURLWithPath: package).lastPathComponent.split(separator: "_")
    return "\(name[0])_99_\(name[2])"
  }

  @Test(arguments: ["obdgate", "fleetstore"])
  func an_edited_configuration_outlasts_an_upgrade_and_a_removal_and_nothing_a_purge(_ package: String) async throws {
    let packages = try Packages()
    try await runBlocking {
      let isDaemon = package == "obdgate"
      let file = isDaemon ? packages.obdgate : packages.fleetstore
      let unit = isDaemon ? "obdgated.service" : "fleetstore.service"
      let configuration = isDaemon ? "/etc/obdgate/obdgated.json" : "/etc/fleetstore/fleetstore.json"
      let state = isDaemon ? "obdgate" : "fleetstore"
      let scratch = try ScratchFolder()
      let copied = try Tool.run("cp", [packages.folder + "/" + file, scratch.path])
      #expect(copied.status == 0, "\(copied.errors)")
      let later = try Self.upgrade(of: scratch.file(file), in: scratch.path)
      let machine = try BootedImage(showing: scratch.path)
      defer { machine.end() }

      try machine.shell("dpkg -i \(BootedImage.shown)/\(file)")
      #expect(try machine.property("ActiveState", of: unit) == "active")
      #expect(try machine.shell("systemctl is-enabled \(unit)") == "enabled")
      #expect(try machine.shell("ls /var/lib/private/\(state)") != "")

      // The administrator has edited the configuration and disabled the service; the upgrade must change neither.
      try machine.shell("sed -i 's/^{$/{   /' \(configuration) && systemctl disable --quiet \(unit)")
      let edited = try machine.shell("cat \(configuration)")
      let process = try machine.property("MainPID", of: unit)
      try machine.shell("dpkg -i --force-confold \(BootedImage.shown)/\(later)")
      #expect(try machine.shell("cat \(configuration)") == edited)
      #expect(try machine.shell("ls \(configuration).dpkg-dist") != "")
      #expect(try machine.property("ActiveState", of: unit) == "active")
      #expect(try machine.property("MainPID", of: unit) != process)
      #expect(try machine.run("systemctl", "is-enabled", unit).output == "disabled\n")

      try machine.shell("dpkg --remove \(package)")
      #expect(try machine.run("systemctl", "is-active", unit).output == "inactive\n")
      #expect(try machine.run("sh", "-c", "command -v obdgate fleetstore").output == "")
      #expect(try machine.shell("cat \(configuration)") == edited)
      #expect(try machine.shell("ls /var/lib/private/\(state)") != "")

      try machine.shell("dpkg --purge \(package)")
      let left = try machine.shell("find /etc /usr /var/lib -name '*\(state)*' -not -path '/var/lib/dpkg/*'")
      // The user stays, as with Debian's packages, so that its files never belong to another user.
      #expect(left == "")
    }
  }

  @Test func both_packages_install_on_one_debian_machine() async throws {
    let packages = try Packages()
    try await runBlocking {
      let machine = try packages.machine(installing: [packages.obdgate, packages.fleetstore])
      defer { machine.end() }
      #expect(try machine.shell("dpkg --audit") == "")
      #expect(try machine.shell("systemctl is-system-running || systemctl --failed --no-legend") == "running")
      #expect(try machine.shell("obdgate --version") == machine.shell("obdgated --version"))
      #expect(try machine.run("obdgated", "--check", "--config", "/etc/obdgate/obdgated.json").status == 0)
      // Only root can read the first token, and no log contains it.
      let token = try machine.shell("cat /var/lib/fleetstore/administrator.token")
      #expect(token.hasPrefix("fst_"))
      #expect(try machine.shell("stat -c %a /var/lib/fleetstore/administrator.token") == "600")
      #expect(try !machine.shell("journalctl --no-pager -u fleetstore").contains("fst_"))
      // The server listens only on loopback.
      let listening = try machine.shell("cat /proc/net/tcp /proc/net/tcp6 | awk '$4 == \"0A\" { print $2 }'")
      #expect(listening == "0100007F:1F90")
    }
  }
}
