import CCompression
import CCurl
import CMosquitto

/// Shared libraries that sinks use. A library is loaded only if a configured sink uses it. Including the libraries on
/// which they depend, there are about thirty.
public enum SinkLibraries {
  /// A library that is not installed although a sink needs it or could use it.
  public struct Missing: Equatable, Sendable, CustomStringConvertible {
    /// Name of the sink that uses the library.
    public let sink: String
    /// A message for the operator, for example `libcurl.so.4 is not installed: its records wait`. "Its" refers to the
    /// sink.
    public let detail: String
    /// Name of the Debian package that contains the library.
    public let package: String
    /// Whether the sink cannot deliver records without the library.
    public let isNeeded: Bool

    public var description: String { "\(sink): \(detail)" }
  }

  /// Loads the libraries of the configured sinks. Call this before other threads start, because libraries read the
  /// environment while they are loaded. If a library is missing now but is installed later, the sink itself loads it.
  ///
  /// - Returns: one message for each missing library, which also states the consequence.
  public static func open(for sinks: [SinkConfiguration]) -> [String] {
    sinks.flatMap(\.missingLibraries).map(\.description)
  }
}

extension SinkConfiguration {
  /// The libraries that are not installed although this sink needs them or could use them. Reading this property loads
  /// the installed libraries.
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
