// Package pgtext reads and writes the text forms of SQL values exactly as PostgreSQL
// does: what it accepts, what it stores, what it prints, and the message and SQLSTATE
// it gives when it refuses. The reference is PostgreSQL 18; where 16 or 17 differ only
// in wording, 18 wins.
//
// # Shape
//
// Every parser takes the bytes of one field and returns the value and a [Status]. A
// Status is one byte, so that a column loop tests it without building an error;
// [Describe] turns (status, type, text) into PostgreSQL's message when one is wanted.
// Parsers neither keep nor change their input, and allocate nothing when they succeed,
// with two exceptions: a numeric written as a hexadecimal, octal or binary integer, and
// the first use of a time zone name. Formatters append to a caller's slice. Everything here is safe for concurrent use.
//
//	type                      value                                  parser           formatter
//	smallint integer bigint   int64                                  Int              AppendInt
//	double precision, real    float64, float32                       Float8, Float4   AppendFloat8, AppendFloat4
//	boolean                   bool                                   Bool             AppendBool
//	numeric(p,s), p <= 38     Decimal128, unscaled, and a Special    ParseDecimal     AppendDecimal
//	numeric                   canonical text                         ParseNumericText the text itself
//	date                      int32, days since 1970-01-01           Date             AppendDate
//	time                      int64, microseconds since midnight     Time             AppendTime
//	timestamp                 int64, microseconds since 1970-01-01   Timestamp        AppendTimestamp
//	timestamp with time zone  the same, in UTC                       TimestampTZ      AppendTimestampTZ
//	uuid                      [16]byte                               UUID             AppendUUID
//	bytea                     bytes                                  Bytea            AppendBytea
//	json                      its own text, checked                  ValidJSON        the text itself
//
// # Where a value cannot be PostgreSQL's
//
// Timestamps count from 1970 and PostgreSQL's from 2000, in the same 64 bits. Ours
// therefore end at 294247-01-10 04:00:54.775806 instead of in 294276; what lies between
// is [Range]. Nothing is lost at the early end, 4714-11-24 BC.
//
// The words now, today, tomorrow and yesterday are [Syntax]: a stored value must not
// depend on when a file was read. DateStyle is ISO, MDY. A zone in POSIX's notation is
// taken with a fixed offset (UTC+3) but not with rules for daylight-saving time, unless
// the time zone database has it by that name (EST5EDT).
//
// # Rounding
//
// numeric rounds half away from zero. The seconds' fraction of a time is read as a
// binary double, multiplied by a million and rounded half to even, as PostgreSQL does,
// so digits beyond the sixth follow that double and not the decimal text.
package pgtext
