import ArgumentParser
import Captures
import Failures
import NMEAWire
import OBDWire
import Telemetry

/// `obdgate bench`: measures the speed of the parsers on this machine.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures how fast this machine parses.",
    discussion: """
      Without files, it measures traffic that the program composes, the same on every machine: 16 MB of adapter logs, 16 MB \
      of what the daemon receives from adapters, and 16 MB of NMEA. The times are processor times of one thread. Equal \
      checksums mean equal readings.
      """)

  @Argument(
    help: ArgumentHelp("Captures to measure instead. Each file is read into memory.", valueName: "file"),
    completion: .file())
  var files: [String] = []

  @Option(help: ArgumentHelp("Number of rounds for each part.", valueName: "n"))
  var iterations = 20

  @Flag(help: "Print one JSON object instead of a table.")
  var json = false

  @Option(
    help: ArgumentHelp("Only write the traffic to adapter.txt and gps.nmea in this folder.", valueName: "folder"),
    completion: .directory)
  var writeCorpus: String?

  func validate() throws {
    guard (1...1_000_000).contains(iterations) else {
      throw ValidationError("--iterations \(iterations): expected 1 to 1000000")
    }
  }

  func run() throws {
    do {
      let traffic = try BenchTraffic(files)
      if let writeCorpus {
        try Self.save(traffic.adapter, writeCorpus + "/adapter.txt")
        try Self.save(traffic.gps, writeCorpus + "/gps.nmea")
        return
      }
      try report(BenchRun(traffic, iterations: iterations))
    } catch let failure as Failure {
      throw failure.reported(by: "bench")
    }
  }

  private static func save(_ bytes: [UInt8], _ path: String) throws {
    var file = try OutputStream(path: path)
    try file.write(bytes.span)
    try file.flush()
  }

  private func report(_ run: BenchRun) throws {
    var output = OutputStream()
    if json {
      var encoder = JSONLineEncoder(capacity: 4096)
      encoder.begin()
      run.adapter.write("adapter", unit: "replies", &encoder)
      run.live?.write("live", unit: "replies", &encoder)
      run.liveInShortReads?.write("liveShortReads", unit: "replies", &encoder)
      run.nmea.write("nmea", unit: "sentences", &encoder)
      run.records.write("records", unit: "records", &encoder)
      encoder.finish()
      try output.write(encoder)
    } else {
      var lines = [run.adapter.row("adapter log → readings", "replies")]
      if let live = run.live { lines.append(live.row("adapter, live → readings", "replies")) }
      if let live = run.liveInShortReads { lines.append(live.row("adapter, live in short reads", "replies")) }
      lines.append(run.nmea.row("NMEA → fixes", "sentences"))
      lines.append(run.records.row("record encoder", "records of 15 values"))
      for line in lines { try output.write(line) }
    }
    try output.flush()
  }
}

/// The traffic (bytes of adapters and receivers) that the benchmark parses.
struct BenchTraffic {
  private(set) var adapter: [UInt8] = []
  private(set) var gps: [UInt8] = []
  /// The dialogue of a daemon with adapters. It is `nil` if files are measured, because a capture may have another
  /// format than the daemon receives.
  private(set) var live: BenchDialogue?

  init(_ files: [String]) throws(Failure) {
    if files.isEmpty {
      let corpus = BenchCorpus(size: 16 << 20)
      adapter = corpus.adapter
      gps = corpus.gps
      live = corpus.live
      return
    }
    for path in files {
      var collector = Collector(adapter: adapter, gps: gps)
      var progress = NoProgress()
      do throws(CaptureError) {
        var file = try CaptureFile(path: path)
        let format = try file.detected.get()
        collector.isGPS = format == .nmea
        try file.read(as: format, into: &collector, progress: &progress)
      } catch {
        throw Failure(error.exitStatus, error.description(of: path))
      }
      adapter = collector.adapter
      gps = collector.gps
    }
  }

  /// Appends the bytes of a capture to one array. The commands in the capture are appended as well; for the reader,
  /// they are an adapter's echo.
  private struct Collector: CaptureConsumer {
    var adapter: [UInt8]
    var gps: [UInt8]
    var isGPS = false

    init(adapter: [UInt8], gps: [UInt8]) {
      self.adapter = adapter
      self.gps = gps
    }

    mutating func header(
      recorded: Int64?, vehicle: Span<UInt8>, adapter: Span<UInt8>, provenance: Span<UInt8>
    ) {}

    mutating func bytes(_ direction: CaptureDirection, at time: CaptureTime, _ bytes: Span<UInt8>) {
      unsafe bytes.withUnsafeBufferPointer { source in
        if isGPS || direction == .fromGPS {
          unsafe gps.append(contentsOf: source)
        } else {
          unsafe adapter.append(contentsOf: source)
        }
      }
    }
  }
}
