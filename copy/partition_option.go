package copy

import (
	"slices"
	"strings"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// outputOptions are the options of a COPY TO that say what files it makes.
type outputOptions struct {
	by          columnSet // PARTITION_BY
	overwrite   bool
	compression *compression // nil: none
	given       bool         // COMPRESSION says it; otherwise the end of the name does
}

// read reads option o if it is one of these.
func (p *outputOptions) read(name string, o *Option, from bool) (known bool, err error) {
	switch name {
	case "partition_by", "overwrite":
	default:
		return false, nil
	}
	if from {
		return true, pgerr.New(pgerr.FeatureNotSupported, "COPY %s cannot be used with %s", strings.ToUpper(name), "COPY FROM")
	}
	if name == "overwrite" {
		p.overwrite, err = o.boolean()
		return true, err
	}
	one := *o
	one.List = o.List || len(o.Values) == 1 && o.Values[0].Kind <= String // one column needs no parentheses
	p.by, err = one.columns(false)
	return true, err
}

// takeCompression reads COMPRESSION from the options that are left, and returns the others:
// it is the core's in front of formats of records. A container compresses what is in it.
func (p *outputOptions) takeCompression(others []Option) ([]Option, error) {
	at := slices.IndexFunc(others, func(o Option) bool { return strings.EqualFold(o.Name, "compression") })
	if at < 0 {
		return others, nil
	}
	words := []string{"auto", "none"}
	for i := range compressions {
		words = append(words, compressions[i].name)
	}
	n, err := others[at].choice(true, words...)
	if err != nil {
		return nil, err
	}
	if p.given = n > 0; n > 1 {
		p.compression = &compressions[n-2]
	}
	return slices.Delete(slices.Clone(others), at, at+1), nil
}

// check applies the rules that hold between these options.
func (p *outputOptions) check() error {
	if p.overwrite && !p.by.given {
		return pgerr.New(pgerr.InvalidParameterValue, "COPY %s requires %s", "OVERWRITE", "PARTITION_BY")
	}
	return nil
}

// compressionFor returns how a file of that name is compressed, or nil.
func (p *outputOptions) compressionFor(path string) *compression {
	if p.given {
		return p.compression
	}
	return compressionOf(path)
}

// partFile returns the name of the file of each partition.
func (o *ToOptions) partFile() string {
	suffix := "." + o.Format
	if len(o.format.Suffixes) > 0 {
		suffix = o.format.Suffixes[0]
	}
	if o.output.compression != nil {
		suffix += o.output.compression.suffix
	}
	return "part-0" + suffix
}

// split divides the columns of b into those that name the partition, in the order of the
// option, and those that are in its files.
func (p *outputOptions) split(b *Binding) (keys, kept []int, err error) {
	if keys, err = p.by.resolve(b, "PARTITION_BY"); err != nil {
		return nil, nil, err
	}
	for i := range b.Columns {
		if !slices.Contains(keys, i) {
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return nil, nil, pgerr.New(pgerr.InvalidParameterValue, "COPY PARTITION_BY leaves no column to write").
			WithHint("The columns that it names are in the names of directories, not in the files.")
	}
	return keys, kept, nil
}
