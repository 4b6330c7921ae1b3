package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/atomicfile"
	"github.com/mpcvm/mpcvm/internal/filelock"
	"github.com/mpcvm/mpcvm/internal/predict"
	"github.com/mpcvm/mpcvm/internal/table"
)

// partial is an output file that is being written. FILE.partial holds the finished part.
// FILE.partial.journal describes it, line by line: first what is predicted from which data
// by which model, then each unit with a checksum of its bytes. If a process is killed, the
// checksums show how much of FILE.partial is good. FILE appears, by renaming, when it is
// complete. FILE.partial.lock keeps other processes out.
type partial struct {
	path    string
	errOut  io.Writer
	header  journalHeader
	lock    *filelock.Lock
	out     *os.File
	journal *os.File
	entries []entry // units of an earlier process
	noted   bool    // the journal has a unit
}

// journalHeader is the first line. A journal with another one is not continued.
type journalHeader struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Program string    `json:"program"` // the version of this program
	Model   string    `json:"model"`   // SHA-256 of the file
	Size    int64     `json:"size"`    // of the data
	Time    time.Time `json:"time"`    // when the data were modified
	Data    string    `json:"data"`    // SHA-256 of its first and last MiB
	Output  string    `json:"output"`  // the name of the format
	Options string    `json:"options"` // how the data are read and decided
}

// entry is a line of the journal: the state after a unit.
type entry struct {
	Rows  int64          `json:"rows"`   // of the output
	Next  table.Position `json:"next"`   // the input's, where the next unit begins
	Bytes int64          `json:"bytes"`  // of FILE.partial
	Sum   uint32         `json:"crc32c"` // of the bytes since the previous entry
	Tally predict.Tally  `json:"tally"`  // of all rows
	Meta  []byte         `json:"meta,omitempty"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(r io.ReadSeeker) string {
	h := sha256.New()
	_, _ = io.Copy(h, r)           // from memory
	_, _ = r.Seek(0, io.SeekStart) // likewise
	return hex.EncodeToString(h.Sum(nil))
}

// newJournalHeader describes what is predicted.
func newJournalHeader(in *source, model string, form predict.Format, options string) (h journalHeader, err error) {
	h = journalHeader{Format: "mpcvm-predict", Version: 3, Program: program(), Model: model, Output: form.Name(), Options: options,
		Size: in.info.Size(), Time: in.info.ModTime().UTC()}
	if !in.regular {
		return h, nil
	}
	ends, err := in.ends()
	digest := sha256.Sum256(ends)
	h.Data = hex.EncodeToString(digest[:])
	return h, err
}

// program is the version of this program: of its module, of Go and of its source.
func program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	version := cmp.Or(info.Main.Version, "(devel)") + " " + info.GoVersion
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision", "vcs.modified", "-tags", "GOARCH":
			version += " " + s.Key + "=" + s.Value
		}
	}
	return version
}

func (p *partial) name() string        { return p.path + ".partial" }
func (p *partial) journalName() string { return p.path + ".partial.journal" }

// score writes the predictions to the file.
func (p *partial) score(ctx context.Context, in *source, predictor *predict.Predictor, form predict.Format, shown *pace) (total predict.Tally, err error) {
	if err := p.open(in.regular); err != nil {
		return total, err
	}
	keep := false
	defer func() { err = errors.Join(err, p.close(keep)) }()

	var last entry
	var meta [][]byte
	if n := len(p.entries); n > 0 {
		p.noted = true
		last = p.entries[n-1]
		if err := in.Seek(last.Next); err != nil {
			return total, err
		}
		shown.rows, shown.share = last.Rows, in.Share(last.Next)
		fmt.Fprintf(p.errOut, "%s: going on after %d rows\n", p.name(), last.Rows)
	}
	for _, e := range p.entries {
		if len(e.Meta) > 0 {
			meta = append(meta, e.Meta)
		}
	}
	rows, check := last.Rows, crc32.New(castagnoli)
	total = last.Tally
	w := &predict.CountingWriter{W: io.MultiWriter(p.out, check), N: last.Bytes}
	to, err := form.Open(w, rows, meta)
	if err != nil {
		return total, named(p.path, err)
	}
	err = in.score(ctx, predictor, form, func(u *unit) error {
		if err := to.Write(&u.Predictions); err != nil {
			return named(p.path, err)
		}
		rows += int64(len(u.Labels))
		total.Add(u.Tally)
		shown.show(rows, u.batch.End)
		if !in.regular {
			return nil
		}
		e := entry{Rows: rows, Next: u.batch.End, Bytes: w.N, Sum: check.Sum32(), Tally: total, Meta: u.Meta()}
		check.Reset()
		err := p.note(e)
		p.noted = p.noted || err == nil
		return err
	})
	switch changed, errStat := in.changed(); {
	case err != nil:
		keep = p.noted && (ctx.Err() != nil || !errors.As(err, new(*data.CellError)))
		if keep {
			return total, fmt.Errorf("stopped; what is finished is in %s, and the same command continues from there: %w", p.name(), err)
		}
		return total, err
	case errStat != nil:
		return total, errStat
	case changed:
		return total, fmt.Errorf("%s changed while it was read", in.name)
	case rows == 0:
		return total, &data.CellError{Name: in.name, Err: data.ErrEmpty}
	}
	if err := to.Close(predictor.Warnings(total)); err != nil {
		keep = p.noted
		return total, named(p.path, err)
	}
	return total, named(p.path, atomicfile.Commit(p.out, p.path))
}

// open locks FILE.partial, opens it and reads what it holds.
func (p *partial) open(resume bool) (err error) {
	if p.lock, err = filelock.Exclusive(p.name() + ".lock"); err != nil {
		return named(p.name(), err)
	}
	p.out, err = os.OpenFile(p.name(), os.O_RDWR|os.O_CREATE, 0o644)
	switch {
	case err != nil:
	case !resume:
		err = p.out.Truncate(0)
	default:
		if p.journal, err = os.OpenFile(p.journalName(), os.O_RDWR|os.O_CREATE, 0o644); err == nil {
			err = p.read()
		}
	}
	if err != nil {
		err = errors.Join(named(p.journalName(), err), p.close(len(p.entries) > 0))
	}
	return err
}

// read reads the journal as far as it is whole and compares FILE.partial with it.
func (p *partial) read() error {
	lines := bufio.NewReader(p.journal)
	var end, bytes int64 // good bytes of the journal and of FILE.partial
	var old journalHeader
	length, err := readLine(lines, &old)
	if err != nil {
		return err
	}
	same := length > 0 && sameHeader(old, p.header)
	if length > 0 && !same {
		fmt.Fprintf(p.errOut, "%s is of other data, another model or other options: starting anew\n", p.name())
	}
	end = length
	for same {
		var e entry
		length, err := readLine(lines, &e)
		if err != nil {
			return err
		}
		if length == 0 || e.Bytes < bytes {
			break
		}
		check := crc32.New(castagnoli)
		n, err := io.Copy(check, io.NewSectionReader(p.out, bytes, e.Bytes-bytes))
		if err != nil {
			return err
		}
		if n != e.Bytes-bytes || check.Sum32() != e.Sum {
			break
		}
		p.entries = append(p.entries, e)
		end, bytes = end+length, e.Bytes
	}
	if !same {
		end = 0
	}
	for _, cut := range []func() error{
		func() error { return p.journal.Truncate(end) },
		func() error { _, err := p.journal.Seek(end, io.SeekStart); return err },
		func() error { return p.out.Truncate(bytes) },
		func() error { _, err := p.out.Seek(bytes, io.SeekStart); return err },
	} {
		if err := cut(); err != nil {
			return err
		}
	}
	if !same {
		return p.note(p.header)
	}
	return nil
}

// sameHeader compares headers. Equal times may be in different zones.
func sameHeader(a, b journalHeader) bool {
	equal := a.Time.Equal(b.Time)
	a.Time = b.Time
	return equal && a == b
}

// note appends a line: the checksum of a JSON document and the document.
func (p *partial) note(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.journal, "%08x %s\n", crc32.Checksum(text, castagnoli), text)
	return named(p.journalName(), err)
}

// readLine reads a line of a journal into v and returns its length, 0 if there is no further
// whole line.
func readLine(r *bufio.Reader, v any) (int64, error) {
	line, err := r.ReadBytes('\n')
	if err == io.EOF {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	const lead = 9 // the checksum and a space
	if len(line) <= lead {
		return 0, nil
	}
	text := line[lead : len(line)-1]
	if string(line[:lead]) != fmt.Sprintf("%08x ", crc32.Checksum(text, castagnoli)) || json.Unmarshal(text, v) != nil {
		return 0, nil
	}
	return int64(len(line)), nil
}

// close closes the files, removes them unless they are to be kept, and gives the lock back.
func (p *partial) close(keep bool) error {
	var errs []error
	for _, f := range []*os.File{p.journal, p.out} {
		if f != nil {
			if err := f.Close(); !errors.Is(err, os.ErrClosed) {
				errs = append(errs, err)
			}
		}
	}
	if !keep {
		os.Remove(p.journalName())
		os.Remove(p.name())
	}
	return errors.Join(append(errs, p.lock.Remove())...)
}
