package mcpserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// argumentError says what is wrong with a call. Its text is ours: of the arguments it
// repeats no more than a plain name.
type argumentError struct{ text string }

func (e *argumentError) Error() string { return e.text }

// arguments reads the arguments of a call. The first fault stays; [arguments.done] tells it,
// and refuses what nothing asked for.
type arguments struct {
	v     strictjson.Value
	known []string
	err   error
}

func (a *arguments) fault(format string, args ...any) {
	if a.err == nil {
		a.err = &argumentError{fmt.Sprintf(format, args...)}
	}
}

// get finds an argument of a kind.
func (a *arguments) get(name string, want strictjson.Kind) (strictjson.Value, bool) {
	a.known = append(a.known, name)
	v, ok := a.v.Get(name)
	if ok && v.Kind() != want {
		a.fault("%s: want a JSON %s", name, want)
		return strictjson.Value{}, false
	}
	return v, ok
}

// text reads a string of at most so many bytes; empty where there is none.
func (a *arguments) text(name string, most int) string {
	v, ok := a.get(name, strictjson.KindString)
	if !ok {
		return ""
	}
	s := v.String()
	if len(s) > most {
		a.fault("%s has %d bytes: at most %d", name, len(s), most)
	}
	return s
}

// needed is text that must not be missing or blank.
func (a *arguments) needed(name string, most int) string {
	s := a.text(name, most)
	if strings.TrimSpace(s) == "" {
		a.fault("%s is missing or empty", name)
	}
	return s
}

func (a *arguments) flag(name string) bool {
	v, _ := a.get(name, strictjson.KindBool)
	return v.Bool()
}

// number reads a number from 0 to 1; 0 where there is none.
func (a *arguments) number(name string) float64 {
	v, ok := a.get(name, strictjson.KindNumber)
	if !ok {
		return 0
	}
	n, err := strconv.ParseFloat(string(v.Raw()), 64)
	if err != nil || !(n >= 0 && n <= 1) {
		a.fault("%s: want a number from 0 to 1", name)
		return 0
	}
	return n
}

// whole reads a whole number within bounds, or returns the one to take where there is none.
func (a *arguments) whole(name string, least, most, otherwise int) int {
	v, ok := a.get(name, strictjson.KindNumber)
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseFloat(string(v.Raw()), 64)
	if err != nil || n != float64(int(n)) || int(n) < least || int(n) > most {
		a.fault("%s: want a whole number from %d to %d", name, least, most)
		return otherwise
	}
	return int(n)
}

// texts reads a list of different strings, each of 1 to so many bytes.
func (a *arguments) texts(name string, most, bytes int) []string {
	v, ok := a.get(name, strictjson.KindArray)
	if !ok {
		return nil
	}
	if v.Len() > most {
		a.fault("%s has %d entries: at most %d", name, v.Len(), most)
		return nil
	}
	var out []string
	for i, el := range v.Elements() {
		s := el.String()
		switch {
		case el.Kind() != strictjson.KindString, s == "", len(s) > bytes:
			a.fault("%s: entry %d: want a string of 1 to %d bytes", name, i+1, bytes)
			return nil
		case slices.Contains(out, s):
			a.fault("%s: entry %d is there twice", name, i+1)
			return nil
		}
		out = append(out, s)
	}
	return out
}

// ids reads a list of record ids.
func (a *arguments) ids(name string, most int) []hearsay.RecordID {
	var out []hearsay.RecordID
	for i, s := range a.texts(name, most, 36) {
		id, err := hearsay.ParseRecordID(s)
		if err != nil {
			a.fault("%s: entry %d is no id of a memory", name, i+1)
			return nil
		}
		out = append(out, id)
	}
	return out
}

// id reads one record id; zero where there is none.
func (a *arguments) id(name string) hearsay.RecordID {
	s := a.text(name, 36)
	if s == "" {
		return hearsay.RecordID{}
	}
	id, err := hearsay.ParseRecordID(s)
	if err != nil {
		a.fault("%s is no id of a memory", name)
	}
	return id
}

// done returns the first fault. Call it when everything was asked for.
func (a *arguments) done() error {
	for key := range a.v.Members() {
		if slices.Contains(a.known, key) {
			continue
		}
		name := "one of the arguments"
		if plainName(key) {
			name = key
		}
		takes := strings.Join(a.known, ", ")
		if takes == "" {
			takes = "no arguments"
		}
		a.fault("%s is not known here: it takes %s; who speaks and how far that is trusted is never an argument", name, takes)
	}
	return a.err
}

// plainName reports whether s is a name that can be repeated to a model.
func plainName(s string) bool {
	return len(s) > 0 && len(s) <= 32 && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
