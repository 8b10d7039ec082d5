import Failures
import Glibc

/// The reason why a file could not be read or written.
public enum FileError: Error, Equatable, Sendable {
  /// The store contains no such file.
  case missing(String)
  /// Another request writes to the same upload.
  case busy
  /// The piece began at a wrong offset. The next piece of the upload must begin at this offset, in bytes.
  case offset(Int64)
  /// The piece does not have the checksum that the client has sent. The whole piece was removed.
  case checksum
  /// The uploaded file does not have the SHA-256 that the client announced. The whole upload was removed.
  case otherContent(found: String)
  /// No space is left on the disk.
  case full
  /// The storage cannot be reached, or is overloaded. A later attempt may succeed.
  case unavailable(String)
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
