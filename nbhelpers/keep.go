package nbhelpers

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/mpcvm/mpcvm/internal/atomicfile"
	"github.com/mpcvm/mpcvm/internal/chart"
)

// Keep returns the model that load reads from the file at path. If the file does not contain a model
// of the same inputs, Keep calls fit and saves the model there. A model is a *mpcvm.Model or another
// type with a SaveFile method. In a notebook each cell is a separate program, and a variable above
// %% is set again in every later cell; with Keep the model is fitted only in the first of them.
//
//	var model = nbhelpers.Keep("model.json", mpcvm.LoadFile, func() (*mpcvm.Model, error) {
//		m, _, err := learner.Fit(context.Background(), mpcvm.Samples{X: set.X, T: set.T})
//		return m, err
//	}, set, learner)
//
// For a *tables.Model, load is tables.LoadFile.
//
// inputs are all values that the model depends on, such as the data, the learner and the name of the
// target. Keep fits again if one of them has changed, or if the file is missing, cannot be read or
// is not the one that Keep saved. Inputs are compared by value, following pointers; functions are
// ignored. Keep does not notice a change in the code of fit: delete the file to fit again, or add a
// number to inputs and change it. A fingerprint of the inputs is stored in a second file, at path
// with ".inputs" appended.
//
// Keep panics if fit returns an error or the file cannot be written. A model returned with an error,
// for instance because the fit was stopped, is not saved.
func Keep[M interface{ SaveFile(path string) error }](
	path string, load func(path string) (M, error), fit func() (M, error), inputs ...any,
) M {
	defer chart.Readable()
	of := sha256.New()
	for _, input := range inputs {
		fingerprint(of, reflect.ValueOf(input))
	}
	key := hex.EncodeToString(of.Sum(nil))
	saved, err := os.ReadFile(path)
	if err == nil {
		if known, err := os.ReadFile(path + ".inputs"); err == nil && string(known) == note(key, saved) {
			if m, err := load(path); err == nil {
				return m
			}
		}
	}
	m, err := fit()
	if err == nil && reflect.ValueOf(m).IsZero() {
		err = errors.New("nbhelpers: Keep: fit returned neither a model nor an error")
	}
	if err == nil {
		err = m.SaveFile(path)
	}
	if err == nil {
		saved, err = os.ReadFile(path)
	}
	if err == nil {
		err = atomicfile.Write(path+".inputs", func(w io.Writer) error {
			_, err := io.WriteString(w, note(key, saved))
			return err
		})
	}
	if err != nil {
		panic(err)
	}
	return m
}

// note identifies the model file and the inputs that it was fitted on.
func note(key string, saved []byte) string {
	return fmt.Sprintf("inputs %s\nmodel  %x\n", key, sha256.Sum256(saved))
}

// fingerprint writes a value with its types to a hash, following pointers. Equal values give the
// same bytes in every program.
func fingerprint(w hash.Hash, v reflect.Value) {
	if !v.IsValid() {
		fmt.Fprint(w, "nil;")
		return
	}
	number := func(bits uint64) { w.Write(binary.LittleEndian.AppendUint64(nil, bits)) }
	fmt.Fprint(w, v.Type().String()+";")
	switch v.Kind() {
	case reflect.Bool:
		fmt.Fprint(w, v.Bool())
	case reflect.Float32, reflect.Float64:
		number(math.Float64bits(v.Float()))
	case reflect.String:
		number(uint64(v.Len()))
		fmt.Fprint(w, v.String())
	case reflect.Pointer, reflect.Interface:
		fingerprint(w, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fingerprint(w, v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		number(uint64(v.Len()))
		for i := range v.Len() {
			fingerprint(w, v.Index(i))
		}
	case reflect.Map:
		var entries []string
		for at := v.MapRange(); at.Next(); {
			entry := sha256.New()
			fingerprint(entry, at.Key())
			fingerprint(entry, at.Value())
			entries = append(entries, string(entry.Sum(nil)))
		}
		slices.Sort(entries)
		number(uint64(len(entries)))
		fmt.Fprint(w, strings.Join(entries, ""))
	default: // functions and channels: the type only
		switch {
		case v.CanInt():
			number(uint64(v.Int())) //nolint:gosec // only the bits matter
		case v.CanUint():
			number(v.Uint())
		case v.CanComplex():
			fmt.Fprint(w, v.Complex())
		}
	}
}
