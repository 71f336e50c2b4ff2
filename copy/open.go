package copy

import (
	"io"
	"io/fs"
)

// openFiles opens the files of the source, reads small ones whole, and finds where
// their records begin. If one of them can only be read as a stream all are returned as
// streams instead.
func (l *loader) openFiles(patterns []string) ([]*stream, error) {
	names, err := l.env.Files.expand(patterns)
	if err != nil {
		return nil, err
	}
	asStreams, sized := l.opt.Encoding != "", true
	for _, name := range names {
		s := &stream{name: name}
		if s.file, s.info, err = l.env.Files.open(l.ctx, name); err != nil {
			return nil, err
		}
		l.streams = append(l.streams, s)
		must := false
		s.kind, must = mustStream(s.file, s.info)
		asStreams = asStreams || must
		l.bytes += s.info.Size()
		if sized = sized && s.info.Mode().IsRegular(); !s.info.Mode().IsRegular() || len(names) == 1 {
			continue
		}
		err := s.file.Close()
		if s.file = nil; err != nil {
			return nil, fileError(err, "could not read from file", name)
		}
	}
	if sized {
		l.env.Progress.BytesTotal.Store(l.bytes)
	}
	if asStreams {
		l.bytes = 0
		return l.streams, nil
	}
	for _, s := range l.streams {
		l.inputs = append(l.inputs, &input{name: s.name, info: s.info, file: s.file, size: s.info.Size(), end: s.info.Size()})
		s.file = nil // the input's from here on
	}
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
		if err := l.sh.prologue(in, src); err != nil {
			return nil, err
		}
		l.env.Progress.BytesProcessed.Add(in.start)
	}
	return nil, nil
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
		if padding, err := l.padding(in, end[in]); err != nil {
			return err
		} else if !padding {
			return errChanged(in.name)
		}
	}
	return nil
}

// padding reports whether what in has from off on is part of no record.
func (l *loader) padding(in *input, off int64) (bool, error) {
	padder, is := in.layout.Scan.(Padder)
	if !is {
		padder, is = in.layout.Walk.(Padder)
	}
	if !is || off > in.end {
		return off == in.end, nil
	}
	w := l.pool[0]
	defer w.close()
	src, err := w.source(in)
	if err != nil {
		return false, err
	}
	padding, err := padder.Padding(io.NewSectionReader(src, off, in.end-off))
	if err != nil {
		return false, readError(err, in.name)
	}
	return padding, nil
}

// closeFiles closes what openFiles left open.
func (l *loader) closeFiles() {
	for _, s := range l.streams {
		s.close()
	}
	for _, in := range l.inputs {
		if in.file != nil {
			in.file.Close()
		}
	}
}
