import Failures
import GatewayStatus
import JSONText

/// Where a configuration's daemon serves its status, as far as the file can be read. The file may be invalid elsewhere.
public struct StatusLocation: Sendable {
  public private(set) var socket = GatewayConfiguration.Status.Socket.usual
  /// `nil` if there is none, or it is not known.
  public private(set) var stateDirectory: String?

  /// Reads a valid configuration.
  public init(_ configuration: GatewayConfiguration) {
    socket = configuration.status.socket
    stateDirectory = configuration.stateDirectory
  }

  /// Reads a file.
  ///
  /// - Parameter file: path of the configuration; `nil`, or a file that cannot be read, means the defaults.
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
      // What precedes the error is used.
    }
  }

  /// Where to look for its daemon, in order, and for daemons that were started without this file.
  public var places: [String] {
    let usual = StatusSocketPath.ofClients(stateDirectory: stateDirectory)
    return if case .at(let path) = socket { [path] + usual } else { usual }
  }
}
