//go:build long

package mpcvm_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// TestLongNoHoles is TestNoHoles with larger data.
func TestLongNoHoles(t *testing.T) {
	noHoles(t, map[string]*data.Set{"overclass": must.Load(t, "overclass"), "breast": must.Load(t, "breast")})
}

// TestLongLoadMemory tests the memory limit of Load for documents that load, which keep the most memory.
func TestLongLoadMemory(t *testing.T) {
	name := func(i int) string { return strconv.FormatInt(int64(i), 36) }
	names := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%q,", name(i))
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	numbers := func(n int, v string) string { return strings.TrimSuffix(strings.Repeat(v+",", n), ",") }
	vectors := func(n int, x, weights string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"index":%d,"label":0,"x":[%s],"weights":[%s]},`, i, x, weights)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	document := func(kernel, classes, bias, features, more, vectors string) string {
		return fmt.Sprintf(
			`{"format":"mpcvm-model","version":2,"kernel":%s,"classes":[%s],"bias":[%s],"features":[%s]%s,"vectors":[%s]}`,
			kernel, classes, bias, features, more, vectors)
	}
	var negative strings.Builder
	for c := 1; c < 40; c++ {
		fmt.Fprintf(&negative, `,{"class":%d,"weight":-1}`, c)
	}
	const linear, one = `{"name":"linear","offset":0}`, `{"class":0,"weight":1}`
	for about, text := range map[string]string{
		"numbers": document(linear, names(2), "0,0", names(1000), "", vectors(1400, numbers(1000, "0"), one)),
		"one vector": document(linear, names(2), "0,0", names(300000), "", vectors(1, numbers(300000, "0"),
			one)),
		"short vectors": document(linear, names(2), "0,0", names(1), "", vectors(40000, "0", one)),
		"weights": document(linear, names(40), numbers(40, "0"), names(1), "",
			vectors(2000, "0", one+negative.String())),
		"features": document(`{"name":"ard","thetas":[`+numbers(100000, "1")+`]}`, names(2), "0,0", names(100000),
			`,"scaling":{"mean":[`+numbers(100000, "0")+`],"scale":[`+numbers(100000, "1")+`]}`, ""),
		"names": document(linear, names(2), "0,0", names(300000), "", ""),
		"ids": document(linear, names(2), "0,0", names(1), `,"ids":[`+numbers(40000, `""`)+`]`,
			vectors(40000, "0", one)),
		"classes": document(linear, names(1000), numbers(1000, "0"), names(1), "", ""),
	} {
		t.Run(about, func(t *testing.T) {
			m, taken, err := loadWatched(text, 16*len(text)+8<<20)
			must.OK(t, err)
			t.Logf("%.2f times %d KiB", float64(taken)/float64(len(text)), len(text)>>10)
			if taken > 16*len(text)+8<<20 {
				t.Errorf("%d KiB for %d KiB", taken>>10, len(text)>>10)
			}
			// A reader that cannot seek gives the same result.
			pipe, err := mpcvm.Load(iotest.HalfReader(strings.NewReader(text)))
			if err != nil || pipe.Classes() != m.Classes() ||
				len(pipe.RelevanceVectors()) != len(m.RelevanceVectors()) {
				t.Error(err)
			}
		})
	}
	many := document(linear, names(1001), "0", names(1), "", "")
	if _, err := mpcvm.Load(strings.NewReader(many)); err == nil || !strings.Contains(err.Error(),
		"classes: 1001 exceeds the limit of 1000") {
		t.Error(err)
	}
	long := document(linear, names(2), "0,0", `"`+strings.Repeat("x", 1<<16+1)+`"`, "", "")
	if _, err := mpcvm.Load(strings.NewReader(long)); err == nil || !strings.Contains(err.Error(),
		"features[0]: name of 65537 bytes") {
		t.Error(err)
	}
	if _, err := mpcvm.Load(strings.NewReader(strings.Replace(long, "xx", "", 1))); err != nil {
		t.Error(err)
	}
}
