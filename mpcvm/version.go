package mpcvm

import (
	"cmp"
	"runtime/debug"
)

// Version is the version of the running program: of its main module, "(devel)" if it was built from a
// folder, of Go, and of its source as far as the build noted that.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	version := cmp.Or(info.Main.Version, "(devel)") + " " + info.GoVersion
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision", "vcs.modified", "-tags", "GOARCH":
			version += " " + s.Key + "=" + s.Value
		}
	}
	return version
}
