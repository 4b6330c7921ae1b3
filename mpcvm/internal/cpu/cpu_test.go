package cpu

import "testing"

func TestUse(t *testing.T) {
	if Vector() != Best {
		t.Errorf("the level is %v, want Best = %v", Vector(), Best)
	}
	restore := Use(Portable)
	if Vector() != Portable {
		t.Errorf("the level is %v after Use(Portable)", Vector())
	}
	restore()
	if Use(AVX512)(); Vector() != Best {
		t.Errorf("the level is %v after Use and restore", Vector())
	}
}

func TestString(t *testing.T) {
	for level, want := range map[Level]string{Portable: "portable", AVX2: "AVX2", AVX512: "AVX-512"} {
		if level.String() != want {
			t.Errorf("level %d is %q", level, level)
		}
	}
}
