// Package columnar is the store: tables of column chunks in memory-mapped files, one
// log that orders commits, and immutable versions that readers hold without a lock.
//
// # A store
//
//	LOCK      held exclusively by the writing process, shared by reading ones
//	SB        superblock: two slots that name the log to start from
//	log-N     commit records; the first is the full state the log started with
//	data-N    column chunks of one large load, or of one checkpoint
//
// docs/FORMAT.md specifies every byte; package journal owns SB and log-N.
//
// # A table
//
//	row id    0                131072             262144
//	          |-- row group 0 --|-- row group 1 --|- 2 -
//	          [ fragment ][ fragment  ][ f ][f][  f   ]      one commit wrote each
//	          [ chunk id ]                                    one column of one fragment
//	          [ chunk t  ]
//
// A fragment holds consecutive rows and has room for exactly those. It may straddle
// two row groups, as a load learns its first row id only at commit; a piece is the
// part of it in one group. Fragments are named by the version that lists them, so rows
// of a load that was rolled back are nowhere. A row keeps its id for good, deleted or
// not; which rows are deleted is the version's visibility.Groups.
//
// A plain chunk is a validity bitmap, then the values (or bits, or offsets) as in
// Arrow; bytes of variable-length values lie elsewhere in the same file. A chunk's
// checksum is in the record that names it and is verified when the chunk is first
// touched, with its header and its offsets, before any kernel sees it.
//
// # How rows come in
//
//	plan  ->  NewLoad     reserves once: memory, or one file by one fallocate
//	      ->  Fragment    writers store values at their final place, in any goroutine
//	      ->  Finish      null counts, zone maps, checksums; variable bytes are placed
//	      ->  Load.Sync   the unused end is cut off; one fdatasync
//	lock  ->  Txn.Append  unique keys; the rows get their ids
//	      ->  Txn.Commit  one record, one fdatasync of the log; then one atomic store
//
// A load that fits Options.InlineBytes is never a file: its values travel in the
// commit record, packed, and are expanded in memory, again when the log is replayed. A
// checkpoint folds such fragments into a data file. Small neighbours in memory are
// merged as they arrive, so that a table of single-row commits is not a list of
// single-row fragments.
//
// # Why it is correct
//
// Order. Bytes of a data file are durable before the record that names it is written;
// the record is durable before the version that has it is published. So what a reader
// has seen survives, and what a record names is there.
//
// Immutability. A published byte is never written again: data files are created,
// filled, cut once at their own end, and unlinked whole. Versions share what did not
// change; the slice of full row groups is shared by appending only behind the length
// that any reader knows, and only the one writer appends.
//
// Lifetime. A version counts its readers (visibility.Head). A file goes when no live
// version lists it; lifetimes keeps that account, and an Arrow batch keeps the mapping
// for itself. Close retires every file, so the last Release unmaps the last one.
//
// Recovery makes the same calls on the same draft type as a transaction does: there is
// one way to change a version.
//
// # Who may do what
//
// Any goroutine may read a Snapshot, a Table or a Load's Stats, and write fragments of
// a Load, each fragment from one goroutine. There is one Txn at a time; the store's
// write lock is a token in a channel, so that waiting for it ends with a context. Fields
// marked as the writer's are touched with the token held, or before there is anybody.
// Mapped memory is read inside mmap.Guard, in the goroutine that reads.
package columnar
