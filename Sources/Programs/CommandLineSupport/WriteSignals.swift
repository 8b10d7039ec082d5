import Glibc

/// Ignores the signals that would end the process when a write fails. The write returns an error instead.
public func ignoreWriteSignals() {
  // Sent if the other end of a pipe or socket was closed.
  _ = signal(SIGPIPE, SIG_IGN)
  // Sent if a file would exceed the limit of file sizes (RLIMIT_FSIZE).
  _ = signal(SIGXFSZ, SIG_IGN)
}
