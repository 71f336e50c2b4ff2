// Package arrowipc reads Arrow's IPC formats, the stream and the file, from bytes that
// nobody vouches for, and writes them.
//
//	stream   [ message ]...  [ end ]
//	file     ARROW1\0\0 [ message ]... [ end ] [ footer ] [ length of the footer ] ARROW1
//	message  [ FF FF FF FF ] [ length ] [ metadata, a flatbuffer ] [ body ]
//	body     the buffers of the columns, one after the other, where the metadata says
//
// # What is believed
//
// Nothing. The reader has its own view of flatbuffers (type flat), in which a read outside
// the bytes is a zero and a note that the input is damaged; references lead forward only
// and are paid for out of a budget, so no metadata can make it loop, recurse or copy more
// than a small multiple of its own length. Lengths of rows are compared with the buffers
// that must hold them when a batch is opened, before anybody reserves space for rows. Every
// offset, view and index is compared with what it points into when it is read, before an
// array is made of it. Blocks of a file must not overlap, so the rows of a file are
// bounded by its bytes. Nothing is allocated because a length was claimed: a file's lengths
// end at its size, a stream's grow with the bytes that arrive, and a compressed buffer
// claims no more than its codec can make of its bytes.
//
// # Parts of a batch
//
// A batch may be any size: some writers make one batch of a whole table. Batch.Read
// therefore takes a range of rows, and of buffers that are not compressed it reads only the
// bytes of those rows, so that a batch is divided among goroutines, and read by each in
// pieces that stay in the processor's cache, without ever being in memory as a whole. A
// regular file with a stream in it is read like a file: its messages are found once by
// their metadata, the bodies are not looked at.
//
// # Dictionaries
//
// Those of a file are loaded when a column that needs them is first read. A delta adds to
// what was there, a replacement takes its place (in streams; in files there is none). Which
// of them a batch sees depends on the messages before it alone, not on the order of reading:
// every dictionary message has a number, and a batch sees those below its own.
//
// # Ownership
//
// A Reader may be used by many goroutines, a Batch and the arrays from it by one. Arrays
// are valid until the next Read of their Batch.
package arrowipc
