import Failures
import GatewayStatus
import JSONText

/// The place at which a daemon with a given configuration serves its status. It can be found even if another part of
/// the configuration is invalid.
public struct StatusLocation: Sendable {
  public private(set) var socket = GatewayConfiguration.Status.Socket.usual
  /// The state directory; `nil` if there is none, or if it could not be read.
  public private(set) var stateDirectory: String?

  /// Takes the location from a valid configuration.
  public init(_ configuration: GatewayConfiguration) {
    socket = configuration.status.socket
    stateDirectory = configuration.stateDirectory
  }

  /// Reads the location from a configuration file.
  ///
  /// - Parameter file: path of the configuration file. If it is `nil` or the file cannot be read, the defaults apply.
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

  /// The paths of sockets to try, in this order. First comes the path that a daemon with this configuration uses. Then
  /// come the default paths that other daemons may use.
  public var places: [String] {
    let usual = StatusSocketPath.ofClients(stateDirectory: stateDirectory)
    return if case .at(let path) = socket { [path] + usual } else { usual }
  }
}
