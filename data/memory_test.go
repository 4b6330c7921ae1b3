package data

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/spoil"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
)

// Reading takes at most 4 times the size of the input plus 64 MiB, whatever the input.
func TestReadingMemory(t *testing.T) {
	size := 3 << 20
	if spoil.Long() {
		size = 30 << 20
	}
	fill := func(head, text string) string { return head + strings.Repeat(text, (size-len(head))/len(text)) }
	numbered := func(head, format string, n int) string {
		var b strings.Builder
		b.WriteString(head)
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for about, tt := range map[string]struct {
		text string
		want error // nil if it can be read
	}{
		"a partition":           {fill("", "1"), ErrNotNumber},
		"one row again":         {fill("", "1,"), errDuplicateRow},
		"one row a partition":   {fill("", "1\n"), errTooManyParts},
		"no partitions":         {fill("", "\n"), ErrEmpty},
		"quotes, no partitions": {fill("", `"`), ErrNotNumber},
		"rows":                  {numbered("0", ",%d", 4000000)[2:], nil},
		"partitions of rows":    {fill("", "0,1\n"), errTooManyParts},
	} {
		t.Run(about, func(t *testing.T) {
			var err error
			watch.Within(t, len(tt.text), func() { _, err = readPartitions(strings.NewReader(tt.text), "partitions", 1<<22) })
			var e *CellError
			if (err == nil) != (tt.want == nil) || err != nil && !errors.As(err, &e) ||
				!errors.Is(err, tt.want) {
				t.Errorf("error %.300v, want %v", err, tt.want)
			}
			if err != nil && len(err.Error()) > 500 {
				t.Errorf("a message of %d bytes", len(err.Error()))
			}
		})
	}
}
