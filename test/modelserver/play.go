package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// play answers a request with a turn.
func (s *Server) play(w http.ResponseWriter, r *http.Request, d dialect, req Request, streamed bool, turn Turn) {
	if turn.Usage == (Usage{}) {
		turn.Usage = Usage{Input: 100, Output: 20}
	}
	id := fmt.Sprintf("answer_%s_%d", req.Kind, req.Turn)
	if !streamed {
		s.unstreamed(w, r, d, req, id, turn)
		return
	}
	a := d.answer(id, req.Model, turn.Usage)
	send := func(frames []frame) bool {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, f := range frames {
			if f.write(w) != nil {
				return false // the agent went away
			}
		}
		return true
	}
	for i, p := range turn.Parts {
		if f, ok := p.(Failure); ok {
			f.reply(w, d)
			return
		}
		if !hold(r, p) || !send(framesOf(a, p, id, i)) {
			return
		}
	}
	send(a.end())
}

// unstreamed answers at once, with text only: agents want nothing else so.
func (s *Server) unstreamed(w http.ResponseWriter, r *http.Request, d dialect, req Request, id string, turn Turn) {
	var text string
	for _, p := range turn.Parts {
		switch p := p.(type) {
		case Failure:
			p.reply(w, d)
			return
		case Text:
			text += string(p)
		case Call:
			s.t.Errorf("model server: %s %s wants an answer that isn't streamed, and the script has a tool call", req.Method, req.Path)
		}
		if !hold(r, p) {
			return
		}
	}
	reply(w, http.StatusOK, d.whole(id, req.Model, text, turn.Usage))
}

// hold waits where a part says so, and reports whether to go on.
func hold(r *http.Request, p Part) bool {
	switch p := p.(type) {
	case Silence:
		<-r.Context().Done()
		return false
	case Until:
		select {
		case <-p:
		case <-r.Context().Done():
			return false
		}
	}
	return true
}

func framesOf(a answer, p Part, id string, at int) []frame {
	switch p := p.(type) {
	case Text:
		return a.text(string(p))
	case Thought:
		return a.thought(string(p))
	case Call:
		if p.ID == "" {
			p.ID = fmt.Sprintf("call_%s_%d", id, at)
		}
		arguments, err := json.Marshal(p.Arguments)
		if err != nil {
			panic(fmt.Errorf("encode arguments of %s: %w", p.Name, err)) // a mistake of who wrote the script
		}
		return a.call(p, string(arguments))
	}
	return nil
}
