// The spool from outside, for tests that kill it, cut its power or fill its disk, and for what is measured.
//
//   SpoolProbe run FOLDER SEED ROUNDS   appends, commits, hands out and acknowledges; says every step
//   SpoolProbe faults FOLDER FILE       the same while the disk is full: FILE is what storage-shim.c looks at
//   SpoolProbe keep FOLDER closed|cut   keeps a note, and closes the spool or does not
//   SpoolProbe note FOLDER FILE         looks for it on a disk that is full at the start, and is not later
//   SpoolProbe fill FOLDER COUNT        appends so many records of 400 bytes; how long that took
//   SpoolProbe open FOLDER              opens and reads a little; how long that took, and how much memory
//   SpoolProbe drain FOLDER             hands everything out and has it acknowledged; how long that took

import Glibc
import Spool

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "run" where arguments.count == 4:
  SpoolRounds(arguments[1], seed: UInt64(arguments[2]) ?? 0).run(Int(arguments[3]) ?? 1)
case "faults" where arguments.count == 3: DiskFaults(arguments[1], arguments[2]).run()
case "keep" where arguments.count == 3: DiskFaults(arguments[1], "").storeNote(isClosed: arguments[2] == "closed")
case "note" where arguments.count == 3: DiskFaults(arguments[1], arguments[2]).readNote()
case "fill" where arguments.count == 3: SpoolMeasuring(arguments[1]).fill(Int(arguments[2]) ?? 1)
case "open" where arguments.count == 2: SpoolMeasuring(arguments[1]).open()
case "drain" where arguments.count == 2: SpoolMeasuring(arguments[1]).drain()
default:
  printLine(
    "usage: SpoolProbe run FOLDER SEED ROUNDS | faults FOLDER FILE | keep FOLDER closed|cut | "
      + "note FOLDER FILE | fill FOLDER COUNT | open FOLDER | drain FOLDER")
  exit(64)
}
