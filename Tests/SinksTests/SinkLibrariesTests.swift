import Peers
import TestKit
import Testing

@testable import Sinks

@Suite struct SinkLibrariesTests {
  @Test func the_libraries_of_the_sinks_are_installed() throws {
    let store = try #require(ServiceURL("https://a", schemes: FleetStoreConfiguration.schemes))
    let broker = try #require(ServiceURL("mqtt://a", schemes: MQTTConfiguration.schemes))
    let sinks: [SinkConfiguration] = [
      .stdout(StdoutConfiguration()), .file(FileSinkConfiguration(path: "a")),
      .fleetStore(FleetStoreConfiguration(url: store)), .mqtt(MQTTConfiguration(url: broker)),
    ]
    #expect(SinkLibraries.open(for: sinks) == [])
  }

  @Test func sinks_that_need_no_library_ask_for_none() {
    #expect(SinkLibraries.open(for: [.stdout(StdoutConfiguration())]) == [])
  }
}
