import Failures
import GatewayStatus
import JSONText

/// The addresses at which the daemon with a given configuration serves its status. The configuration may be partly
/// invalid.
public struct StatusLocation: Sendable {
  public private(set) var socket = GatewayConfiguration.Status.Socket.usual
  /// The state directory; `nil` if there is none or if it is unknown.
  public private(set) var stateDirectory: String?

  /// Creates the location from a valid configuration.
  public init(_ configuration: GatewayConfiguration) {
    socket = configuration.status.socket
    stateDirectory = configuration.stateDirectory
  }

  /// Reads the location from a file.
  ///
  /// - Parameter file: path of the configuration. The defaults apply if it is `nil` or cannot be read.
  public init(file: String?) {
    guard let file, let text = try? FileText.read(file) else { return }
    let folder = GatewayConfiguration.folder(of: file)
    do throws(JSONError) {
      let document = try JSONDocument(parsing: text)
      var reader = try JSONObjectReader(document.root)
      stateDirectory = try GatewayConfiguration.path(&reader, "stateDirectory", folder)
      if var object = try reader.optionalObject("status") {
        socket = try GatewayConfiguration.Status(&object, folder: folder).socket
      }
    } catch {
      // Use the values before the error.
    }
  }

  /// Socket paths to try, in order: that of the daemon with this configuration, then those of daemons that were started
  /// without it.
  public var places: [String] {
    let usual = StatusSocketPath.ofClients(stateDirectory: stateDirectory)
    return if case .at(let path) = socket { [path] + usual } else { usual }
  }
}
