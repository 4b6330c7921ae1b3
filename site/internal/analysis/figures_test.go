package analysis

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/tables/report"
)

// figuresOf returns what the command prints about a fit to a file, without times.
func figuresOf(ctx context.Context, t *testing.T, file string) string {
	t.Helper()
	content := must.Get(os.ReadFile(file))(t)
	s := new(Session)
	do[*Look](ctx, t, s, Request{Op: "look", Name: filepath.Base(file), Bytes: content})
	fitted, _ := do[Fitted](ctx, t, s, Request{Op: "fit"})
	var b strings.Builder
	must.OK(t, report.Brief(untimed(fitted.Figures), nil).WriteText(&b, false))
	return file + "\n" + b.String()
}

// TestFigures prints the figures of the files in MPCVM_FIGURES, for TestLongFiguresOfPage.
func TestFigures(t *testing.T) {
	files := os.Getenv("MPCVM_FIGURES")
	for file := range strings.FieldsSeq(files) {
		if _, err := os.Stdout.WriteString("\f" + figuresOf(t.Context(), t, file)); err != nil {
			t.Error(err)
		}
	}
	if files != "" {
		_, _ = os.Stdout.WriteString("\f")
	}
}
