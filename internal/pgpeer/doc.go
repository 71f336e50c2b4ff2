// Package pgpeer runs a PostgreSQL server beside a test, so that the test can ask both
// ingot and PostgreSQL the same thing and compare the answers.
//
// Start finds the binaries that Debian or PATH has, makes a database cluster in a
// temporary directory and serves it on a Unix socket in that directory, never on TCP. The
// cluster has encoding UTF8, collation C, character types of C.UTF-8, DateStyle ISO, MDY
// and zone UTC, which is what ingot has, and it never syncs. One server is shared by all
// tests of a binary; Main stops it. A shell process watches over the server: when the test
// binary ends in any way, killed included, the server goes down and the directory is
// removed.
//
// Where PostgreSQL is not installed, Start skips the test and says so. With
// INGOT_REQUIRE_POSTGRES=1 in the environment it fails instead.
//
// The tests of this package are the comparison. What is known to differ is in tables
// (difference), with both answers and the reason: a difference that is not in a table, or
// one in a table that is gone, fails.
package pgpeer
