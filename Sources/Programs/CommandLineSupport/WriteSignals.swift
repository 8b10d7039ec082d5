import Glibc

/// Ignores the signals that would end the process at a failed write; the write reports the error instead.
public func ignoreWriteSignals() {
  // The other end of a pipe or a socket was closed.
  _ = signal(SIGPIPE, SIG_IGN)
  // The file has reached the limit of a file's length (RLIMIT_FSIZE).
  _ = signal(SIGXFSZ, SIG_IGN)
}
