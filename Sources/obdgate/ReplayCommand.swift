import ArgumentParser
import Captures
import Fusion
import Geofencing
import SignalSets

/// `obdgate replay`: captures in, records out.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replays captured adapter logs and writes records as JSON lines.",
    discussion: """
      The format is found out from the content; --format names it where that fails. Formats: \
      \(CaptureFormat.allCases.map { "\($0.name)" }.joined(separator: ", ")).

      Records are byte-identical on every run. Times are the capture's own (recorded + offset, or the log's wall times, \
      or GPS once a fix is there); without any, elapsed seconds stand in their place. Wire errors are counted by kind on \
      stderr; --errors writes each of them to a file.
      """)

  @Argument(help: ArgumentHelp("Captures; - is standard input.", valueName: "file"))
  var files: [String]

  @Option(help: "The format of the captures, where their content does not tell.")
  var format: CaptureFormat?

  @Option(help: ArgumentHelp("Times the speed of the recording; max: as fast as it goes.", valueName: "n|max"))
  var speed: ReplaySpeed = .max

  @Option(
    help: ArgumentHelp("A record every so many seconds, or whenever a signal repeats.", valueName: "seconds|cycle"))
  var every: RecordPeriod = .seconds(1)

  @Option(help: ArgumentHelp("A GeoJSON file of fences: geofence records tell what happens there.", valueName: "file"))
  var fences: String?

  @Option(help: ArgumentHelp("Where each wire error is written, as JSON lines.", valueName: "file"))
  var errors: String?

  @Option(help: ArgumentHelp("OBDb signal sets for services 21 and 22.", valueName: "file"))
  var signals: [String] = []

  @Option(help: ArgumentHelp("Names of values: plain, or vss (COVESA VSS 6.0).", valueName: "plain|vss"))
  var names: ValueNames = .plain

  @Option(help: ArgumentHelp("Baud rate that gives a transcript without times its time.", valueName: "baud"))
  var baud = 38400

  func validate() throws {
    guard (300...10_000_000).contains(baud) else {
      throw ValidationError("--baud \(baud): expected 300 to 10000000")
    }
    guard !files.isEmpty else { throw ValidationError("name a capture, or - for standard input") }
  }

  func run() throws {
    do {
      let loaded = signals.isEmpty ? nil : try SignalSetCache.load(signals)
      let fences = try fences.map { try FenceFile.read($0) }
      var run = try ReplayRun(
        options: ReplayOptions(
          format: format, speed: speed, period: every, names: names, baud: baud, loaded: loaded, fences: fences),
        errors: errors)
      var firstFailure: Failure?
      for file in files {
        do {
          try run.replay(file)
        } catch let failure as Failure {
          // What was read is delivered, and the other captures are no worse for it.
          StandardError.say("obdgate replay: \(failure.description)")
          if firstFailure == nil { firstFailure = failure }
        }
      }
      try run.flush()
      if let firstFailure { throw ExitCode(firstFailure.status) }
    } catch let failure as Failure {
      throw failure.reported(by: "replay")
    }
  }
}

/// How fast a replay goes.
enum ReplaySpeed: ExpressibleByArgument {
  case max
  case times(Double)

  init?(argument: String) {
    if argument == "max" {
      self = .max
    } else if let times = Double(argument), times > 0, times.isFinite {
      self = .times(times)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String { "max" }
}

/// When a telemetry record is made.
enum RecordPeriod: ExpressibleByArgument {
  case seconds(Double)
  case cycle

  init?(argument: String) {
    if argument == "cycle" {
      self = .cycle
    } else if let seconds = Double(argument), seconds >= 0.001, seconds <= 86_400 {
      self = .seconds(seconds)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String { "1" }

  var cadence: Cadence {
    switch self {
    case .seconds(let seconds): .every(nanoseconds: Int64((seconds * 1e9).rounded()))
    case .cycle: .cycle
    }
  }
}

/// What values are called.
enum ValueNames: String, ExpressibleByArgument, CaseIterable { case plain, vss }

extension CaptureFormat: ExpressibleByArgument {
  public init?(argument: String) { self.init(name: argument) }
  public static var allValueStrings: [String] { allCases.map { "\($0.name)" } }
  public var defaultValueDescription: String { "\(name)" }
}

/// What a replay was asked for.
struct ReplayOptions {
  var format: CaptureFormat?
  var speed: ReplaySpeed
  var period: RecordPeriod
  var names: ValueNames
  var baud: Int
  var loaded: LoadedSignals?
  var fences: FenceSet?
}
