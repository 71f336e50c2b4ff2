package copy

import (
	"io"
	"io/fs"
	"os"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// openFiles opens the files of the source, reads small ones whole, and finds where
// their records begin. The only file that is no regular one, a pipe, is returned
// instead of being read.
func (l *loader) openFiles(patterns []string) (pipe *os.File, err error) {
	names, err := l.env.Files.expand(patterns)
	if err != nil {
		return nil, err
	}
	files := make([]*os.File, 0, len(names))
	defer func() {
		for i, f := range files {
			if len(files) > 1 || err != nil || pipe != nil {
				if f != pipe {
					f.Close()
				}
				if i < len(l.inputs) {
					l.inputs[i].file = nil
				}
			}
		}
	}()
	for _, name := range names {
		file, info, err := l.env.Files.open(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		if !info.Mode().IsRegular() {
			if len(names) > 1 {
				return nil, pgerr.New(pgerr.WrongObjectType, "\"%s\" is not a regular file", name).
					WithHint("Several inputs of one COPY must be regular files.")
			}
			return file, nil
		}
		l.inputs = append(l.inputs, &input{name: name, info: info, size: info.Size(), file: file})
		l.bytes += info.Size()
	}
	l.env.Progress.BytesTotal.Store(l.bytes)
	for i, in := range l.inputs {
		if err := l.begin(in, files[i]); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// begin reads the head of in, or all of it if the whole input is small.
func (l *loader) begin(in *input, file *os.File) error {
	if l.bytes <= l.env.small() {
		in.mem = make([]byte, in.size, in.size+slackBytes)
		n, err := io.ReadFull(io.NewSectionReader(file, 0, in.size), in.mem)
		l.result.Stages[StageRead].Bytes += int64(n)
		if err != nil && in.size > 0 {
			return readError(err, in.name)
		}
	}
	if err := l.sh.prologue(in, file, l.proto, l.opt.Header); err != nil {
		return err
	}
	l.env.Progress.BytesProcessed.Add(in.start)
	return nil
}

// verify returns an error if an input was written to while it was read: if it is not
// what it was, or if converted says that all of it was converted and the pieces do not
// make up the whole.
func (l *loader) verify(converted bool) error {
	for _, in := range l.inputs {
		var info fs.FileInfo
		var err error
		if in.file != nil {
			info, err = in.file.Stat()
		} else {
			info, err = l.env.Files.stat(in.name)
		}
		if err != nil {
			return fileError(err, "could not stat file", in.name)
		}
		if !in.same(info) {
			return errChanged(in.name)
		}
	}
	if !converted {
		return nil
	}
	end := make(map[*input]int64, len(l.inputs))
	for _, in := range l.inputs {
		end[in] = in.start
	}
	for i := range l.fragments {
		for _, p := range l.fragments[i].from {
			if p.start != end[p.in] {
				return errChanged(p.in.name)
			}
			end[p.in] = p.end
		}
	}
	for _, in := range l.inputs {
		if end[in] != in.size {
			return errChanged(in.name)
		}
	}
	return nil
}

// closeFiles closes what openFiles left open.
func (l *loader) closeFiles() {
	for _, in := range l.inputs {
		if in.file != nil {
			in.file.Close()
		}
	}
}
