/// The settings for uploaded files.
public struct FileSettings: Equatable, Sendable {
  /// The folder in which the contents of files are stored; `nil` if the server accepts no files.
  public var folder: String?
  /// The folder of the program that decodes images; `nil` if the server does not decode images.
  public var helperFolder: String?
  /// The folder with the Python packages that convert 3D models to binary glTF; `nil` if the server does not convert
  /// models.
  public var packagesFolder: String?
  /// The folder with the neural networks that recognize text; `nil` if text is recognized without them.
  public var recognizerFolder: String?
  /// Maximum size of one file in bytes.
  public var fileBytes = 256 << 20
  /// Maximum size of all files of a tenant together, in bytes.
  public var tenantBytes = 50 << 30
  /// Maximum size of all files together that one person or token has uploaded, in bytes.
  public var personBytes = 10 << 30
  /// The maximum number of images that are decoded at the same time.
  public var images = 1

  /// Creates the default settings.
  public init() {}
}
