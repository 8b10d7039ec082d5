import AdapterSession
import Failures
import Fusion
import TestKit
import Testing

@testable import Gateway

/// The settings of a session that follow from configuration and signal sets, and rejected settings.
@Suite struct SettingsTests {
  private let second: Int64 = 1_000_000_000

  private func settings(_ text: String, sets: [String: String] = [:]) throws -> Settings {
    let scratch = try ScratchFolder()
    for (name, text) in sets { try scratch.write(name, text) }
    return try Settings(path: scratch.write("gateway.json", text))
  }

  private func refusal(_ text: String, sets: [String: String] = [:]) throws -> Failure? {
    do {
      _ = try settings(text, sets: sets)
      return nil
    } catch let error as Failure {
      return error
    }
  }

  private func command(_ id: String, _ members: String, cmd: String = #""22": "404C""#) -> String {
    #"{\#(members), "cmd": {\#(cmd)}, "freq": 30, "signals": [{"id": "\#(id)", "name": "x", "fmt": {"len": 8, "max": 255, "unit": "psi"}}]}"#
  }

  private func set(_ commands: String...) -> [String: String] {
    ["set.json": "{\"commands\": [\(commands.joined(separator: ", "))]}"]
  }

  private static let named = #"{"signalSets": ["set.json"]}"#

  @Test func configured_names_are_converted_to_PIDs() throws {
    let poll = try settings(
      #"{"poll": {"defaultPeriod": 2, "signals": {"rpm": 0.1, "speed": 0, "batteryVoltage": 5}}}"#
    ).poll
    #expect(poll.preferences.period(of: 0x0C) == second / 10)
    #expect(poll.preferences.period(of: 0x0D) == 0)
    #expect(poll.preferences.period(of: 0x04) == 2 * second)
    #expect(poll.voltagePeriod == 5 * second)
  }

  @Test func the_lamp_is_read_as_often_as_the_codes() throws {
    #expect(try settings(#"{"poll": {"dtcPeriod": 5}}"#).poll.preferences.period(of: 0x01) == 5 * second)
    #expect(try settings(#"{"poll": {"dtcPeriod": 600}}"#).poll.preferences.period(of: 0x01) == 60 * second)
    #expect(
      try settings(#"{"poll": {"dtcPeriod": 5, "signals": {"mil": 20}}}"#).poll.preferences.period(of: 0x01) == 20
        * second)
  }

  @Test func commands_of_a_set_become_requests_to_their_ECUs() throws {
    let poll = try settings(
      Self.named,
      sets: set(
        command("A", #""hdr": "7E0", "rax": "7E8""#), command("B", #""hdr": "DA10", "rax": "10""#, cmd: #""21": "16""#),
        command("C", #""hdr": "750", "rax": "758", "eax": "2A", "tst": "2A", "fcm1": true"#))
    ).poll
    #expect(poll.addressed.count == 3)
    let requests = poll.addressed.sorted { $0.period == $1.period && "\($0.header)" < "\($1.header)" }
    #expect(
      requests.contains {
        $0.header == .can11(0x7E0) && $0.question == .dataIdentifier(0x404C) && $0.period == 30 * second
      })
    #expect(requests.contains { $0.header == .can29(0x18DA_10F1) && $0.question == .localIdentifier(0x16) })
    #expect(requests.contains { $0.header == .can11(0x750) && $0.extendedAddress == 0x2A && $0.needsFlowControl })
    #expect(poll.loadedSignals.map(\.name).sorted() == ["A", "B", "C"])
  }

  @Test func a_named_signal_of_a_set_is_polled_with_the_configured_period() throws {
    let poll = try settings(
      #"{"signalSets": ["set.json"], "poll": {"signals": {"A": 0.5}}}"#,
      sets: set(command("A", #""hdr": "7E0", "rax": "7E8""#))
    ).poll
    #expect(poll.addressed.map(\.period) == [second / 2])
  }

  @Test func the_configured_period_of_a_signal_can_be_longer_than_the_sets() throws {
    let poll = try settings(
      #"{"signalSets": ["set.json"], "poll": {"signals": {"A": 3600}}}"#,
      sets: set(command("A", #""hdr": "7E0", "rax": "7E8""#))
    ).poll
    #expect(poll.addressed.map(\.period) == [3_600 * second])
  }

  @Test func an_unknown_private_fence_is_rejected_with_its_position() throws {
    let fences = #"{"type": "FeatureCollection", "features": []}"#
    let text = "{\"geofences\": \"fences.geojson\",\n \"privacy\": {\"fences\": {\"home\": \"off\"}}}"
    let said = try #require(try refusal(text, sets: ["fences.geojson": fences])).description
    #expect(said.contains("gateway.json:2:25: privacy.fences: no fence \"home\" in "), "\(said)")
    let without = try #require(try refusal(#"{"privacy": {"fences": {"home": "off"}}}"#)).description
    #expect(without.hasSuffix(#"gateway.json:1:25: privacy.fences: no fence "home" as geofences names no file"#))
  }

  /// Until the fences are known, the strictest precision applies everywhere.
  @Test func private_fences_may_come_from_a_fleet_store() throws {
    var settings = try settings(
      #"{"sinks": [{"type": "fleetStore", "url": "http://127.0.0.1:1/api"}], "privacy": {"position": "coarse", "fences": {"home": "off"}}}"#
    )
    #expect(settings.presentPrivacy == PrivacyRules(everywhere: .off))
    settings.fences = try Settings.fences(
      Array(
        #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"home","radius":50},"geometry":{"type":"Point","coordinates":[9,47]}}]}"#
          .utf8), from: "fences")
    #expect(settings.presentPrivacy == settings.privacy)
    #expect(settings.privacy.zones == [.init(fence: "home", privacy: .off)])
  }

  @Test func records_are_stored_if_there_is_a_sink_other_than_stdout() throws {
    #expect(try !settings("{}").usesSpool)
    #expect(try settings(#"{"sinks": [{"type": "file", "path": "records.jsonl"}]}"#).usesSpool)
    #expect(try settings(#"{"sinks": [{"type": "stdout"}, {"type": "mqtt", "url": "mqtt://a"}]}"#).usesSpool)
  }

  @Test func signal_sets_stay_as_they_were_until_the_next_start() throws {
    let old = try settings(
      #"{"signalSets": ["set.json"]}"#, sets: set(command("A", #""hdr": "7E0", "rax": "7E8""#)))
    let kept = try settings(#"{"poll": {"defaultPeriod": 2}}"#).keepingSignalSets(of: old)
    #expect(kept.poll.loadedSignals == old.poll.loadedSignals)
    #expect(kept.poll.addressed.count == 1 && kept.poll.definitions.count == old.poll.definitions.count)
    #expect(kept.poll.preferences.defaultPeriod == 2 * second)
  }

  @Test func a_signal_set_command_that_opens_a_session_is_not_sent() throws {
    let poll = try settings(
      Self.named, sets: set(command("A", #""hdr": "7E0", "rax": "7E8", "din": "03""#))
    ).poll
    #expect(poll.addressed.isEmpty)
  }

  @Test func an_unknown_signal_is_rejected_with_file_and_path() throws {
    for text in [
      #"{"poll": {"signals": {"rmp": 1}}}"#,
      #"{"signalSets": ["set.json"], "poll": {"signals": {"rmp": 1}}}"#,
      "{\"signalSets\": [\"set.json\"],\n \"poll\": {\"signals\": {\"RMP\": 1}}}",
    ] {
      let error = try #require(try refusal(text, sets: set(command("A", #""hdr": "7E0", "rax": "7E8""#))))
      #expect(error.kind == .badConfiguration)
      #expect(
        error.description.contains(/gateway\.json:[12]:[0-9]+: poll\.signals/)
          && error.description.lowercased().contains("\"rmp\""), "\(error)")
    }
  }

  @Test func a_set_that_is_missing_or_broken_is_named() throws {
    let missing = try #require(try refusal(Self.named))
    #expect(missing.kind == .noInput)
    #expect(
      missing.description.contains(/gateway\.json:1:17: signalSets\[0\]: .*set\.json: cannot be read/), "\(missing)")
    let broken = try #require(try refusal(Self.named, sets: ["set.json": "{\"commands\": [}"]))
    #expect(broken.kind == .badConfiguration && broken.description.contains("set.json:1:"), "\(broken)")
  }

  @Test(arguments: [
    ("{\n \"geofences\": \"no.geojson\"}", "2:15: geofences"),
    ("{\n \"geofences\": {\"file\": \"no.geojson\"}}", "2:24: geofences.file"),
  ])
  func a_missing_file_of_fences_is_reported_with_the_key_that_names_it(_ text: String, _ place: String) throws {
    let said = try #require(try refusal(text)).description
    #expect(said.contains("gateway.json:\(place): ") && said.contains("no.geojson: cannot be read"), "\(said)")
  }

  @Test func a_folder_is_rejected_as_configuration_file() throws {
    let scratch = try ScratchFolder()
    do {
      _ = try Settings(path: scratch.path)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .noInput)
    }
  }

  @Test func a_secret_that_leaves_the_machine_unencrypted_is_refused_or_reported() throws {
    let sink = #"{"type": "fleetStore", "url": "http://fleet.example/api", "tokenFile": "token"}"#
    let said = try #require(try refusal("{\"sinks\": [\n  \(sink)]}")).description
    #expect(said.contains(#"gateway.json:2:33: sinks[0].url: expected https://, or "insecure": true"#), "\(said)")
    let allowed = try settings("{\"sinks\": [\(sink.dropLast()), \"insecure\": true}]}")
    #expect(allowed.warnings.count == 1)
    #expect(
      allowed.warnings.first?.contains(
        "sinks[0].url: http://fleet.example:80/api: the token is sent without encryption")
        == true, "\(allowed.warnings)")
    #expect(try settings(#"{"sinks": [{"type": "mqtt", "url": "mqtt://broker.example"}]}"#).warnings.isEmpty)
  }

  @Test func the_error_for_an_unknown_signal_suggests_the_nearest_one() throws {
    let said = try #require(try refusal(#"{"poll": {"signals": {"rpmm": 1}}}"#)).description
    #expect(said.contains(#"found "rpmm"; did you mean "rpm"?"#), "\(said)")
    let ofSet = try #require(
      try refusal(
        #"{"signalSets": ["set.json"], "poll": {"signals": {"OilTmp": 1}}}"#,
        sets: set(command("OilTemp", #""hdr": "7E0", "rax": "7E8""#))))
    #expect(ofSet.description.contains(#"did you mean "OilTemp"?"#), "\(ofSet.description)")
  }
}
