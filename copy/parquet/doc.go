// Package parquet is the COPY format parquet. A program has it if it imports this package,
// for its side effect of registering the format:
//
//	import _ "github.com/ingotdb/ingot/copy/parquet"
//
// # Reading
//
//	file      | PAR1 | row group | row group | ... | footer | length | PAR1 |
//	row group | column chunk | column chunk | ...
//	chunk     | header, dictionary | header, page | header, page | ...
//
// The footer is read once. A row group is a part of the COPY, or several if it is large: one
// goroutine reads a part, others read other parts at the same time. It reads the columns that the COPY wants, and of
// those only (type groupReader): each column a batch of rows at a time, page after page
// (type column), values straight into the layout that columns have here. A dictionary is
// converted once and its values are then copied by number.
//
// Every version of pages, every encoding and every codec but LZO is read, see page.go and
// codec.go. Lists become arrays; structures, maps, lists of these and encrypted columns are
// 0A000 if they are wanted, and do no harm if they are not.
//
// A row group is passed over if the WHERE of the COPY cannot be true of any of its rows by the
// statistics that the footer has, as far as those can be trusted: see field.bounds.
//
// # What a file claims
//
// Nothing is believed before it was compared with what is there. The footer's lists grow as
// their elements are read. A chunk must lie in the file, a page in its chunk; a page has room
// made for it that its compressed bytes can stand for, and more as they turn out to stand
// for it (type inflater). Values are read a batch at a time, so their number allocates
// nothing. What remains are runs: a few bytes may say that a million values are null.
// Row groups, chunks and pages of more than 16 million values must have a byte for each 4096.
// Checksums of pages are tested where a writer has put them down.
//
// The footer and the page headers are read here and not by arrow-go, whose reader allocates
// what lists claim, panics on logical types it does not know, and takes six times as long per
// value; its package compress has the codecs that this module has not.
//
// # Writing
//
// A row group is encoded by one goroutine, others at the same time, into memory of its own, and
// written when those before it are (type packer). A column is encoded with a dictionary as
// long as that makes it smaller. Pages are of version 1, plain or with dictionary, which every
// reader knows; their checksums are put down. Statistics have the minimum and the maximum.
package parquet
