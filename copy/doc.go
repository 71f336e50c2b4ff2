// Package copy moves rows between files and tables: COPY FROM and COPY TO.
//
// It is named after what it does, as in containers/image. A file that needs the builtin
// beside it imports the package under another name.
//
// # COPY FROM a file
//
//	            file   |  0  |  1  |  2  |  3  |  4  |  5  |      splits of BlockSize bytes
//	1 count            tally tally tally tally tally tally        in parallel, for every state
//	2 sum              ------------------------------------->     start state, rows and lines before each
//	3 cut              [ fragment 0 )[ fragment 1 )[ frag. 2 )    exact rows of each
//	4 reserve          one allocation of the store for all
//	5 convert          worker        worker        worker         into its final place
//	6 sync, commit     one data file, then one log record
//
// The number of rows is known before anything is allocated, so space is reserved once
// and exactly, but for string bytes, which are bounded by the input's length.
//
// # Formats
//
// What the bytes of a file mean is its format's (type Format), and every format comes in
// through Register, text, csv and binary too. The core calls it once per block or batch,
// never per row or field:
//
//	options    Format.ReadRecords      what it makes of its options
//	columns    RecordReader.Bind       and of the columns of the statement
//	head       Records.Head            of each input: where its records are, and a Scanner or Walker
//	count      Scanner.Count           record ends of a piece, for every state it may start in
//	           Walker.Walk             or one record after the other
//	seek       Scanner.After           the first record of a fragment
//	index      Decoder.Index           how many records of a block are whole
//	convert    Decoder.Decode          into the columns of a fragment (type Rows)
//	explain    Scanner.Explain         why one record fails
//
// Containers have parts with rows instead of records (container.go). They are opened, say
// their columns, which the core matches, and give one part after the other; parts are
// read in parallel, each into its own fragments. If all say their rows before they are
// read, space is reserved once and exactly, as for records.
//
// The count. A record of csv ends at a line break outside quotes. Whether a split starts
// inside quotes is unknown while it is counted, so its tally has the record ends for every
// state it may start in, and the state behind it for each (type Tally). Tallies compose from
// the left; the sum picks for each split the one that holds. If a quote in quotes is doubled,
// the state is the parity of the quotes before a byte, wherever they stand, a stray quote
// in the middle of a field included, because every quote toggles: kernels.CountRecordEnds
// counts both parities in one pass. Only another ESCAPE needs the three states of
// dialect.next, byte by byte. The bytes of a split do not matter: 1 byte gives the same
// tallies, summed, as 1 MiB. So no record end is ever guessed, whatever the data.
//
// Text. In the text format the backslash is what the quote is in CSV: it makes the byte
// behind it data, so the states are outside and escaped, and both start states agree behind
// the first byte that is no backslash. A tally also says whether a backslash and a point
// are in its split: the first of them is looked at when the tallies are summed, and if it
// is alone on its line the input ends there.
//
// Binary. Where a tuple ends only its lengths say: the count walks over the lengths, each
// input by one worker (walk.go). But tuples of fixed width without NULLs are all equally long, and
// pieces of an input are checked for that in parallel: a piece that is nothing but whole
// tuples of that length begins with a tuple if the piece before it does. The walk goes on
// at the first piece that is not. A split notes where the last tuple before it ends. What
// is no tuple counts as the last one, and fails in its turn; no length is believed before
// the bytes are there. The index has a separator at the end of every field, so that
// tuples are batches like lines, and their columns are loops that swap bytes.
//
// Conversion. A worker owns the records of one fragment. It finds the first by counting
// record ends in the split that the one before it ends in, and then goes on in blocks of
// 64 KiB (type reader): one structural index of delimiters, quotes and record ends, one
// check that all records have the right number of fields, then column by column (type
// lineDecoder), values straight into the fragment. A block ends behind a record; what is
// left over begins the next block. A record longer than a block makes the block longer.
// Batches end on multiples of 64 rows where that costs little, so bitmaps are written in
// whole words; where they do not, words are shifted together.
//
// Input files are not ours. They are read with pread into private buffers, never mapped.
// Every worker converts exactly the rows that were counted, and writes the offsets where it
// began and ended. If size or modification time differ at the end, or the pieces do not
// join from the first byte to the last, the file was changed while being read (55000),
// and nothing was stored.
//
// Small input. Up to 1 MiB is read once and counted and converted from memory by the
// calling goroutine; none is started. More workers come with the bytes, one for each MiB,
// never with the configuration, which is only a limit.
//
// Large input. Files larger than the memory limit are taken in windows, ranges of splits
// that go through steps 1 to 5 one after the other (window.go). Each is a load of its own, and
// one transaction appends them all.
//
// # COPY FROM a stream
//
// The leader, which is the calling goroutine, reads parcels of up to 6 MiB, finds the last
// record end of each, and hands them to workers, or converts them itself as long as the
// stream is no longer than one. The rows of a parcel are counted before it is converted, so
// its fragments too have their exact size. No more than one parcel for each worker, and
// one, exist at a time.
//
// Compressed files and text of another encoding are streams too: what is in the file, as UTF-8.
// Bytes that cannot be converted are put down as a byte that is not UTF-8, so that they fail
// their record and no earlier one (type decoder).
//
// # COPY FROM columns
//
// The result of a query and Arrow data are columns already. They go from column to column
// without text, by the calling goroutine; what CHECK, keys and defaults do is the same.
//
// # Rows that are left out
//
// ON_ERROR and WHERE may leave records out. A batch is converted at provisional places, and
// then the records that stay are closed up in every column, before NOT NULL and CHECK look
// at them (type sieve). The rows of a fragment are therefore at most those planned for it.
// Under a WHERE, which may leave next to nothing, fragments grow with their rows instead.
// What was left out is told in the order of the input, whatever the workers did: notices,
// the table of REJECTS, and the record that exceeds REJECT_LIMIT.
//
// # One error
//
// Whatever the number of workers and the size of blocks, the error is that of the
// smallest failing record: in it first what is wrong with its bytes (encoding, line breaks,
// an open quote), then the number of fields, then the fields from left to right, NOT NULL,
// WHERE, CHECK. Keys come last. Workers only detect that a record fails, note it if no
// smaller one is known, and stop; fragments are taken in order, so all that is before it
// is being looked at. What is wrong is found by reading that one record again, slowly: its
// format says what is wrong with its bytes and values, in PostgreSQL's words, and the core
// decodes it into a row of its own to tell of NOT NULL and CHECK (explain.go).
//
// A panic in a format ends the COPY with an error that names the format: everything that
// calls one runs under guarded.
//
// # Ownership
//
// A loader belongs to the calling goroutine. Inputs, splits and fragment plans are written
// by it alone before the workers start, but for the tallies, of which each has one writer,
// and a piece's offsets, which belong to its worker until all have ended. A FragmentWriter
// and everything in a worker belong to one goroutine. Values are stored into mapped memory:
// all workers run under mmap.Guard, so a disk that fails is an error.
//
// All or nothing: rows are in no version of the table before the commit. On any error the
// load is dropped and its space is given back.
//
// # COPY TO
//
// Row groups are formatted in parallel and written in order. A regular file is written
// beside its final name and renamed. A format of records is an Encoding: what comes before the
// rows and behind them, and for each goroutine an Encoder of batches. A container is an
// Archive, which takes packs of rows in order, and is told when there are no more. With
// PARTITION_BY rows are grouped first, and each group is written like the rows of a query
// (type partitioner); the directory is renamed like a file.
package copy
