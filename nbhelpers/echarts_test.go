package nbhelpers

import "testing"

// TestScript: functions become code, and texts that look like functions stay texts.
func TestScript(t *testing.T) {
	fake := jsMark + `"alert(1)"}`
	o := map[string]any{"a": js(`function(){return "<b>"}`), "b": fake, "c": []any{js("f"), row{1, 2}}, fake: 1}
	for asJSON, want := range map[bool]string{
		false: `{"a":function(){return "<b>"},"b":"{\"nbhelpers function\":\"alert(1)\"}","c":[f,[1,2]],"{\"nbhelpers function\":\"alert(1)\"}":1}`,
		true:  `{"a":"function(){return \"\u003cb\u003e\"}","b":"{\"nbhelpers function\":\"alert(1)\"}","c":["f",[1,2]],"{\"nbhelpers function\":\"alert(1)\"}":1}`,
	} {
		if got := string(script(o, asJSON)); got != want {
			t.Errorf("asJSON %v: %s, want %s", asJSON, got, want)
		}
	}
}

// TestMarksInBothOutputs: each mark of a figure is a series of the option, in its panel.
func TestMarksInBothOutputs(t *testing.T) {
	for name, c := range all(nil) {
		o := c.figure.option(ownPictures)
		if len(o.Series) != len(c.figure.marks) || len(o.Grid) != len(c.figure.panels) || len(o.XAxis) != len(o.Grid) || len(o.YAxis) != len(o.Grid) {
			t.Errorf("%s: %d series for %d marks, %d grids for %d panels", name, len(o.Series), len(c.figure.marks), len(o.Grid), len(c.figure.panels))
		}
		for _, entry := range c.figure.legend {
			if c.figure.named(entry) == nil {
				t.Errorf("%s: no mark is named %q, as the legend says", name, entry)
			}
		}
	}
}
