package agui_test

import (
	"encoding/json"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/agui"
)

func TestACustomEventKeepsItsJSON(t *testing.T) {
	const object = `{"n":1.50,"why":"<a> & b\u0026"}`
	e, err := agui.NewCustom("answer", map[string]any{"object": json.RawMessage(object)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := agui.Marshal(e)
	if want := `{"type":"CUSTOM","name":"answer","value":{"object":` + object + `}}`; string(got) != want || err != nil {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	if _, err := agui.NewCustom("answer", func() {}); err == nil {
		t.Error("a function was encoded")
	}
	if got := string(agui.NewWarning("w", "a < b").Value); got != `{"code":"w","text":"a < b"}` {
		t.Errorf("a warning: %s", got)
	}
}
