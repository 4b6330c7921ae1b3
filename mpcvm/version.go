package mpcvm

import (
	"cmp"
	"runtime/debug"
)

// Version describes the running program: the version of its main module ("(devel)" if it was built from a
// directory), the version of Go, and the revision of the source if the build recorded it.
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
