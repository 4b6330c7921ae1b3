package fetch

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// archive returns a zip archive of files, given as alternating names and texts.
func archive(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w := must.Get(z.Create(files[i]))(t)
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	must.OK(t, z.Close())
	return b.Bytes()
}

// published converts a set from our form to the form published by UCI.
func published(o origin, text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		cells := strings.Split(line, ",")
		if i == 0 {
			if o.header == nil { // "fixed acidity";...;"quality"
				cells[len(cells)-1] = "quality"
				for j := range cells {
					cells[j] = `"` + strings.ReplaceAll(cells[j], "_", " ") + `"`
				}
				b.WriteString(strings.Join(cells, o.separator) + "\n")
			}
			continue
		}
		if o.first {
			cells = slices.Concat(cells[len(cells)-1:], cells[:len(cells)-1])
		}
		separator := o.separator
		if separator == "" {
			separator = "  "
		}
		b.WriteString(strings.Join(cells, separator) + "\n")
	}
	return b.String()
}

// site returns a server for the pages of a host, and a client that connects to it.
func site(t *testing.T, handler http.HandlerFunc) *http.Client {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	transport := server.Client().Transport.(*http.Transport).Clone()
	// of its certificate
	transport.TLSClientConfig = &tls.Config{RootCAs: transport.TLSClientConfig.RootCAs,
		ServerName: "example.com"}
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
	}
	return &http.Client{Transport: transport}
}

// Sets fetched from archives in the published form have the checksums of the catalogue.
func TestFetch(t *testing.T) {
	if data.Dir() == "" {
		t.Skip("MPCVM_DATA is not set: no texts to publish")
	}
	text := map[string]string{}
	for _, name := range fetchable() {
		csv, err := data.CSV(name)
		if err != nil {
			t.Skip(err)
		}
		text[name] = published(origins[name], string(csv))
	}
	asked := map[string]int{}
	client := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "archive.ics.uci.edu" || r.Header.Get("User-Agent") == "" {
			t.Errorf("%s requested from %s", r.URL, r.Host)
		}
		asked[r.URL.Path]++
		switch {
		case strings.HasPrefix(r.URL.Path, "/static/public/186/"):
			_, _ = w.Write(archive(t, "winequality.names", "about", "winequality-red.csv", text["wine-red"],
				"winequality-white.csv", text["wine-white"]))
		case strings.HasPrefix(r.URL.Path, "/static/public/45/"):
			_, _ = w.Write(archive(t, "processed.hungarian.data", "1,2", "reprocessed.hungarian.data", text["heart"]))
		// the second address
		case r.URL.Path == "/ml/machine-learning-databases/00241/100 leaves plant species.zip":
			folder := "100 leaves plant species/"
			_, _ = w.Write(archive(t, folder+"data_Mar_64.txt", text["leaves-margin"], folder+"data_Sha_64.txt",
				text["leaves-shape"],
				"__MACOSX/"+folder+"._data_Tex_64.txt", "rubbish", folder+"data_Tex_64.txt", text["leaves-texture"]))
		case strings.HasSuffix(r.URL.Path, "/vowel/vowel-context.data"): // likewise, without an archive
			_, _ = w.Write([]byte(text["vowel"]))
		default:
			http.NotFound(w, r)
		}
	})
	dir := filepath.Join(t.TempDir(), "made", "for it")
	var last string
	f := Fetcher{Client: client, To: dir, Progress: func(address string, done, total int64) {
		last = fmt.Sprint(address, done, total)
		if done <= 0 || total >= 0 && done > total {
			t.Errorf("%s: %d of %d bytes", address, done, total)
		}
	}}
	got, err := f.Fetch(context.Background(), fetchable()...)
	if err != nil || len(got) != len(fetchable()) || last == "" {
		t.Fatalf("%d sets, %v", len(got), err)
	}
	for path, n := range asked {
		if n > 1 {
			t.Errorf("%s was requested %d times", path, n)
		}
	}
	t.Setenv("MPCVM_DATA", "")
	t.Setenv("XDG_CACHE_HOME", filepath.Dir(dir))
	t.Setenv("HOME", filepath.Dir(dir))
	cache := must.Get(data.CacheDir())(t)
	must.OK(t, os.MkdirAll(filepath.Dir(cache), 0o755))
	must.OK(t, os.Rename(dir, cache))
	for _, g := range got {
		set, err := data.Load(g.Name) // from the cache
		info, _ := data.Lookup(g.Name)
		if err != nil || set.N() != info.Rows || set.D() != info.Features || set.C() != info.Classes {
			t.Errorf("%s: %v", g.Name, err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(cache, ".*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	// Fetching again does not need a server.
	f = Fetcher{Client: &http.Client{Transport: nowhere{}}}
	if got, err = f.Fetch(context.Background(), "heart", "vowel"); err != nil || !got[0].Already {
		t.Errorf("%v, %v", got, err)
	}
	if _, err = f.Fetch(context.Background(), "heart"); err != nil {
		t.Error(err)
	}
	// A file with other content is replaced if possible.
	write(t, filepath.Join(cache, "heart.csv"), "spoilt")
	if _, err := f.Fetch(context.Background(), "heart"); err == nil {
		t.Error("a file with wrong content was accepted")
	}
	f.Client = client
	if got, err := f.Fetch(context.Background(), "heart"); err != nil || got[0].Already {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := data.Load("heart"); err != nil {
		t.Error(err)
	}
}

type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no server")
}

// An embedded set is written without a request.
func TestFetchEmbedded(t *testing.T) {
	f := Fetcher{Client: &http.Client{Transport: nowhere{}}, To: t.TempDir()}
	got, err := f.Fetch(context.Background(), "letter", "iris")
	if err != nil || len(got) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	text := must.Get(os.ReadFile(got[0].Path))(t)
	s, err := data.ReadSet(bytes.NewReader(text), "letter")
	if err != nil || s.N() != 20000 {
		t.Errorf("%v", err)
	}
}

// Failed downloads do not leave a file.
func TestFetchErrors(t *testing.T) {
	const red = "winequality-red.csv"
	rows := `"a";"quality"` + "\n1;5\n"
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		want    error
		say     string
	}{
		"missing": {http.NotFound, nil, "404"},
		"no archive": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
			errArchive, ""},
		"empty": {func(w http.ResponseWriter, _ *http.Request) {}, errArchive, ""},
		"not in it": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive(t, "x", "y")) },
			errArchive, "0 files"},
		"twice in it": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(archive(t, red, rows, "b/"+red, rows))
		}, errArchive, "2 files"},
		"escape": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(archive(t, "../"+red, rows))
		}, errArchive, "0 files"},
		"rooted": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(archive(t, "/tmp/"+red, rows))
		}, errArchive, "0 files"},
		"other data": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive(t, red, rows)) },
			errChecksum, "may have changed"},
		"ragged": {func(w http.ResponseWriter,
			_ *http.Request) {
			_, _ = w.Write(archive(t, red, rows+"1;2;3\n"))
		}, data.ErrRagged, "line 3"},
		"quotes": {func(w http.ResponseWriter,
			_ *http.Request) {
			_, _ = w.Write(archive(t, red, rows+"1,2;3\n"))
		}, nil, "comma"},
		"no rows": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive(t, red, "\n")) },
			data.ErrEmpty, ""},
		"bomb": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(archive(t, red, strings.Repeat("0", maxMember+1)))
		}, errTooLarge, ""},
		"too long": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(maxDownload+1))
		}, errTooLarge, ""},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		}, errTooLarge, ""},
		"broken off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("half"))
		}, nil, "EOF"},
		"stalled": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("half"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, nil, "no data"},
		"to http": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://archive.ics.uci.edu/x", http.StatusFound)
		}, errInsecure, ""},
		"in circles": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, nil, "too many redirections"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "stalled" {
				old := stalled
				stalled = 200 * time.Millisecond
				defer func() { stalled = old }()
			}
			dir := t.TempDir()
			got, err := Fetcher{Client: site(t, tt.handler), To: dir}.Fetch(context.Background(), "wine-red")
			if err == nil || len(got) > 0 || tt.want != nil && !errors.Is(err, tt.want) ||
				!strings.Contains(err.Error(), tt.say) || !strings.Contains(err.Error(), "wine-red") {
				t.Errorf("%v", err)
			}
			if files, _ := os.ReadDir(dir); len(files) > 0 {
				t.Errorf("left behind: %v", files)
			}
		})
	}
	f := Fetcher{Client: &http.Client{Transport: nowhere{}}, To: t.TempDir()}
	if _, err := f.Fetch(context.Background(), "irish", "heart"); !errors.Is(err, data.ErrUnknownSet) ||
		!strings.Contains(err.Error(), "no server") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, client := range []*http.Client{nil, f.Client} {
		f := Fetcher{Client: client, To: f.To}
		if _, err := f.Fetch(ctx, "leaves-shape"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	// A server with an unknown certificate.
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
	}
	f.Client = &http.Client{Transport: transport}
	var unknown *tls.CertificateVerificationError
	if _, err := f.Fetch(context.Background(), "wine-red"); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

// The size limit also holds for a file whose size is understated in the archive.
func TestMemberLies(t *testing.T) {
	text := archive(t, "big", strings.Repeat("0", maxMember+1))
	size := []byte{byte((maxMember + 1) & 0xff), 0, 0, 1} // 16 MiB + 1, little endian
	if bytes.Count(text, size) == 0 {
		t.Skip("the size is not at the expected position")
	}
	text = bytes.ReplaceAll(text, size, []byte{9, 0, 0, 0})
	if _, err := member(text, "big"); err == nil {
		t.Error("taken")
	}
}

// Each known set that is not embedded can be fetched over HTTPS.
func TestOrigins(t *testing.T) {
	for _, name := range fetchable() {
		o, ok := origins[name]
		info, _ := data.Lookup(name)
		if !ok || len(o.addresses) == 0 || o.file == "" || o.header != nil && len(o.header) != info.Features+1 {
			t.Errorf("%s: %+v", name, o)
		}
		for _, a := range o.addresses {
			if !strings.HasPrefix(a, "https://archive.ics.uci.edu/") {
				t.Errorf("%s: %s", name, a)
			}
		}
	}
	if len(origins) != len(fetchable()) {
		t.Errorf("%d origins", len(origins))
	}
}

// fetchable returns the names of the sets that can be fetched.
func fetchable() (names []string) {
	for _, info := range data.Sets() {
		if !info.Embedded && info.From == nil {
			names = append(names, info.Name)
		}
	}
	return names
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.OK(t, os.WriteFile(path, []byte(text), 0o600))
}
