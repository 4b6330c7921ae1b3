package data

import (
	"bytes"
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// bayesError is the error on s of the Bayes classifier of the blobs, which picks the class with the
// largest Σ n·N(x; mean, covariance). The densities are zero beyond the radius.
func bayesError(s *Set, blobs []blob, radius float64) float64 {
	wrong := 0
	for n, t := range s.T {
		density := map[string]float64{}
		for _, b := range blobs {
			dx, dy := s.X.At(n, 0)-b.x, s.X.At(n, 1)-b.y
			det := b.xx*b.yy - b.xy*b.xy
			d2 := (b.yy*dx*dx - 2*b.xy*dx*dy + b.xx*dy*dy) / det
			if d2 <= radius*radius*1.001 { // coordinates are rounded
				density[b.class] += float64(b.n) / math.Sqrt(det) * math.Exp(-d2/2)
			}
		}
		best := 0
		for c, class := range s.Classes {
			if density[class] > density[s.Classes[best]] {
				best = c
			}
		}
		if best != t {
			wrong++
		}
	}
	return float64(wrong) / float64(s.N())
}

// linearError is the error on s of least squares on the class indicators.
func linearError(s *Set) float64 {
	a := mat.NewDense(s.N(), s.D()+1, nil)
	y := mat.NewDense(s.N(), s.C(), nil)
	for n, t := range s.T {
		a.SetRow(n, append([]float64{1}, s.X.RawRowView(n)...))
		y.Set(n, t, 1)
	}
	var w, fit mat.Dense
	if err := w.Solve(a, y); err != nil {
		panic(err)
	}
	fit.Mul(a, &w)
	wrong := 0
	for n, t := range s.T {
		best := 0
		for c := range s.C() {
			if fit.At(n, c) > fit.At(n, best) {
				best = c
			}
		}
		if best != t {
			wrong++
		}
	}
	return float64(wrong) / float64(s.N())
}

func TestOverlapIsHardForLines(t *testing.T) {
	s := Overlap(OverlapSeed)
	bayes, linear := bayesError(s, overlapBlobs, math.Inf(1)), linearError(s)
	t.Logf("Overlap: error of the true densities %.1f %%, of least squares %.1f %%", 100*bayes, 100*linear)
	if bayes < 0.09 || bayes > 0.13 {
		t.Errorf("error of the true densities is %v, want 0.09 to 0.13", bayes)
	}
	if linear < 0.42 || linear > 0.50 {
		t.Errorf("error of least squares is %v, want 0.42 to 0.50", linear)
	}
}

// The probabilities agree with the densities: their classifier has the error that the test computes,
// and they are calibrated on many points.
func TestOverlapPosterior(t *testing.T) {
	for _, spread := range []float64{0.6, 1, 1.5} {
		blobs := slices.Clone(overlapBlobs)
		for i := range blobs {
			b := &blobs[i]
			b.xx, b.xy, b.yy = b.xx*spread*spread, b.xy*spread*spread, b.yy*spread*spread
		}
		wrong, sure, want, n := 0.0, 0.0, 0.0, 0
		for seed := range uint64(100) {
			s := OverlapSpread(seed, spread)
			want += bayesError(s, blobs, math.Inf(1)) * float64(s.N())
			for i, label := range s.T {
				p := OverlapPosterior(nil, s.X.At(i, 0), s.X.At(i, 1), spread)
				if best := slices.Index(p, slices.Max(p)); best != label {
					wrong++
				}
				sure += slices.Max(p)
				n++
			}
		}
		if wrong != want {
			t.Errorf("spread %g: %v points wrong, want %v", spread, wrong, want)
		}
		if right := float64(n) - wrong; math.Abs(right-sure) > 4*math.Sqrt(float64(n))*0.3 {
			t.Errorf("spread %g: accuracy %v, mean probability %v", spread, right, sure)
		}
	}
	if p := OverlapPosterior(make([]float64, 3), 80, -80, 1); p[0]+p[1]+p[2] != 1 {
		t.Errorf("far away %v", p)
	}
}

func TestOverclassIsSeparable(t *testing.T) {
	s := Overclass(OverclassSeed)
	if bayes := bayesError(s, overclassBlobs, overclassRadius); bayes != 0 {
		t.Errorf("error of the true densities is %v, want 0", bayes)
	}
}

func TestSyntheticCounts(t *testing.T) {
	for _, tc := range []struct {
		set     *Set
		classes []string
		counts  []int
	}{
		{Overlap(5), []string{"black", "blue", "red"}, []int{65, 60, 75}},
		{
			Overclass(5),
			[]string{"01-gray", "02-blue", "03-green", "04-orange", "05-crimson", "06-brown", "07-purple", "08-teal",
				"09-olive", "10-pink"},
			[]int{28, 18, 15, 14, 13, 5, 12, 10, 9, 3},
		},
		{Blobs(7, 3, 2, 1, 5), []string{"c0", "c1", "c2"}, []int{3, 2, 2}},
		{Spirals(4, 2, 0, 5), []string{"c0", "c1"}, []int{2, 2}},
		{Noise(4, 2, 11, 5), []string{"c0", "c1"}, []int{2, 2}},
	} {
		if !slices.Equal(tc.set.Classes, tc.classes) || !slices.Equal(tc.set.Counts(), tc.counts) {
			t.Errorf("%s: classes %q, counts %v", tc.set.Name, tc.set.Classes, tc.set.Counts())
		}
		if err := tc.set.CheckTrainable(); err != nil {
			t.Error(err)
		}
	}
}

// The committed files match the output of the generator bit for bit.
func TestSyntheticFilesReproduce(t *testing.T) {
	for _, s := range []*Set{Overlap(OverlapSeed), Overclass(OverclassSeed)} {
		var text bytes.Buffer
		if err := WriteCSV(&text, s); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(s.Name + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text.Bytes(), file) {
			t.Errorf("%s.csv differs from the generator's; run go generate", s.Name)
		}
		loaded, err := Load(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		if !equal(loaded, s) {
			t.Errorf("Load(%q) differs from the generated set", s.Name)
		}
	}
}

func TestSyntheticSeeds(t *testing.T) {
	for name, draw := range map[string]func(seed uint64) *Set{
		"overlap":   Overlap,
		"overclass": Overclass,
		"blobs":     func(seed uint64) *Set { return Blobs(50, 3, 2, 0.5, seed) },
		"spirals":   func(seed uint64) *Set { return Spirals(50, 2, 0.1, seed) },
		"noise":     func(seed uint64) *Set { return Noise(50, 2, 3, seed) },
	} {
		if !equal(draw(3), draw(3)) {
			t.Errorf("%s: the same seed gives a different set", name)
		}
		if equal(draw(3), draw(4)) {
			t.Errorf("%s: a different seed gives the same set", name)
		}
	}
}

// On a large sample, the nearest-mean classifier, which is the Bayes classifier, has the error
// of the documentation.
func TestBlobsError(t *testing.T) {
	for _, tc := range []struct {
		c      int
		spread float64
	}{{2, 1}, {3, 0.7}, {5, 1.5}, {2, 0}} {
		const n = 40000
		s := Blobs(n, tc.c, 2, tc.spread, 1)
		wrong := 0
		for i, class := range s.T {
			nearest := min(max(int(math.Round(s.X.At(i, 0)/2)), 0), tc.c-1)
			if nearest != class {
				wrong++
			}
		}
		got, want := float64(wrong)/n, float64(tc.c-1)/float64(tc.c)*math.Erfc(1/(tc.spread*math.Sqrt2))
		if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/n) {
			t.Errorf("%d classes, spread %v: error %v, want %v", tc.c, tc.spread, got, want)
		}
	}
}

func TestSpiralsWithoutNoise(t *testing.T) {
	s := Spirals(300, 3, 0, 1)
	for i, class := range s.T {
		x, y := s.X.At(i, 0), s.X.At(i, 1)
		along := (math.Hypot(x, y) - 0.25) / 0.75
		turns := math.Atan2(y, x)/(2*math.Pi) - along // class/3, up to whole turns
		if arm := 3 * (turns - math.Floor(turns)); math.Abs(math.Mod(arm-float64(class)+4.5, 3)-1.5) > 1e-9 {
			t.Fatalf("sample %d of class %d is on arm %v", i, class, arm)
		}
	}
}

func TestSyntheticPanics(t *testing.T) {
	panics(t, "fewer samples than classes", func() { Blobs(2, 3, 1, 1, 0) })
	panics(t, "no classes", func() { Spirals(2, 0, 1, 0) })
	panics(t, "no features", func() { Noise(2, 2, 0, 0) })
}
