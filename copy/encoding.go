package copy

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// utf16Name is the name of the one encoding that is not a table of 256 characters.
const utf16Name = "UTF16"

// charmaps are the encodings of one byte a character, by PostgreSQL's names.
var charmaps = map[string]*charmap.Charmap{
	"LATIN1": charmap.ISO8859_1, "LATIN2": charmap.ISO8859_2, "LATIN3": charmap.ISO8859_3, "LATIN4": charmap.ISO8859_4,
	"LATIN5": charmap.ISO8859_9, "LATIN6": charmap.ISO8859_10, "LATIN7": charmap.ISO8859_13, "LATIN8": charmap.ISO8859_14,
	"LATIN9": charmap.ISO8859_15, "LATIN10": charmap.ISO8859_16, "ISO_8859_5": charmap.ISO8859_5, "ISO_8859_6": charmap.ISO8859_6,
	"ISO_8859_7": charmap.ISO8859_7, "ISO_8859_8": charmap.ISO8859_8, "KOI8R": charmap.KOI8R, "KOI8U": charmap.KOI8U,
	"WIN866": charmap.CodePage866, "WIN874": charmap.Windows874, "WIN1250": charmap.Windows1250, "WIN1251": charmap.Windows1251,
	"WIN1252": charmap.Windows1252, "WIN1253": charmap.Windows1253, "WIN1254": charmap.Windows1254, "WIN1255": charmap.Windows1255,
	"WIN1256": charmap.Windows1256, "WIN1257": charmap.Windows1257, "WIN1258": charmap.Windows1258,
}

// otherNames are other spellings of encodings, without what is neither letter nor digit.
var otherNames = map[string]string{
	"utf8": "", "unicode": "", "utf16": utf16Name, "utf16le": utf16Name + "LE", "utf16be": utf16Name + "BE",
	"iso88591": "LATIN1", "iso88592": "LATIN2", "iso88593": "LATIN3", "iso88594": "LATIN4", "iso88599": "LATIN5",
	"iso885910": "LATIN6", "iso885913": "LATIN7", "iso885914": "LATIN8", "iso885915": "LATIN9", "iso885916": "LATIN10",
	"windows1252": "WIN1252", "cp1252": "WIN1252", "koi8": "KOI8R",
}

// encodingName reads the name of an encoding: PostgreSQL's, in any case and with any
// punctuation. UTF-8 is the empty name.
func encodingName(o *Option) (string, error) {
	v, err := o.text()
	if err != nil {
		return "", err
	}
	norm := plainName(*v)
	if name, ok := otherNames[norm]; ok {
		return name, nil
	}
	for name := range charmaps {
		if plainName(name) == norm {
			return name, nil
		}
	}
	known := append(slices.Sorted(maps.Keys(charmaps)), utf16Name, utf16Name+"LE", utf16Name+"BE", "UTF8")
	return "", pgerr.New(pgerr.InvalidParameterValue, "argument to option \"%s\" must be a valid encoding name", "encoding").
		WithDetail("There is no encoding \"%s\".", *v).WithHint("Known encodings: %s.", strings.Join(known, ", "))
}

// plainName returns the letters and digits of an encoding's name in lower case.
func plainName(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			return c
		}
		return -1
	}, s)
}
