import Failures
import FleetFiles

/// The settings for uploaded files.
public struct FileSettings: Equatable, Sendable {
  /// The folder in which the contents of files are stored; `nil` if the server accepts no files.
  public var folder: String?
  /// The S3 bucket in which the contents of files are stored instead of in a folder; `nil` for none.
  public var s3: S3Bucket?
  /// The folder of the program that decodes images; `nil` if images are stored as they are.
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

  /// Opens the store for the contents of files.
  ///
  /// - Returns: `nil` if neither a folder nor a bucket is set.
  public func open() throws(Failure) -> (any FileStore)? {
    if let s3 { return S3FileStore(s3) { WallClock.now } }
    guard let folder else { return nil }
    do throws(FileError) {
      return try FolderFileStore(folder: folder)
    } catch {
      throw Failure(.unavailable, folder, "cannot be used for files: \(error)")
    }
  }
}
