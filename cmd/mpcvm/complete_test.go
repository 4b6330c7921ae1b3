package main

import (
	"strings"
	"testing"
)

// The shell completes columns of the file, columns and classes of the model, and otherwise file names.
func TestComplete(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "t.csv",
		"weight;Föhn;\"a,b\";island;class\n1,5;2;3;x;sick\n2,5;3;3;y;well\n1,7;3;4;x;sick\n")
	for _, tt := range []struct{ line, want string }{
		{"fit FILE --target ", "weight Föhn a,b island class"},
		{"fit FILE --target=i", "island"},
		{"fit --data FILE --time F", "Föhn"},
		{"look FILE --drop ", "weight Föhn island class"},
		{"look FILE --drop weight,i", "weight,island"},
		{"fit FILE --kind w", "weight="},
		{"fit FILE --target class --costs sick:", "sick:well="},
		{"fit FILE --class-weights sick=2,", "sick=2,sick= sick=2,well="},
		{"compare FILE --group is", "island"},
		{"predict FILE --keep weight,", "weight,weight weight,Föhn weight,island weight,class weight,all"},
		{"predict FILE --model MODEL --without ", "mass island born tame"},
		{"predict FILE --model MODEL --costs Adelie:G", "Adelie:Gentoo="},
		{"predict FILE --rename is", "island="},
		{"explain FILE --id cl", "class"},
		{"fit nothing.csv --target ", ""},
		{"fit --target ", ""},
		{"fit FILE ", ""},
	} {
		args := strings.Split(strings.NewReplacer("FILE", file, "MODEL", mixedModel).Replace(tt.line), " ")
		out, _ := good(t, append([]string{"__complete"}, args...)...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		got, directive := strings.Join(lines[:len(lines)-1], " "), lines[len(lines)-1]
		if got != tt.want || directive == ":0" {
			t.Errorf("%s: %q %s, want %q", tt.line, got, directive, tt.want)
		}
	}
	for _, line := range []string{"fit ", "fit --model ", "predict FILE --out ", "show ", "fit FILE --test "} {
		out, _ := good(t, append([]string{"__complete"}, strings.Split(strings.ReplaceAll(line, "FILE", file),
			" ")...)...)
		if strings.TrimSpace(out) != ":0" { // the shell completes file names
			t.Errorf("%s: %q", line, out)
		}
	}
}
