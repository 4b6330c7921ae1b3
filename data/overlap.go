package data

import "math"

// OverlapPosterior returns the probabilities of the classes black, blue and red at the point
// (x, y) for the densities that Overlap draws from. The classifier that takes the largest
// has the least error possible.
func OverlapPosterior(x, y float64) [3]float64 {
	classes := [3]string{"black", "blue", "red"}
	var p [3]float64
	total := 0.0
	for c, class := range classes {
		for _, b := range overlapBlobs {
			if b.class == class {
				p[c] += float64(b.n) * b.density(x, y)
			}
		}
		total += p[c]
	}
	for c := range p {
		p[c] /= total
	}
	return p
}

// density of the cloud at (x, y), times 2π.
func (b blob) density(x, y float64) float64 {
	det := b.xx*b.yy - b.xy*b.xy
	u, v := x-b.x, y-b.y
	return math.Exp(-(b.yy*u*u-2*b.xy*u*v+b.xx*v*v)/(2*det)) / math.Sqrt(det)
}
