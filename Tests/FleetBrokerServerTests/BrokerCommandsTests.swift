import TestKit
import Testing

/// The commands that pages show under ```` ```sh rabbitmq ````, given to a real node.
@Suite struct BrokerCommandsTests {
  static let pages = (try? DocumentedCommands.all(.rabbitmq)) ?? []

  @Test(arguments: pages)
  func every_documented_command_is_accepted_and_effective(_ page: DocumentedCommands) async throws {
    try await runBlocking {
      let rabbit = try RabbitMQ.shared
      let ran = try rabbit.run(page)
      #expect(ran.status == 0, "\(page): \(ran.output)\(ran.errors)")
      // The quoted text passed through the shell unchanged.
      let rights = try rabbit.control(["list_permissions", "-p", "depot"])
      let topics = try rabbit.control(["list_topic_permissions", "-p", "depot"])
      let policies = try rabbit.control(["list_policies", "-p", "depot"])
      let rows = (rights + topics + policies).map { $0.split(separator: "\t").map(String.init) }
      let quoted = page.script.matches(of: /'([^']*)'/).map { String($0.1) }
      #expect(rows.contains { $0.first == "VAN-001" } && rows.contains { $0.first == "fleet" }, "\(rows)")
      for text in quoted { #expect(rows.contains { $0.contains(text) }, "\(text) is in none of \(rows)") }
    }
  }
}
