// Package journal makes an owner's changes durable: one record, one sync, one commit point.
// It knows records and files as bytes, never tables.
//
// # Files
//
//	SB        superblock: two slots, 4 KiB apart, each naming a log; the valid one with the
//	          higher generation counts
//	log-N     logs; the newest continues, older ones are kept while a slot names them
//	data-N    the owner's files; the journal gives the numbers, syncs them in recovery, and
//	          removes those that no state names
//	*.tmp     unfinished; never read, removed when the store is opened for writing
//
// # A log
//
//	block 0        header: store id, log number, log id (random), length
//	block 1        full state of the owner at some seq
//	next blocks    records: commits with seq+1, seq+2, ...; marks; at the end a continuation
//	then           zeros, written before the log was used
//
// Every record starts on its own 4 KiB block and is padded with zeros to the next, so that a
// synced block is never written again. A record header carries the log id and its own offset
// under its checksum: a record is accepted only where it was written, and bytes of a log
// inside a body prove nothing. It also carries what was durable when it was written
// (durable end, durable seq), by which a torn tail is told from corruption: a bad record
// that some later header calls durable was damaged after it had been written (refuse);
// any other bad record never became durable (the log ends before it, silently).
//
// A mark states that everything before it is durable. Close writes one. A log that ends
// with a mark and zeros behind it was closed; any other was in use at a crash, and nothing
// is appended to it any more: the owner must call Rotate before the next Append.
//
// # Protocol
//
//	commit     write the record at the tail (one pwrite); fdatasync      <- commit point
//	rotate     write and sync log-(N+1) with the full state under a temporary name; rename;
//	           sync the directory; append "continued in N+1" to log-N; sync     <- now N+1
//	           counts; write the slot that does not hold the newest generation; sync;
//	           remove logs older than the older one that a slot names
//	create     log-1 as above; sync the directory; SB with both slots written, synced,
//	           renamed to its name; sync the directory and its parent
//	recover    newest valid slot; follow continuations; replay the last log up to its end;
//	           sync log, SB, directory and all data files before anything else; on the
//	           owner's Rotate flip both slots, then remove what nothing names
//
// A continuation is what makes one damaged slot harmless: the older slot names an older log,
// and that one leads to the newest.
//
// # What the owner promises
//
// Data files are durable (File.Sync, and SyncDir after creation) before a record that names
// them is appended with sync, and before Sync, Mark, Rotate and Close: all of these declare
// everything before them durable. Records appended without sync may name data that is not
// durable; recovery has Verify look at those, and cuts history at the first that fails.
//
// # Failures
//
// After the first failed sync of a log, the superblock or the directory the journal is
// poisoned: nothing is retried, and every later write returns ErrPoisoned. The failed
// commit itself returns ErrCommitUnknown. A failed write is undone (overwritten with zeros,
// synced) and is then a clean failure; if that fails too, the journal is poisoned.
//
// docs/FORMAT.md gives every field.
package journal
