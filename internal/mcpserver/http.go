package mcpserver

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// Path is where the server is reached over HTTP.
const Path = "/mcp"

const (
	modern        = "2026-07-28" // the first revision without sessions
	versionMember = "io.modelcontextprotocol/protocolVersion"
	versionHeader = "MCP-Protocol-Version"

	mostSessions = 256              // of clients of the era that has them
	idle         = 30 * time.Minute // until a session ends that nobody uses
	bodyTime     = 30 * time.Second // for a client to send a whole request
)

// once are headers that must not be there twice: two readers could take two of them.
var once = []string{"Authorization", "Origin", "Content-Length", "Content-Type", "Mcp-Session-Id", versionHeader, "Mcp-Method", "Mcp-Name"}

// Handler serves Streamable HTTP on [Path]. The library refuses a foreign Host on a
// loopback address, and a session's id under another token than its own.
func (s *Server) Handler() http.Handler {
	server := func(*http.Request) *mcp.Server { return s.sdk }
	// The era without sessions is only served by a handler that knows none, and that one
	// cannot ask a client of the other era anything.
	legacy := mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{SessionTimeout: idle, Logger: s.Log})
	stateless := mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true, Logger: s.Log})
	return s.door(legacy, stateless)
}

// door lets in what may reach the handlers of the two eras.
func (s *Server) door(legacy, stateless http.Handler) http.Handler {
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := strictBody(w, r)
		if !ok {
			return
		}
		if method, _ := f.MethodName(); method == "initialize" && s.sessions() >= mostSessions {
			http.Error(w, "too many sessions are open: end some, or wait", http.StatusServiceUnavailable)
			return
		}
		if isModern(r, f) {
			stateless.ServeHTTP(w, r)
		} else {
			legacy.ServeHTTP(w, r)
		}
	})
	if s.Tokens != nil {
		h = requireToken(s.Tokens, h)
	}
	mux := http.NewServeMux()
	mux.Handle(Path, sameOrigin(h))
	return mux
}

// sessions counts the open ones.
func (s *Server) sessions() (n int) {
	for range s.sdk.Sessions() {
		n++
	}
	return n
}

// sameOrigin refuses requests of pages of other sites, and those with two of a header that
// decides something. Programs send no Origin.
func sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range once {
			if len(r.Header.Values(name)) > 1 {
				http.Error(w, "the request has two headers "+name, http.StatusBadRequest)
				return
			}
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			u, err := url.Parse(origin)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Host != r.Host {
				http.Error(w, "the request comes from a page of another origin", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// strictBody reads the body of a POST by the strict reader, and puts it back as it came;
// false where the request was answered already.
func strictBody(w http.ResponseWriter, r *http.Request) (f strictjson.Frame, ok bool) {
	if r.Method != http.MethodPost {
		return f, true
	}
	within := http.NewResponseController(w)
	_ = within.SetReadDeadline(time.Now().Add(bodyTime)) // not every connection has one
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(limits.MaxBytes)))
	if err != nil {
		code, text := http.StatusBadRequest, "the body could not be read"
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			code, text = http.StatusRequestEntityTooLarge, "the body is too long"
		}
		http.Error(w, text, code)
		return f, false
	}
	_ = within.SetReadDeadline(time.Time{})
	f, _, bad := inspect(body)
	if bad != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(bad.reply())
		return f, false
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(f.Raw)), int64(len(f.Raw))
	return f, true
}

// isModern reports whether a request is of the era without sessions. Its header and its
// body have to say the same; the library compares them.
func isModern(r *http.Request, f strictjson.Frame) bool {
	if r.Header.Get(versionHeader) >= modern {
		return true
	}
	if f.Params == nil {
		return false
	}
	meta, err := limits.Peek(f.Params, "_meta")
	if err != nil || meta[0] == nil {
		return false
	}
	version, err := limits.Peek(meta[0], versionMember)
	return err == nil && version[0] != nil
}
