// Package fetch downloads the data sets that package data knows but does not contain.
package fetch

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/atomicfile"
)

// Errors of Fetch.
var (
	errNotFetchable = errors.New("data set has no address")
	errTooLarge     = errors.New("exceeds the limit")
	errInsecure     = errors.New("address is not HTTPS")
	errArchive      = errors.New("archive does not contain the data")
	errChecksum     = errors.New("not the expected content")
)

// Limits of a download.
const (
	maxDownload = 64 << 20         // bytes of an answer
	maxMember   = 16 << 20         // bytes of a file in an archive, unpacked
	maxTime     = 10 * time.Minute // of a download
	maxRedirect = 5
)

// stalled is the time without data after which a download fails.
var stalled = 30 * time.Second

// Fetcher fetches sets that are not embedded in package data from the UCI Machine Learning Repository. The
// zero value is ready to use.
//
// All requests, including redirected ones, use HTTPS. Responses and unpacked files have a size limit. Only
// the wanted file of an archive is read. The data are converted to the CSV form of package data, and written
// only if they have the checksum of their data.Info. Files are written atomically.
type Fetcher struct {
	// Client makes the requests; its CheckRedirect is ignored. If nil, http.DefaultTransport is used.
	Client *http.Client
	// To is the folder for the files NAME.csv, created if necessary. If empty, it is data.CacheDir.
	To string
	// Progress, if not nil, is called with the number of bytes read and the total, −1 if unknown.
	Progress func(address string, done, total int64)

	answers map[string]func() ([]byte, error) // of requests, by address
}

// Fetched is a set that was written to a folder.
type Fetched struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	// Already reports whether the file existed before, and Embedded whether package data contains the set.
	Already  bool `json:"already"`
	Embedded bool `json:"-"`
}

// Fetch writes the sets with the given names to the folder. For a set derived from others, it fetches the
// others. Files that already have the right content are kept. After an error, Fetch continues with the next
// set; it returns the sets that it wrote and the joined errors.
func (f Fetcher) Fetch(ctx context.Context, names ...string) ([]Fetched, error) {
	all := []Fetched{}
	if f.To == "" {
		var err error
		if f.To, err = data.CacheDir(); err != nil {
			return all, err
		}
	}
	f.answers = map[string]func() ([]byte, error){} // three sets are in one archive
	var errs []error
	for _, name := range names {
		from := []string{name}
		if info, err := data.Lookup(name); err == nil && info.From != nil {
			from = info.From
		}
		for _, name := range from {
			got, err := f.fetch(ctx, name)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			all = append(all, got)
		}
	}
	return all, errors.Join(errs...)
}

func (f Fetcher) fetch(ctx context.Context, name string) (Fetched, error) {
	info, err := data.Lookup(name)
	if err != nil {
		return Fetched{}, err
	}
	got := Fetched{Name: name, Path: filepath.Join(f.To, name+".csv"), SHA256: info.SHA256,
		Embedded: info.Embedded}
	if text, err := os.ReadFile(got.Path); err == nil && checksum(text) == info.SHA256 {
		got.Already = true
		return got, nil
	}
	var text []byte
	if info.Embedded {
		text, err = data.CSV(name)
	} else {
		text, err = f.download(ctx, info)
	}
	if err == nil {
		err = os.MkdirAll(f.To, 0o755)
	}
	if err == nil {
		err = atomicfile.Write(got.Path, func(w io.Writer) error { _, err := w.Write(text); return err })
	}
	if err != nil {
		return Fetched{}, fmt.Errorf("%s: %w", name, err)
	}
	return got, nil
}

// download tries the addresses of a set in turn.
func (f Fetcher) download(ctx context.Context, info data.Info) ([]byte, error) {
	source, ok := origins[info.Name]
	if !ok {
		return nil, errNotFetchable
	}
	var errs []error
	for _, address := range source.addresses {
		if f.answers[address] == nil {
			f.answers[address] = sync.OnceValues(func() ([]byte, error) { return f.ask(ctx, address) })
		}
		text, err := f.answers[address]()
		if err == nil && strings.HasSuffix(address, ".zip") {
			text, err = member(text, source.file)
		}
		if err == nil {
			text, err = source.convert(text)
		}
		if sum := checksum(text); err == nil && sum != info.SHA256 {
			err = fmt.Errorf("%w: SHA-256 of the CSV form is %s, want %s; the published file may have changed",
				errChecksum, sum, info.SHA256)
		}
		if err == nil {
			return text, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", address, err))
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(errs...)
}

// ask reads an address with time limits.
func (f Fetcher) ask(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	idle := time.AfterFunc(stalled, func() { stop(fmt.Errorf("no data received for %v", stalled)) })
	defer idle.Stop()
	text, err := f.read(ctx, address, func() { idle.Reset(stalled) })
	if ctx.Err() != nil { // the error of the body may hide it
		err = context.Cause(ctx)
	}
	return text, err
}

// read reads an address. It calls alive whenever bytes arrive.
func (f Fetcher) read(ctx context.Context, address string, alive func()) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if err := secure(request); err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "mpcvm (data fetch)")
	response, err := f.client().Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server returned %s", response.Status)
	}
	if response.ContentLength > maxDownload {
		return nil, fmt.Errorf("%w: %d bytes", errTooLarge, response.ContentLength)
	}
	var text bytes.Buffer
	for {
		alive()
		n, err := io.CopyN(&text, response.Body, 1<<16)
		if f.Progress != nil && n > 0 {
			f.Progress(address, int64(text.Len()), response.ContentLength)
		}
		if text.Len() > maxDownload {
			return nil, fmt.Errorf("%w: more than %d bytes", errTooLarge, maxDownload)
		}
		if err == io.EOF {
			return text.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (f Fetcher) client() *http.Client {
	var c http.Client
	if f.Client != nil {
		c = *f.Client
	}
	c.CheckRedirect = func(request *http.Request, via []*http.Request) error {
		if len(via) > maxRedirect {
			return errors.New("too many redirections")
		}
		return secure(request)
	}
	return &c
}

func secure(request *http.Request) error {
	if request.URL.Scheme != "https" {
		return fmt.Errorf("%w: %s", errInsecure, request.URL.Redacted())
	}
	return nil
}

// member unpacks the only file with the given base name, in any folder, from a zip archive. Paths that lead
// out of the archive are ignored.
func member(archive []byte, name string) ([]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("%w: %w", errArchive, err)
	}
	files := slices.DeleteFunc(z.File, func(f *zip.File) bool {
		return !fs.ValidPath(f.Name) || path.Base(f.Name) != name || !f.Mode().IsRegular()
	})
	if len(files) != 1 {
		return nil, fmt.Errorf("%w: %d files named %s", errArchive, len(files), name)
	}
	if files[0].UncompressedSize64 > maxMember {
		return nil, fmt.Errorf("%w: %s has %d bytes", errTooLarge, name, files[0].UncompressedSize64)
	}
	r, err := files[0].Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errArchive, err)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxMember+1)) // the declared size may be wrong
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errArchive, err)
	}
	if len(text) > maxMember {
		return nil, fmt.Errorf("%w: %s", errTooLarge, name)
	}
	return text, nil
}

func checksum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }
