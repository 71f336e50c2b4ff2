package copy

import (
	"io"
	"io/fs"
	"os"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// openFiles opens the files of the source, reads small ones whole, and finds where
// their records begin. If the source is one file that can only be read as a stream, a
// pipe or a compressed file, it is returned instead.
func (l *loader) openFiles(patterns []string) (stream io.ReadCloser, err error) {
	names, err := l.env.Files.expand(patterns)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		file, info, err := l.env.Files.open(name)
		if err != nil {
			return nil, err
		}
		stream, err := asStream(file, info)
		if stream != nil && len(names) > 1 {
			stream.Close()
			return nil, pgerr.New(pgerr.FeatureNotSupported, "cannot COPY \"%s\" together with other files: it is a pipe or compressed", name).
				WithHint("Load it with a COPY of its own.")
		}
		if stream != nil || err != nil {
			return stream, err
		}
		l.inputs = append(l.inputs, &input{name: name, info: info, size: info.Size(), end: info.Size()})
		l.bytes += info.Size()
		if len(names) == 1 {
			l.inputs[0].file = file
			continue
		}
		if err := file.Close(); err != nil {
			return nil, fileError(err, "could not read from file", name)
		}
	}
	l.env.Progress.BytesTotal.Store(l.bytes)
	w := l.newWorker()
	defer w.close()
	for _, in := range l.inputs {
		src, err := w.open(in)
		if err != nil {
			return nil, err
		}
		if l.bytes <= l.env.small() {
			if err := l.readWhole(w, in, src); err != nil {
				return nil, err
			}
		}
		if err := l.sh.prologue(in, src, l.proto, l.opt.Header); err != nil {
			return nil, err
		}
		l.env.Progress.BytesProcessed.Add(in.start)
	}
	return nil, nil
}

// asStream returns what to read file with if it is no plain regular file; it then owns
// the file, also when there is an error.
func asStream(file *os.File, info fs.FileInfo) (io.ReadCloser, error) {
	if !info.Mode().IsRegular() {
		return file, nil
	}
	c := sniff(file)
	if c == nil {
		return nil, nil
	}
	r, err := newInflated(file, c)
	if err != nil {
		file.Close()
		return nil, err
	}
	return r, nil
}

// readWhole reads all of in.
func (l *loader) readWhole(w *worker, in *input, src io.ReaderAt) error {
	w.clock.start(StageRead, l.labels)
	defer w.clock.stop()
	need := int(in.size) + slackBytes
	if len(l.inputs) == 1 && cap(w.whole) >= need {
		in.mem = w.whole[:in.size]
	} else {
		in.mem = make([]byte, in.size, need+int(in.size)/4)
		w.whole = in.mem
	}
	n, err := io.ReadFull(io.NewSectionReader(src, 0, in.size), in.mem)
	w.clock.bytes[StageRead] += int64(n)
	if err != nil && in.size > 0 {
		return readError(err, in.name)
	}
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
		if end[in] != in.end {
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
