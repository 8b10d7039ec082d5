import Failures
import Glibc

/// The reason why a file could not be read or written.
public enum FileError: Error, Equatable, Sendable {
  /// There is no such content.
  case missing(String)
  /// Another request writes to the same upload.
  case busy
  /// The next piece of the upload must begin at this offset.
  case offset(Int64)
  /// The piece has another checksum than the client has sent. Nothing of the piece is kept.
  case checksum
  /// The content has another SHA-256 than the client has announced. Nothing of it is kept.
  case otherContent(found: String)
  /// No space is left.
  case full
  /// Any other error of the system.
  case system(String)

  /// Creates the error of the last system call.
  static func last(_ place: String) -> FileError {
    let code = errno
    return switch code {
    case ENOSPC, EDQUOT: .full
    case ENOENT: .missing(place)
    default: .system("\(place): \(systemReason(code))")
    }
  }
}
