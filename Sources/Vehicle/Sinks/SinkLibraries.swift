import CCompression
import CCurl
import CMosquitto

/// Shared libraries that sinks need. They are loaded only if a sink needs them, because, together with the libraries
/// that they need, they are about thirty.
public enum SinkLibraries {
  /// A library that a sink needs or can use, and that is not installed.
  public struct Missing: Equatable, Sendable, CustomStringConvertible {
    /// Name of the sink.
    public let sink: String
    /// A message for the operator, for example `libcurl.so.4 is not installed: its records wait`.
    public let detail: String
    /// Name of the Debian package that contains the library.
    public let package: String
    /// Whether the sink cannot deliver anything without the library.
    public let isNeeded: Bool

    public var description: String { "\(sink): \(detail)" }
  }

  /// Loads the libraries of the configured sinks. Call this before other threads start, because libraries read the
  /// environment while they are loaded. If a library is missing now, the sink itself loads it later.
  ///
  /// - Returns: for each missing library, one message that also states the consequence.
  public static func open(for sinks: [SinkConfiguration]) -> [String] {
    sinks.flatMap(\.missingLibraries).map(\.description)
  }
}

extension SinkConfiguration {
  /// The libraries that this sink needs or can use and that are not installed. Reading this property loads the
  /// libraries that are installed.
  public var missingLibraries: [SinkLibraries.Missing] {
    var missing: [SinkLibraries.Missing] = []
    func lacks(_ detail: String, _ package: String, isNeeded: Bool = false) {
      missing.append(SinkLibraries.Missing(sink: name, detail: detail, package: package, isNeeded: isNeeded))
    }
    switch self {
    case .stdout: break
    case .file(let file):
      if file.rotation.compresses, ccompression_load_zstd() != 0 {
        lacks("libzstd.so.1 is not installed: rotated files stay uncompressed", "libzstd1")
      }
    case .fleetStore:
      if ccurl_load() != 0 { lacks("libcurl.so.4 is not installed: its records wait", "libcurl4", isNeeded: true) }
      if ccompression_load_zstd() != 0, ccompression_load_gzip() != 0 {
        lacks("neither libzstd.so.1 nor libz.so.1 is installed: records are sent uncompressed", "libzstd1")
      }
    case .mqtt:
      if cmosquitto_load() != 0 {
        lacks("libmosquitto.so.1 is not installed: its records wait", "libmosquitto1", isNeeded: true)
      }
    }
    return missing
  }
}
