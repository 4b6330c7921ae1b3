package chart

import (
	"hash/fnv"
	"slices"
	"strings"
)

// systemLook is the style of a system in charts.
type systemLook struct {
	Color string
	Shape Symbol // symbol of its points
}

// systemLooks are the styles of the systems of this module, by short name (shortSystem). The colours
// were found by a search: any two differ by at least 15 in CIEDE2000, as seen with normal sight,
// protanopia and deuteranopia (Machado et al. 2009), and each differs by at least 7 from the first
// colours of classes and from the colours of signs. mPCVM₁ and mPCVM₂, which share most charts,
// differ by 47.
var systemLooks = map[string]systemLook{
	"mpcvm1":      {"#b44b0f", Symbols[0]},
	"mpcvm2":      {"#3c2d87", Symbols[3]},
	"mrvm1":       {"#96b469", Symbols[1]},
	"mrvm2":       {"#0f875a", Symbols[5]},
	"svm":         {"#691e0f", Symbols[2]},
	"dlsr":        {"#5a87ff", Symbols[4]},
	"mlr":         {"#a5b4d2", Symbols[8]},
	"auto":        {"#7800f0", Symbols[6]},
	"kernelprior": {"#0f3c3c", Symbols[7]},
	"forest":      {"#4b7878", Symbols[2]},
	"votes":       {"#96a596", Symbols[1]},
}

// systemAliases are other names of systems.
var systemAliases = map[string]string{"svc": "svm", "csvc": "svm", "gp": "kernelprior",
	"gpkernelprior": "kernelprior", "randomforest": "forest", "vote": "votes", "voting": "votes"}

// otherSystems are the colours of systems with other names.
var otherSystems = []string{"#1e5a3c", "#5a5a87", "#4b9696", "#4b96c3", "#785ae1", "#3c964b"}

// SystemColor implements nbhelpers.SystemColor.
func SystemColor(name string) string { return LooksOf([]string{name})[0].Color }

// IsSystem reports whether a system with this name has a colour of its own.
func IsSystem(name string) bool {
	_, ok := systemLooks[shortSystem(name)]
	return ok
}

// LooksOf returns the styles of the systems of one chart. They are distinct unless there are many.
func LooksOf(names []string) []systemLook {
	looks := make([]systemLook, len(names))
	var taken []string // short names and colours
	for i, name := range names {
		short := shortSystem(name)
		if l, ok := systemLooks[short]; ok && !slices.Contains(taken, short) {
			looks[i], taken = l, append(taken, short)
		}
	}
	for i, name := range names {
		if looks[i].Color != "" {
			continue
		}
		h := fnv.New32a()
		h.Write([]byte(Plain(name)))
		n := len(otherSystems)
		at := int(h.Sum32() % uint32(n))
		for k := range n {
			if c := otherSystems[(at+k)%n]; !slices.Contains(taken, c) {
				at = (at + k) % n
				break
			}
		}
		taken = append(taken, otherSystems[at])
		looks[i] = systemLook{otherSystems[at], ClassShape(at)}
	}
	return looks
}

// shortSystem returns a name in lower case without spaces, with plain digits.
func shortSystem(name string) string {
	s := strings.Map(func(r rune) rune {
		switch {
		case r >= '₀' && r <= '₉':
			return r - '₀' + '0'
		case strings.ContainsRune(" -_.\u00a0\u2002", r):
			return -1
		}
		return r
	}, strings.ToLower(Plain(name)))
	if full, ok := systemAliases[s]; ok {
		return full
	}
	return s
}
