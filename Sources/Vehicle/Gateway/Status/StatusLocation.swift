import JSONText

/// What of a configuration says where its daemon is asked, as far as the file can be read: it may be wrong elsewhere.
public struct StatusLocation: Sendable {
  public private(set) var socket = GatewayConfiguration.Status.Socket.usual
  /// nil: none, or not known.
  public private(set) var stateDirectory: String?

  /// What a configuration says that is right.
  public init(_ configuration: GatewayConfiguration) {
    socket = configuration.status.socket
    stateDirectory = configuration.stateDirectory
  }

  /// - Parameter file: the configuration; nil, or one that cannot be read: as without one.
  public init(file: String?) {
    guard let file, let text = try? FileText.read(file, limit: FileText.configurationLimit) else { return }
    let folder = GatewayConfiguration.folder(of: file)
    do throws(JSONError) {
      let document = try JSONDocument(parsing: text)
      var reader = try JSONObjectReader(document.root)
      stateDirectory = try GatewayConfiguration.path(&reader, "stateDirectory", folder)
      if var object = try reader.optionalObject("status") {
        socket = try GatewayConfiguration.Status(&object, folder: folder).socket
      }
    } catch {
      // What stands in front of the error counts.
    }
  }

  /// Where to look for its daemon, in turn, and for others that were started without it.
  public var places: [String] {
    let usual = StatusSocketPath.ofClients(stateDirectory: stateDirectory)
    return if case .at(let path) = socket { [path] + usual } else { usual }
  }
}
