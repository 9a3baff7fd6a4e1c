package source

import (
	"errors"
	"fmt"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// Bounds of what [Parse] reads.
const (
	maxSources = 1000
	maxInput   = 1 << 20 // bytes
)

// The keys of a source. Memnox calls the type sourceType.
const (
	keyType   = "type"
	keyMemnox = "sourceType"
	keyActor  = "actor"
	keyRef    = "ref"
)

// errShape is the error of JSON that is neither of the forms of [Parse].
var errShape = errors.New(`want {"type":"web","ref":"…","actor":"…"}, or a list of such, or a list of {"sourceType":"web",…}`)

// Parse reads sources as a caller reports them: an object {"type","actor","ref"}, an
// array of those, or Memnox's array of {"sourceType","actor","ref"}. Only the type must
// be there, and not be empty; whether a table knows it is another matter. An empty array
// is no source.
//
// Reading is strict: unknown, repeated and case-variant keys, values that are no
// strings, both spellings in one input, more than 1,000 sources or 1 MiB, and text that
// is no UTF-8 are errors. With an error comes one source of the unknown type: what
// cannot be read taints, it never vanishes. The error holds none of the input.
func Parse(data []byte) ([]hearsay.Source, error) {
	list, err := parse(data)
	if err != nil {
		return []hearsay.Source{{Type: hearsay.UnknownTag}}, fmt.Errorf("sources: %w", err)
	}
	return list, nil
}

func parse(data []byte) ([]hearsay.Source, error) {
	v, err := strictjson.Limits{MaxBytes: maxInput, MaxDepth: 2}.Parse(data)
	if err != nil {
		return nil, err
	}
	switch {
	case v.Kind() == strictjson.KindObject:
		s, err := one(v, keyType)
		return []hearsay.Source{s}, err
	case v.Kind() != strictjson.KindArray:
		return nil, errShape
	case v.Len() > maxSources:
		return nil, fmt.Errorf("%d of them: at most %d can be told at once", v.Len(), maxSources)
	}
	list := make([]hearsay.Source, 0, v.Len())
	key := keyType
	for i, e := range v.Elements() {
		if i == 0 {
			if _, ok := e.Get(keyMemnox); ok {
				key = keyMemnox
			}
		}
		s, err := one(e, key)
		if err != nil {
			return nil, fmt.Errorf("number %d: %w", i+1, err)
		}
		list = append(list, s)
	}
	return list, nil
}

// one reads a source whose type stands under the key.
func one(v strictjson.Value, key string) (s hearsay.Source, err error) {
	if v.Kind() != strictjson.KindObject {
		return s, errShape
	}
	if err := strictjson.CheckReserved(v, key, keyActor, keyRef); err != nil {
		return s, err
	}
	for k, value := range v.Members() {
		if value.Kind() != strictjson.KindString {
			return s, errors.New("a value is no string")
		}
		switch k {
		case key:
			s.Type = value.String()
		case keyActor:
			s.Actor = value.String()
		case keyRef:
			s.Ref = value.String()
		default:
			return s, fmt.Errorf("a key is not known; %w", errShape)
		}
	}
	if s.Type == "" {
		return s, errors.New("the type is missing or empty")
	}
	return s, nil
}
