import Foundation
import Glibc
import TestKit
import Testing

/// `make run`, when everything is already built.
@Suite struct RunTests {
  @Test func simulated_cars_drive_into_a_fleet_store_until_Ctrl_C() async throws {
    let curl = try Tool.required("curl")
    let obdgate = try Tool.obdgate
    _ = try Tool.obdgated
    _ = try Tool.fleetstore
    try await runBlocking {
      let folder = URL(fileURLWithPath: obdgate).deletingLastPathComponent().path
      // A terminal sends its signal to all processes of a group.
      let run = try RunningProgram(
        "setsid", [TestData.projectRoot + "/scripts/run.sh"], environment: ["PROGRAMS": folder])
      defer {
        kill(-run.pid, SIGKILL)
        run.kill()
      }
      let question = try run.errorLine(within: .seconds(120)) { $0.contains("obdgate status") }.text
      let command = try run.errorLine(within: .seconds(120)) { $0.contains("curl -sS") }.text
      let demo = try run.errorLine(within: .seconds(120)) { $0.contains("/demo#") }.text
      try run.line(within: .seconds(120)) { $0.contains("\"rpm\":") }
      let status = try Tool.shell(question)
      #expect(status.status == 0 && status.output.contains("gw-van-001"), "\(status.errors)")
      let words = command.split(separator: " ").dropFirst().map(String.init)
      let deadline = ContinuousClock.now + .seconds(120)
      var stored = ""
      while !stored.contains("lastRecordAt"), ContinuousClock.now < deadline {
        stored = try Tool.run(curl, words).output
      }
      for vehicle in ["VAN-001", "VAN-007", "CAR-003", "TRUCK-012", "VAN-014"] {
        #expect(stored.contains(vehicle), "\(stored)")
      }
      let page = try Tool.run(curl, ["-sS", demo.trimmingCharacters(in: .whitespaces), "-H", "Accept: text/html"])
      #expect(page.output.contains("<title>Fleet</title>"), "\(page.errors)")
      for line in run.output {
        #expect(try JSONSerialization.jsonObject(with: Data(line.text.utf8)) is [String: Any], "\(line.text)")
      }
      kill(-run.pid, SIGINT)
      #expect(try run.end(within: .seconds(60)) == 0)
      // No process of the group is left, and no file of it.
      #expect(kill(-run.pid, 0) == -1 && errno == ESRCH)
      let header = try #require(words.first { $0.hasPrefix("@") })
      #expect(!FileManager.default.fileExists(atPath: String(header.dropFirst())))
    }
  }
}
