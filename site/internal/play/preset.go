package play

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mpcvm/mpcvm/data"
)

// Presets lists the names of the presets.
var Presets = []string{"overlap", "overclass", "rings", "moons", "petals", "xor", "noise"}

// points is the reply to preset. Classes are the names of the classes, if any.
type points struct {
	Points  []Point  `json:"points"`
	Classes []string `json:"classes,omitempty"`
}

// draw draws the requested number of points, with noise added to both coordinates.
func (q Request) draw() (points, error) {
	p, err := preset(q.Name, q.Seed)
	if err != nil {
		return p, err
	}
	if q.Count < 0 || q.Count > maxPoints || !(q.Noise >= 0) || math.IsInf(q.Noise, 1) {
		return points{}, fmt.Errorf("%d points with noise %v: want at most %d points, and a standard deviation as "+
			"noise", q.Count, q.Noise, maxPoints)
	}
	random := rand.New(rand.NewPCG(q.Seed, 1))
	if q.Count > 0 {
		for i := uint64(1); len(p.Points) < q.Count && q.Name != "petals"; i++ { // of which there are no more
			more, err := preset(q.Name, q.Seed+i<<32)
			if err != nil {
				return p, err
			}
			p.Points = append(p.Points, more.Points...)
		}
		chosen := random.Perm(len(p.Points))[:min(q.Count, len(p.Points))]
		slices.Sort(chosen)
		for i, n := range chosen {
			p.Points[i] = p.Points[n]
		}
		p.Points = p.Points[:len(chosen)]
	}
	if q.Noise > 0 {
		for i, v := range p.Points {
			p.Points[i] = Point{round(v[0] + q.Noise*random.NormFloat64()), round(v[1] + q.Noise*random.NormFloat64()),
				v[2]}
		}
	}
	return p, nil
}

// preset draws points with coordinates of three decimals. Seed 0 gives the default points of the preset.
func preset(name string, seed uint64) (points, error) {
	switch name {
	case "overlap":
		return fromSet(data.Overlap(cmp.Or(seed, data.OverlapSeed))), nil
	case "overclass": // the first eight classes of ten
		return fromSet(data.Overclass(cmp.Or(seed, data.OverclassSeed))), nil
	case "noise":
		return points{Points: fromSet(data.Noise(120, 3, 2, seed)).Points}, nil
	case "petals":
		iris, err := data.Load("iris")
		if err != nil {
			return points{}, err
		}
		petals := iris.Columns([]int{2, 3})
		random := rand.New(rand.NewPCG(seed, 0)) // the lengths were rounded to 0.1 cm, and many points coincide
		petals.X.Apply(func(_, _ int, v float64) float64 { return v + 0.1*random.Float64() - 0.05 }, petals.X)
		return fromSet(data.FitStandardizer(petals.X).Set(petals)), nil
	case "rings":
		return draw(180, 3, seed, func(class int, u, v, w float64) (x, y float64) {
			radius, angle := 0.2+1.1*float64(class)+0.18*v, 2*math.Pi*u
			return radius * math.Cos(angle), radius * math.Sin(angle)
		}), nil
	case "moons":
		return draw(160, 2, seed, func(class int, u, v, w float64) (x, y float64) {
			angle, side := math.Pi*u, float64(1-2*class)
			return side*(1.6*math.Cos(angle)-0.8) + 0.25*v, side*(1.6*math.Sin(angle)-0.4) + 0.25*w
		}), nil
	case "xor":
		return draw(160, 2, seed, func(class int, u, v, w float64) (x, y float64) {
			side := math.Copysign(1, u-0.5)
			return 1.2*side + 0.6*v, 1.2*side*float64(1-2*class) + 0.6*w
		}), nil
	}
	return points{}, fmt.Errorf("unknown preset %q", name)
}

// draw draws n points. Point i has class i mod c and the position at(u, v, w) for a uniform u and normal v
// and w.
func draw(n, c int, seed uint64, at func(class int, u, v, w float64) (x, y float64)) points {
	random := rand.New(rand.NewPCG(seed, 0))
	var p points
	for i := range n {
		x, y := at(i%c, random.Float64(), random.NormFloat64(), random.NormFloat64())
		p.Points = append(p.Points, Point{round(x), round(y), float64(i % c)})
	}
	return p
}

// fromSet returns the samples of the first classes of a two-dimensional set.
func fromSet(s *data.Set) points {
	p := points{Classes: s.Classes[:min(len(s.Classes), maxClasses)]}
	for i, t := range s.T {
		if t < maxClasses {
			p.Points = append(p.Points, Point{round(s.X.At(i, 0)), round(s.X.At(i, 1)), float64(t)})
		}
	}
	return p
}

// round rounds to three decimals, the precision of links.
func round(v float64) float64 { return math.Round(v*1000) / 1000 }
