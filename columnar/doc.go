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
// # Edges
//
// A rel table's rows are edges: row ids of two node tables, and properties. Beside the
// columns it has an adjacency, runs of consecutive edges as neighbours of each node, both
// ways:
//
//	edge id   0                         10000000     10000003
//	rows      [ fragment ][ fragment ]..[ fragment  ][ fragment ]
//	runs      [ stored in the load's data file      ][ in memory]
//	            forward:  offsets, neighbours
//	            backward: offsets, neighbours, edges
//
// A load brings keys. They are resolved to row ids in parallel, the edges sorted by source,
// and rows and run written into one file whose size follows from the number of edges; the
// staged keys of a large load are in a file that no record names. Small commits store no
// run: theirs are built from the columns when they are wanted first, merge as they come,
// and are stored by a checkpoint once there are enough. A run is verified before anybody
// is given it: whatever the bytes say, an id in it is one that its table has given.
//
// Nodes and edges agree at every commit: a row that edges have at an end is deleted with
// them or not at all, and a node table is not dropped under its rel tables, nor truncated
// under their rows. So an edge that is visible has visible ends, in every snapshot.
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
// # Keys
//
// Look-ups in a key of one integer column need no index as long as its chunks ascend and do
// not overlap: the chunk is found by its bounds, the row by a search in it. Otherwise there
// is a hash index in memory, of sealed runs of consecutive rows, each at least four times as
// long as the next and built in partitions, by as many goroutines as its rows justify. All
// versions of a table share it: it says where a key may be, and whoever asks looks at the
// row as his version has it. Nothing of it is stored; it is built when it is first wanted,
// within Options.MemoryLimit (53200).
//
// A load's keys are compared with each other and with those of the table in Txn.Append, under
// the write lock. Keys that ascend, of any type, and lie outside what the table's chunks
// have cost no look at a row. Keys are equal if their canonical bytes are: 1.0 is 1.00, -0 is 0, NaN is
// NaN; a key with a null in it equals nothing.
//
// # Promises
//
// A test named TestPromise... holds each, on rows in data files and in the log, with and
// without a checkpoint, a vacuum or a reopen in between. Those about statements are in
// package sql.
//
//	Invisible         what is not committed is in no snapshot: no row, no row group, no table
//	OwnWrites         a transaction sees its own changes, in the tables it asks for after them
//	Rollback          leaves nothing: no row, no row group, no table, no file; ids are given out again
//	Atomic            any number of changes to any number of tables are one record, one sync of the log
//	                  and one version: all of them are in a snapshot, or none
//	Deleted           a deleted row stays deleted, over restart, checkpoint and vacuum, without a mark
//	                  on the row
//	Outlives          a snapshot shows the same for its life: over deletes, checkpoints, vacuums,
//	                  truncation, DROP TABLE and Close
//	RowIDs            a row keeps its id, and no other row gets it, until the table is truncated
//	ReadersNeverWait  a reader waits for no writer, checkpoint, vacuum or other reader, whatever
//	                  they are doing, and none of them waits for a reader
//	OneWriter         there is one write transaction at a time; who wants to be the next waits until its
//	                  context ends or the busy timeout passes, which is ErrBusy (55P03) with the holder
//	LoadsOverlap      a load is made without the write lock, which is taken for key checks and the commit
//	CheckpointBeside  commits go on while a checkpoint or vacuum writes; it takes the write lock for its
//	                  last step only
//	Space             a vacuum gives back what deleted rows took, once no snapshot that sees them is left
//	Close             waits for no snapshot, transaction or load: it syncs, unlocks, refuses new work and
//	                  reports what is in use, whose last Release unmaps
//	Schema            changes of tables are part of the transaction like rows are
//	Statement         a statement sees what had committed when it began and its transaction's own writes,
//	                  never its own
//	Conflict          a transaction that has read, and writes after somebody committed, ends with
//	                  ErrConflict (40001)
//	Failed            an error inside BEGIN makes everything 25P02 until ROLLBACK, and COMMIT a rollback
//	Outside           CHECKPOINT and VACUUM inside BEGIN are 25001
//	ReadOnly          a READ ONLY transaction sees one snapshot, taken at BEGIN, and refuses writes (25006)
//	EndOfInput        a session that ends inside BEGIN rolls back
//	SlowInput         a COPY that waits for its input keeps no other writer waiting
//
// # Who may do what
//
// Any goroutine may read a Snapshot, a Table or a Load's Stats, and write fragments of
// a Load, each fragment from one goroutine. There is one Txn at a time; the store's
// write lock is a token in a channel, so that waiting for it ends with a context. Fields
// marked as the writer's are touched with the token held, or before there is anybody.
// Mapped memory is read inside mmap.Guard, in the goroutine that reads.
package columnar
