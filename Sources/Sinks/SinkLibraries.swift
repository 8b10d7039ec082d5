import CCompression
import CCurl
import CMosquitto

/// The libraries that sinks need, opened when they are needed: some thirty with all that they bring.
public enum SinkLibraries {
  /// A library that a sink would use, and that is not there.
  public struct Missing: Equatable, Sendable, CustomStringConvertible {
    /// The sink's name.
    public let sink: String
    /// `libcurl.so.4 is not installed: its records wait`
    public let detail: String
    /// Debian's package that has it.
    public let package: String
    /// Without it the sink delivers nothing.
    public let isNeeded: Bool

    public var description: String { "\(sink): \(detail)" }
  }

  /// Opens what the configured sinks need. To be called before other threads begin, since libraries look at the
  /// environment while they are opened; a sink whose library was not opened so opens it itself.
  ///
  /// - Returns: those that are missing, a line for each, with what is done without them.
  public static func open(for sinks: [SinkConfiguration]) -> [String] {
    sinks.flatMap(\.missingLibraries).map(\.description)
  }
}

extension SinkConfiguration {
  /// Opens the libraries that this sink needs.
  ///
  /// - Returns: those that are missing.
  public var missingLibraries: [SinkLibraries.Missing] {
    var missing: [SinkLibraries.Missing] = []
    func lacks(_ detail: String, _ package: String, isNeeded: Bool = false) {
      missing.append(SinkLibraries.Missing(sink: name, detail: detail, package: package, isNeeded: isNeeded))
    }
    switch self {
    case .stdout: break
    case .file(let file):
      if file.rotation.compresses, ccompression_load_zstd() != 0 {
        lacks("libzstd.so.1 is not installed: files put aside stay uncompressed", "libzstd1")
      }
    case .fleetStore:
      if ccurl_load() != 0 { lacks("libcurl.so.4 is not installed: its records wait", "libcurl4", isNeeded: true) }
      if ccompression_load_zstd() != 0, ccompression_load_gzip() != 0 {
        lacks("neither libzstd.so.1 nor libz.so.1 is installed: records go uncompressed", "libzstd1")
      }
    case .mqtt:
      if cmosquitto_load() != 0 {
        lacks("libmosquitto.so.1 is not installed: its records wait", "libmosquitto1", isNeeded: true)
      }
    }
    return missing
  }
}
