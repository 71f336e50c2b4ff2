// A file for every architecture is checked for none. // want file
TEXT ·Anything(SB), NOSPLIT, $0-8
	RET
