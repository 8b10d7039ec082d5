import ArgumentParser
import Captures
import CommandLineSupport
import Failures
import Fusion
import Gateway
import Geofencing
import JSONText
import SignalSets
import Telemetry

/// `obdgate replay`: converts captures to records.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replays captured adapter logs and writes records as JSON lines.",
    discussion: """
      The format is detected from the content; if that fails, use --format. Formats: \
      \(CaptureFormat.allCases.map { "\($0.name)" }.joined(separator: ", ")).

      Records are byte-identical on every run. Times come from the capture: recorded + offset, or the log's wall times, or \
      GPS after the first fix. If it has none, elapsed seconds are used. Wire errors are counted by kind on stderr; \
      --errors writes each of them to a file.
      """)

  @Argument(help: ArgumentHelp("Captures, or - for standard input.", valueName: "file"), completion: .file())
  var files: [String]

  @Option(
    help: ArgumentHelp("The format of the captures, if it cannot be detected.", valueName: "format"),
    completion: .list(CaptureFormat.allCases.map { "\($0.name)" }), transform: CaptureFormat.named)
  var format: CaptureFormat?

  @Option(
    help: ArgumentHelp(
      "Factor of the recording's speed; max: as fast as possible. (default: max)", valueName: "n|max"),
    completion: .list(["max"]), transform: ReplaySpeed.init(option:))
  var speed: ReplaySpeed?

  @Option(
    help: ArgumentHelp(
      "Period of records in seconds (0.001 to 86400), or cycle: a record each time a signal repeats. "
        + "(default: 1; cycle for a bus log without times)",
      valueName: "seconds|cycle"),
    completion: .list(["cycle"]), transform: RecordPeriod.init(option:))
  var every: RecordPeriod?

  @Option(
    help: ArgumentHelp("A GeoJSON file of fences, for geofence records.", valueName: "file"),
    completion: .file())
  var fences: String?

  @Option(
    help: ArgumentHelp("Write each wire error to this file, as JSON lines.", valueName: "file"), completion: .file())
  var errors: String?

  @Option(help: ArgumentHelp("OBDb signal sets for services 21 and 22.", valueName: "file"), completion: .file())
  var signals: [String] = []

  @Option(help: ArgumentHelp("Names of values: plain, or vss (COVESA VSS 6.0).", valueName: "plain|vss"))
  var names: ValueNames = .plain

  @Option(
    help: ArgumentHelp(
      "The gatewayId of the records, and their vehicleId until the VIN is known. (default: replay, and unknown)",
      valueName: "id"),
    transform: Self.checkedGatewayId)
  var gatewayId: String?

  @Option(help: ArgumentHelp("Baud rate to calculate the times of a transcript without times.", valueName: "baud"))
  var baud = 38400

  func validate() throws {
    guard (300...10_000_000).contains(baud) else {
      throw ValidationError("--baud \(baud): expected 300 to 10000000")
    }
    guard !files.isEmpty else { throw ValidationError("name a capture, or - for standard input") }
  }

  /// Returns a gateway ID after checking it by the rule that the daemon uses.
  private static func checkedGatewayId(_ text: String) throws -> String {
    guard GatewayConfiguration.isIdentifier(text) else {
      throw ValidationError("expected \(GatewayConfiguration.identifierRule)")
    }
    return text
  }

  func run() throws {
    do {
      let loaded = signals.isEmpty ? nil : try SignalSetCache.load(signals)
      let fences = try fences.map { try FenceFile.read($0) }
      var run = try ReplayRun(
        options: ReplayOptions(
          format: format, speed: speed ?? .max, period: every, names: names, baud: baud, loaded: loaded, fences: fences,
          gatewayId: gatewayId),
        errors: errors)
      var firstFailure: Failure?
      for file in files {
        do {
          try run.replay(file)
        } catch let failure as Failure {
          // The records before the error were written. Continue with the other captures.
          StandardError.print("obdgate replay: \(failure.description)")
          if firstFailure == nil { firstFailure = failure }
        }
      }
      try run.flush()
      if let firstFailure { throw ExitCode(firstFailure.kind.rawValue) }
    } catch let failure as Failure {
      throw failure.reported(by: "replay")
    }
  }
}

/// The speed of a replay.
enum ReplaySpeed {
  case max
  case times(Double)

  init(option text: String) throws {
    if text == "max" {
      self = .max
    } else if let times = Double(text), times > 0, times.isFinite {
      self = .times(times)
    } else {
      throw ValidationError("expected a factor above 0, or max")
    }
  }
}

/// When telemetry records are written: at a fixed period in seconds, or once in each polling cycle.
enum RecordPeriod {
  case seconds(Double)
  case cycle

  init(option text: String) throws {
    if text == "cycle" {
      self = .cycle
    } else if let seconds = Double(text), seconds >= 0.001, seconds <= 86_400 {
      self = .seconds(seconds)
    } else {
      throw ValidationError("expected 0.001 to 86400 seconds, or cycle")
    }
  }

  var cadence: Cadence {
    switch self {
    case .seconds(let seconds): .every(nanoseconds: Int64((seconds * 1e9).rounded()))
    case .cycle: .cycle
    }
  }
}

/// The names of values in records.
enum ValueNames: String, ExpressibleByArgument, CaseIterable { case plain, vss }

extension CaptureFormat {
  fileprivate static func named(_ text: String) throws -> CaptureFormat {
    if let format = CaptureFormat(name: text) { return format }
    let known = allCases.map { "\($0.name)" }
    if let near = nearestName(to: text, among: known) { throw ValidationError("did you mean \(near)?") }
    throw ValidationError("expected one of \(known.joined(separator: ", "))")
  }
}

/// The options of a replay.
struct ReplayOptions {
  var format: CaptureFormat?
  var speed: ReplaySpeed
  /// When telemetry records are written. `nil` means once a second or, in a bus log without times, once in each polling
  /// cycle.
  var period: RecordPeriod?
  var names: ValueNames
  var baud: Int
  var loaded: LoadedSignals?
  var fences: FenceSet?
  /// Gateway ID of the records; `nil` for the ID `replay`.
  var gatewayId: String?
}
