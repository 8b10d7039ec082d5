import Foundation
import JSONText
import TestKit
import Testing

@testable import Sinks

@Suite struct SinkConfigurationTests {
  private func read(_ text: String) throws(JSONError) -> SinkConfiguration {
    try SinkConfiguration(JSONDocument(parsing: Array(text.utf8)).root, folder: "/etc/obdgate/")
  }

  private func message(_ text: String) -> String {
    do throws(JSONError) {
      return "accepted: \(try read(text))"
    } catch {
      return error.message(in: "gateway.json")
    }
  }

  @Test(arguments: [
    "JSONLines/stdout.sample.json", "JSONLines/file.sample.json", "FleetStore/fleetStore.sample.json",
    "MQTT/mqtt.sample.json",
  ]) func each_sample_is_a_valid_configuration_and_stands_in_its_README(_ name: String) throws {
    let folder = TestData.projectRoot + "/Sources/Vehicle/Sinks/"
    let text = try String(contentsOfFile: folder + name, encoding: .utf8)
    let sink = try read(text)
    #expect(name.contains(sink.name))
    let readme = try String(contentsOfFile: folder + name.split(separator: "/")[0] + "/README.md", encoding: .utf8)
    let examples = readme.components(separatedBy: "```json\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(try examples.contains { try read($0) == sink })
  }

  @Test func the_sinks_of_the_example_are_valid_and_have_names_of_their_own() throws {
    let text = try Data(contentsOf: URL(fileURLWithPath: TestData.projectRoot + "/config.example.json"))
    let sinks = try #require(JSONDocument(parsing: Array(text)).root["sinks"])
    let names = try sinks.requireArray().map { try SinkConfiguration($0, folder: "").name }
    #expect(!names.isEmpty)
    #expect(Set(names).count == names.count)
  }

  @Test func every_key_of_a_README_is_known() throws {
    for folder in ["JSONLines", "FleetStore", "MQTT"] {
      let readme = try String(
        contentsOfFile: TestData.projectRoot + "/Sources/Vehicle/Sinks/\(folder)/README.md", encoding: .utf8)
      let sources =
        try FileManager.default.contentsOfDirectory(
          atPath: TestData.projectRoot + "/Sources/Vehicle/Sinks/\(folder)"
        ).filter { $0.hasSuffix("Configuration.swift") }.map {
          try String(contentsOfFile: TestData.projectRoot + "/Sources/Vehicle/Sinks/\(folder)/" + $0, encoding: .utf8)
        }.joined()
        + (try String(contentsOfFile: TestData.projectRoot + "/Sources/Vehicle/Sinks/TLSFiles.swift", encoding: .utf8))
        + "\"name\""
      for row in readme.split(separator: "\n") where row.hasPrefix("| `") && !row.contains("keepS") {
        for key in row.split(separator: "|")[0].split(separator: "`") where key.contains(where: \.isLetter) {
          let last = key.split(separator: ".").last.map(String.init) ?? ""
          #expect(sources.contains("\"\(last)\""), "\(folder): \(key)")
        }
      }
    }
  }

  @Test func relative_paths_are_relative_to_the_configuration() throws {
    guard
      case .fleetStore(let store) = try read(
        #"{"type":"fleetStore","url":"http://127.0.0.1:8080/api","tokenFile":"token"}"#)
    else { return #expect(Bool(false)) }
    #expect(store.tokenFile == "/etc/obdgate/token")
    guard case .file(let file) = try read(#"{"type":"file","path":"/var/records.jsonl"}"#) else {
      return #expect(Bool(false))
    }
    #expect(file.path == "/var/records.jsonl")
    #expect(file.rotation.bytes == 16 << 20)
  }

  @Test func a_file_is_written_with_each_commit_unless_told_to_wait() throws {
    #expect(try read(#"{"type":"file","path":"a"}"#).batchPolicy.interval == 0)
    let waits = try read(#"{"type":"file","path":"a","batch":{"records":20,"seconds":30}}"#)
    #expect(waits.batchPolicy == BatchPolicy(records: 20, interval: 30_000_000_000))
  }

  @Test func a_configured_rotation_rule_replaces_the_default_rules() throws {
    guard case .file(let file) = try read(#"{"type":"file","path":"a","rotate":{"seconds":60}}"#) else {
      return #expect(Bool(false))
    }
    #expect(file.rotation.bytes == nil)
    #expect(file.rotation.milliseconds == 60_000)
  }

  @Test(arguments: [
    #"{"type":"fleetStore","url":"https://a","proxy":"http://u:geheim@p:1"}"#,
    #"{"type":"fleetStore","url":"https://a","proxy":"u:geheim@p"}"#,
    #"{"type":"fleetStore","url":"u:geheim@x"}"#, #"{"type":"fleetStore","url":"https://u:geheim@x"}"#,
    #"{"type":"fleetStore","url":"http://x/api?token=geheim"}"#, #"{"type":"fleetStore","url":"http://x/api#geheim"}"#,
    #"{"type":"mqtt","url":"u:geheim@x"}"#, #"{"type":"mqtt","url":"mqtt://x?password=geheim"}"#,
    #"{"type":"mqtt","url":"mqtt://x/u:geheim@y"}"#,
  ])
  func an_address_that_may_hold_a_secret_is_refused_and_not_shown(_ text: String) {
    let said = message(text)
    #expect(said.hasPrefix("gateway.json:1:"), "\(said)")
    #expect(said.contains("expected ") && said.hasSuffix(", found one that is not shown, as it may hold a password"))
    #expect(!said.contains("geheim"), "\(said)")
  }

  @Test(arguments: [
    #"{"type":"fleetStore","url":"http://fleet.example/api","tokenFile":"t"}"#,
    #"{"type":"fleetStore","url":"HTTP://127.0.0.1.example","tokenFile":"t"}"#,
    #"{"type":"fleetStore","url":"http://10.0.0.1:8080","tokenFile":"t","insecure":false}"#,
    #"{"type":"fleetStore","url":"http://localhost","tokenFile":"t","proxy":"http://proxy.example:3128"}"#,
    #"{"type":"mqtt","url":"mqtt://broker.example","userFile":"u","passwordFile":"p"}"#,
    #"{"type":"mqtt","url":"mqtt://[::2]","userFile":"u","passwordFile":"p"}"#,
  ])
  func a_secret_that_would_leave_the_machine_unencrypted_is_refused(_ text: String) throws {
    let said = message(text)
    #expect(said.hasPrefix("gateway.json:1:"), "\(said)")
    #expect(said.contains(": url: expected ") && said.contains("\"insecure\": true"), "\(said)")
    let allowed = text.replacing(",\"insecure\":false", with: "").dropLast() + #","insecure":true}"#
    #expect(try read(String(allowed)).exposedSecret != nil)
  }

  @Test(arguments: [
    #"{"type":"fleetStore","url":"http://localhost:8080/api","tokenFile":"t"}"#,
    #"{"type":"fleetStore","url":"http://127.0.0.1:8080/api","tokenFile":"t"}"#,
    #"{"type":"fleetStore","url":"http://[::1]:8080/api","tokenFile":"t"}"#,
    #"{"type":"fleetStore","url":"https://fleet.example/api","tokenFile":"t","insecure":true}"#,
    #"{"type":"fleetStore","url":"http://fleet.example/api"}"#,
    #"{"type":"mqtt","url":"mqtt://127.8.9.1","userFile":"u","passwordFile":"p"}"#,
    #"{"type":"mqtt","url":"mqtts://broker.example","userFile":"u","passwordFile":"p"}"#,
    #"{"type":"mqtt","url":"mqtt://broker.example"}"#,
  ])
  func a_secret_that_stays_on_the_machine_or_is_encrypted_needs_no_consent(_ text: String) throws {
    #expect(try read(text).exposedSecret == nil)
  }

  @Test func errors_name_the_place_and_what_would_be_right() {
    #expect(
      message(#"{"type":"mqtt","url":"mqtt://a","tokenfile":"t"}"#)
        .hasPrefix(#"gateway.json:1:33: tokenfile: unknown key "tokenfile"; known here: "#))
    #expect(
      message(#"{"type":"fleetStore","url":"https://a","tokenfile":"t"}"#).contains(#"did you mean "tokenFile"?"#))
    #expect(message(#"{"type":"fleetStore","url":"https://u:geheim@a"}"#).contains("without user and password"))
    #expect(!message(#"{"type":"fleetStore","url":"https://u:geheim@a"}"#).contains("geheim"))
    #expect(message(#"{"type":"fleetStore","url":"ftp://a"}"#).contains("https:// or http://"))
    #expect(message(#"{"type":"fleetStore","url":"https://a","batch":{"records":0}}"#).contains("from 1 to 10000"))
    #expect(message(#"{"type":"fleetStore","url":"https://a","tls":{"keyFile":"k"}}"#).contains("certificateFile"))
    #expect(message(#"{"type":"mqtt","url":"mqtt://a","window":21}"#).contains("from 1 to 20"))
    #expect(message(#"{"type":"mqtt","url":"mqtt://a/b"}"#).contains("without a path"))
    #expect(message(#"{"type":"mqtt","url":"mqtt://a","topic":"a/#"}"#).contains("without + and #"))
    #expect(message(#"{"type":"file","path":""}"#).contains("a path"))
    #expect(message(#"{"type":"file","path":"a","name":"../x"}"#).contains("the first not a dot"))
    #expect(message(#"{"type":"kafka"}"#).contains("fleetStore"))
  }
}
