import Failures
import GatewayStatus
import JSONText

/// Where a daemon with a given configuration serves its status. It can also be found if the configuration is partly
/// invalid.
public struct StatusLocation: Sendable {
  public private(set) var socket = GatewayConfiguration.Status.Socket.usual
  /// The state directory; `nil` if there is none, or if it is not known.
  public private(set) var stateDirectory: String?

  /// Finds the location from a valid configuration.
  public init(_ configuration: GatewayConfiguration) {
    socket = configuration.status.socket
    stateDirectory = configuration.stateDirectory
  }

  /// Finds the location from a configuration file.
  ///
  /// - Parameter file: path of the configuration. If it is `nil` or cannot be read, the defaults apply.
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
      // Use the values that were read before the error.
    }
  }

  /// The paths of sockets to try, in this order: the path that a daemon with this configuration uses, then the paths
  /// that a daemon with another configuration may use.
  public var places: [String] {
    let usual = StatusSocketPath.ofClients(stateDirectory: stateDirectory)
    return if case .at(let path) = socket { [path] + usual } else { usual }
  }
}
