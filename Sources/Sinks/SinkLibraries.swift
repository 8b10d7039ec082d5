import CCompression
import CCurl
import CMosquitto

/// The libraries that sinks need, opened when they are needed: some thirty with all that they bring.
public enum SinkLibraries {
  /// Opens what the configured sinks need. To be called before other threads begin, since libraries look at the
  /// environment while they are opened; a sink whose library was not opened so opens it itself.
  ///
  /// - Returns: those that are missing, a line for each, with what is done without them.
  public static func open(for sinks: [SinkConfiguration]) -> [String] {
    var missing: [String] = []
    for sink in sinks {
      switch sink {
      case .stdout: break
      case .file(let file):
        if file.rotation.compresses, ccompression_load_zstd() != 0 {
          missing.append("\(sink.name): libzstd.so.1 is not installed: files put aside stay uncompressed")
        }
      case .fleetStore:
        if ccurl_load() != 0 { missing.append("\(sink.name): libcurl.so.4 is not installed: its records wait") }
        if ccompression_load_zstd() != 0, ccompression_load_gzip() != 0 {
          missing.append("\(sink.name): neither libzstd.so.1 nor libz.so.1 is installed: records go uncompressed")
        }
      case .mqtt:
        if cmosquitto_load() != 0 {
          missing.append("\(sink.name): libmosquitto.so.1 is not installed: its records wait")
        }
      }
    }
    return missing
  }
}
