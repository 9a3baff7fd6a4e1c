package home

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Config is config.json: what `init` was told, kept beside the store. It decides nothing about trust; the log id and
// origin are compared with the ledger's head.
type Config struct {
	V           int       `json:"v"`           // 1
	Principal   string    `json:"principal"`   // the person whose memory this is; byte-exact
	LogID       string    `json:"log_id"`      // of the ledger's head row
	Origin      string    `json:"origin"`      // first line of every checkpoint
	Checkpoints []string  `json:"checkpoints"` // targets for CopyCheckpoint; empty: internally consistent only
	Created     time.Time `json:"created"`     // UTC

	// Summarizer is the command that `sleep` has sum up memories, with its arguments; empty:
	// none. Whoever can change it decides what runs there.
	Summarizer []string `json:"summarizer,omitempty"`

	// Embedder is the command that makes vectors of memories and queries, with its arguments;
	// empty: none. Whoever can change it decides what runs there.
	Embedder []string `json:"embedder,omitempty"`
}

// Config reads config.json strictly: an unknown field or trailing text is an error, since a misspelt target would
// otherwise mean no copy.
func (h *Home) Config() (Config, error) {
	data, err := h.ReadFile(FileConfig)
	if err != nil {
		return Config{}, err
	}
	c, err := parseConfig(data)
	if err != nil {
		return Config{}, fmt.Errorf("home: %s is not a configuration: %w; restore it from a backup, or correct it", h.Path(FileConfig), err)
	}
	return c, nil
}

// SetConfig replaces config.json atomically. It sets V.
func (h *Home) SetConfig(c Config) error {
	c.V = 1
	c.Created = c.Created.UTC().Truncate(time.Millisecond)
	for _, t := range c.Checkpoints {
		if err := h.CheckTarget(t); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("home: cannot encode the configuration: %w", err)
	}
	return h.WriteFile(FileConfig, append(data, '\n'), FileMode)
}

func parseConfig(data []byte) (Config, error) {
	var c Config
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return Config{}, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return Config{}, errors.New("text after the closing brace")
	}
	if c.V != 1 {
		return Config{}, fmt.Errorf("version %d, wanted 1", c.V)
	}
	if c.Principal == "" {
		return Config{}, errors.New("no principal")
	}
	return c, nil
}
