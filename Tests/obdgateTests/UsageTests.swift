import TestKit
import Testing

/// The program as a whole: help, version, wrong usage.
@Suite struct UsageTests {
  @Test func the_version_is_one_line() throws {
    let result = try obdgate(["--version"])
    #expect(result.status == 0)
    #expect(result.lines.count == 1)
    #expect(result.output.contains { $0.isNumber })
    #expect(result.errors.isEmpty)
  }

  @Test(arguments: [
    ("replay", ["--format", "--speed", "--every", "--errors", "--signals", "--names", "--baud"]), ("decode", []),
    ("nmea", []), ("signals", ["--json", "--signals"]), ("bench", ["--iterations", "--json"]),
    ("status", ["--socket", "--json", "--once"]), ("tail", ["--socket", "--type", "--device", "--once"]),
    ("doctor", ["--config", "--socket", "--json"]),
  ])
  func help_names_every_option(command: String, options: [String]) throws {
    let asked = try obdgate([command, "--help"])
    #expect(asked.status == 0)
    #expect(asked.errors.isEmpty)
    for option in options { #expect(asked.output.contains(option)) }
    #expect(try obdgate(["help", command]).stdout == asked.stdout)
    #expect(try obdgate(["--help"]).output.contains(command))
  }

  @Test func help_names_formats_and_protocols_as_they_are_written() throws {
    let replay = try obdgate(["replay", "--help"]).output
    for format in ["capture", "raw", "python-obd", "obd2raw", "candump", "socat", "crtd", "nmea"] {
      #expect(replay.contains(format))
    }
    let decode = try obdgate(["decode", "--help"]).output
    for bus in ["auto", "can11", "can29", "kwp", "iso9141", "j1850pwm", "j1850vpw"] { #expect(decode.contains(bus)) }
  }

  @Test(arguments: [
    [], ["drive"], ["--wrong"], ["decode", "file"], ["signals", "rpm"], ["nmea", "--wrong"],
    ["bench", "--iterations", "x"],
  ])
  func wrong_usage_is_one_line_that_says_where_help_is(arguments: [String]) throws {
    let result = try obdgate(arguments)
    #expect(result.status == 64)
    #expect(result.stdout.isEmpty)
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.errors.hasPrefix("obdgate"))
    #expect(result.errors.contains("--help"))
  }

  @Test(
    arguments: [
      (["replya", "file"], "replya: no such command; did you mean replay?"),
      (["dtc", "claer"], "claer: no such command; did you mean clear?"),
      (["replay", "--format", "candmp", "-"], "did you mean candump?"),
      (["replay", "--format", "morse", "-"], "expected one of capture, raw, python-obd"),
      (["replay", "--every", "0", "-"], "expected 0.001 to 86400 seconds, or cycle"),
      (["replay", "--speed", "0", "-"], "expected a factor above 0, or max"),
      (["replay", "--gateway-id", "", "-"], "expected 1 to 64 letters, digits or . _ : -"),
      (["replay", "--gateway-id", "a b", "-"], "expected 1 to 64 letters, digits or . _ : -"),
      (["tail", "--type", "telemtry"], "did you mean telemetry?"),
    ] as [([String], String)])
  func an_unknown_word_is_answered_with_a_suggestion(arguments: [String], expected: String) throws {
    let result = try obdgate(arguments)
    #expect(result.status == 64 && result.stdout.isEmpty)
    #expect(result.errors.contains(expected), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func control_characters_of_an_argument_are_escaped() throws {
    let result = try obdgate(["\u{1B}[31mreplay", "\u{9B}2J"])
    #expect(result.status == 64)
    #expect(!result.errors.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{9B}" }, "\(result.errors)")
    let missing = try obdgate(["replay", "/\u{1B}[31m"])
    #expect(missing.status == 66)
    #expect(missing.errors.contains(#"\u001B[31m"#) && !missing.errors.contains("\u{1B}"), "\(missing.errors)")
  }

  /// Without a terminal, help is wrapped to 80 columns.
  @Test(arguments: ["nmea", "fences", "decode", "simulate"]) func samples_in_help_are_not_wrapped(command: String)
    throws
  {
    let help = try obdgate([command, "--help"]).output
    let lines = help.split(separator: "\n").filter { $0.contains("\":") }
    #expect(!lines.isEmpty)
    for line in lines {
      #expect(line.count <= 80, "\(line)")
      // A line that was broken within a word would begin or end in the middle of a member.
      #expect(line.filter { $0 == "\"" }.count.isMultiple(of: 2) && !line.hasSuffix(":"), "\(line)")
    }
  }

  /// Returns the JSON objects in a help text. Each begins with a brace at the beginning of a line, after at most one
  /// word, and ends with the matching brace.
  private func samples(_ help: String) -> [String] {
    var samples: [String] = []
    var depth = 0
    for line in help.split(separator: "\n") {
      var rest = line[...]
      if depth == 0 {
        guard let brace = line.firstIndex(of: "{"),
          line[..<brace].allSatisfy({ $0.isLetter || $0 == ":" || $0 == " " }),
          line[..<brace].split(separator: " ").count <= 1
        else { continue }
        rest = line[brace...]
        samples.append("")
      }
      samples[samples.count - 1] += rest
      depth += rest.count { $0 == "{" } - rest.count { $0 == "}" }
      if depth == 0 { samples[samples.count - 1] += "\n" }
    }
    return samples
  }

  @Test func each_json_sample_in_a_help_text_works_as_it_stands() throws {
    var inputs: [String: [String]] = [:]
    for command in try obdgate(["--help"]).output.matches(of: #/(?m)^  ([a-z]+) /#).map({ String($0.1) }) {
      let found = samples(try obdgate([command, "--help"]).output)
      for sample in found { #expect(try PrintedJSON.lines(sample).count == 1, "\(command): \(sample)") }
      if !found.isEmpty { inputs[command] = found }
    }
    #expect(Set(inputs.keys) == ["decode", "fences", "nmea", "simulate"])
    // The output of `decode` in the help is that of its input.
    let decode = try #require(inputs["decode"])
    let decoded = try PrintedJSON.lines(try obdgate("decode", text: decode[0]).output)
    #expect(decoded == (try PrintedJSON.lines(decode[1])))
    // `fences` reads a fix as `nmea` writes it.
    let scratch = try ScratchFolder()
    let fences = try scratch.write("fences.geojson", #"{"type": "FeatureCollection", "features": []}"#)
    let followed = try obdgate(["fences", fences], stdin: bytes(try #require(inputs["nmea"]?.first)))
    #expect(followed.status == 0, "\(followed.errors)")
    // The scenario in the help gives a vehicle that answers.
    let scenario = try #require(inputs["simulate"]?.first)
    let played = try play(
      "\"$OBDGATE\" vin --device ./elm0", beside: [Simulation(scenario: scenario)], in: scratch.path)
    #expect(played.result.output.contains("1D4GP00RX5B123456"), "\(played.result.output) \(played.result.errors)")
  }

  @Test(
    arguments: [
      (["obdgate", "replay", "dri"], "drive.capture"), (["obdgate", "nmea", "dri"], "drive.capture"),
      (["obdgate", "replay", "--signals", "dri"], "drive.capture"), (["obdgate", "fences", "dri"], "drive.capture"),
      (["obdgate", "doctor", "--config", "dri"], "drive.capture"), (["obdgate", "bench", "dri"], "drive.capture"),
      (["obdgate", "record", "--output", "dri"], "drive.capture"),
      (["obdgate", "simulate", "--scenario", "dri"], "drive.capture"),
      (["obdgate", "dtc", "--texts", "dri"], "drive.capture"),
      (["obdgate", "vin", "--device", "dri"], "drive.capture"),
      (["obdgate", "replay", "--format", "cand"], "candump"), (["obdgate", "tail", "--type", "geo"], "geofence"),
      (["obdgate", "re"], "replay"),
    ] as [([String], String)])
  func bash_completes_files_and_words(words: [String], expected: String) throws {
    let scratch = try ScratchFolder()
    try scratch.write("drive.capture", "")
    let script = try obdgate(["--generate-completion-script", "bash"])
    try scratch.write("completion.bash", script.output)
    let quoted = words.map { "'\($0)'" }
    let last = words.count - 1
    let ask = """
      cd '\(scratch.path)' && source ./completion.bash && COMP_WORDS=(\(quoted.joined(separator: " "))) COMP_CWORD=\(last)
      COMP_LINE='\(words.joined(separator: " "))' COMP_POINT=${#COMP_LINE}
      _obdgate obdgate \(quoted[last]) \(quoted[last - 1]); printf '%s\\n' "${COMPREPLY[@]}"
      """
    let found = try Tool.run("bash", ["-c", ask])
    #expect(found.output.split(separator: "\n").contains { $0 == expected }, "\(found.output)\(found.errors)")
  }
}
