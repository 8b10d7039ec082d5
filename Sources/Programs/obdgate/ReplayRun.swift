import ArgumentParser
import Captures
import Failures
import Fusion
import OBDWire
import SignalSets
import Telemetry

/// Replays captures, one after another. All write to the same outputs.
struct ReplayRun: ~Copyable {
  private let options: ReplayOptions
  private let loadedSignals: [LoadedSignal]
  /// The outputs; `nil` while a player uses them.
  private var outputs: ReplayOutputs?

  init(options: ReplayOptions, errors: String?) throws(Failure) {
    self.options = options
    outputs = try ReplayOutputs(errors: errors)
    loadedSignals = options.loaded?.recordSignals ?? []
  }

  mutating func flush() throws { try outputs?.flush() }

  /// Replays one capture.
  ///
  /// - Throws: an error if the capture cannot be read to its end. The records before the error were written.
  mutating func replay(_ path: String) throws {
    var file: CaptureFile
    do throws(CaptureError) {
      file = try CaptureFile(path: path)
    } catch {
      throw Failure(error.exitStatus, error.description(of: path))
    }
    let format = try chosenFormat(file.detected, path)
    guard let lent = outputs.take() else { return }
    var player = ReplayPlayer(
      fusion: Fusion(fusionOptions(contentHash: file.contentHash)), outputs: lent, options: options, format: format)
    var progress = ReplayProgress(path: path)
    var readError: CaptureError?
    do throws(CaptureError) {
      try file.read(as: format, into: &player, progress: &progress)
    } catch {
      readError = error
    }
    progress.end()
    let endedMidReply = player.finish()
    player.printTotals(of: path)
    let returned = player.release()
    let stop = returned.stop
    outputs = .some(returned)
    if let stop { throw stop }
    if let readError { throw Failure(readError.exitStatus, readError.description(of: path)) }
    if endedMidReply {
      throw Failure(
        .badData,
        "\(name(path)): ends mid-reply: the adapter's prompt (>) is missing; the records before it were written"
      )
    }
  }

  private func name(_ path: String) -> String { path == "-" ? "standard input" : path }

  private func chosenFormat(
    _ detected: Result<CaptureFormat, CaptureError>, _ path: String
  ) throws(Failure) -> CaptureFormat {
    if let format = options.format { return format }
    switch detected {
    case .success(let format): return format
    case .failure(let error): throw Failure(error.exitStatus, error.description(of: path))
    }
  }

  private func fusionOptions(contentHash: UInt64) -> FusionOptions {
    var fusion = FusionOptions(
      gatewayId: options.gatewayId ?? "replay", epoch: UUIDv7(milliseconds: 0, seed: contentHash, number: 0),
      idSeed: contentHash)
    // Until the vehicle is known, use the gateway's ID, as the daemon does. A fleet store accepts a record only if its
    // `vehicleId` is a vehicle of the gateway or the gateway's own ID.
    if let gatewayId = options.gatewayId { fusion.unknownVehicleId = gatewayId }
    fusion.cadence = (options.period ?? .seconds(1)).cadence
    fusion.naming = options.names == .vss ? .vss : .plain
    fusion.loadedSignals = loadedSignals
    return fusion
  }
}

/// The outputs of a replay: stdout for records, and optionally a file for wire errors.
struct ReplayOutputs: ~Copyable, RecordSink {
  private var records = OutputStream()
  private var errors: OutputStream?
  private var encoder = JSONLineEncoder()
  /// The error that ended the output, for example a full disk; `nil` if there was none.
  private(set) var stop: (any Error)?

  init(errors path: String?) throws(Failure) {
    if let path { errors = try OutputStream(path: path) } else { errors = nil }
  }

  mutating func record(_ line: Span<UInt8>) {
    guard stop == nil else { return }
    do { try records.write(line) } catch { stop = error }
  }

  /// Writes one wire error, if there is a file for wire errors.
  ///
  /// - Parameter elapsed: time since the start of the capture, ns.
  mutating func failure(_ error: WireError, _ line: Span<UInt8>, elapsed: Int64) {
    guard stop == nil, errors != nil else { return }
    encoder.begin()
    encoder.key("elapsed")
    encoder.value(Double(elapsed) / 1e9)
    WireErrorText.write(error, line, into: &encoder)
    encoder.finish()
    do { try errors?.write(encoder) } catch { stop = error }
  }

  mutating func flush() throws {
    try records.flush()
    try errors?.flush()
  }

  /// Writes the finished records. If that fails, the error is stored in ``stop``.
  mutating func flushRecords() {
    guard stop == nil else { return }
    do { try records.flush() } catch { stop = error }
  }
}
